import { custom, oneRead } from "../../src/probe/cases.ts";
import { Finding } from "../../src/probe/finding.ts";
import { phrase, valueFact } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { clockProblem, expiredFor } from "../receiver/times/skew.ts";

/** The published limit is 60 seconds. Tried beyond it, so that clocks may differ by a few. */
const WELL_BEYOND_SECONDS = 75;
const BINDING_CLAIM = "https://commongrants.org/org_id";

export const rule: Rule = defineRule({
  id: "commongrants.tokens",
  title: "Tokens end a minute after `exp`, and are bound by the published claim",
  level: "MUST",
  verifies: ["commongrants.tokens.expiry", "commongrants.tokens.binding-claim"],
  cases: (facts) => [
    ...custom(
      oneRead(facts),
      [expiredFor(WELL_BEYOND_SECONDS, 0)],
      (probe, { operation }) => endsInTime(probe, operation),
      { requirement: "commongrants.tokens.expiry" },
    ),
    {
      id: "binding-claim",
      title: "the name of the claim that binds a token to an organization",
      level: "SHOULD",
      requirement: "commongrants.tokens.binding-claim",
      sends: 0,
      judge: async ({ target }) => nameOf(target.bindingClaim),
    },
  ],
});

async function endsInTime(
  probe: Probe,
  operation: Parameters<typeof clockProblem>[1],
): Promise<Finding> {
  const problem = await clockProblem(probe, operation);
  if (problem !== undefined) return Finding.inconclusive(phrase`${problem}`);
  return probe.rejects(expiredFor(WELL_BEYOND_SECONDS, probe.clockOffsetSeconds ?? 0));
}

function nameOf(claim: string | undefined): Finding {
  if (claim === undefined) return Finding.notApplicable(phrase`no binding claim is known`);
  if (claim === BINDING_CLAIM) return Finding.pass();
  return {
    kind: "fail",
    expected: phrase`the claim ${BINDING_CLAIM}`,
    actual: phrase`${valueFact(claim)}, by the profile`,
  };
}
