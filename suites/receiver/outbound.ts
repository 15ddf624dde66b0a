import { setTimeout as sleep } from "node:timers/promises";

import { custom, type MutationCase, oneRead } from "../../src/probe/cases.ts";
import { Finding } from "../../src/probe/finding.ts";
import { phrase, valueFact } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { keysBehindIssuerUrls, keysBehindUrls, liveIssuer } from "./signature/key-brought.ts";

/** Most receivers fetch before they answer. This is for others; all cases wait together. */
const GRACE_MS = 100;

export const rule: Rule = defineRule({
  id: "receiver.outbound",
  title: "The receiver fetches no URL from a rejected token",
  level: "SHOULD",
  verifies: ["checks.signature", "rfc7515.key-origin", "rfc8725.received-claims"],
  dependsOn: ["receiver.token-required/missing", "receiver.isolation/side-by-side"],
  cases: (facts) =>
    custom(oneRead(facts), [...keysBehindUrls, ...keysBehindIssuerUrls, liveIssuer], judge),
});

async function judge(probe: Probe, { mutation }: MutationCase): Promise<Finding> {
  const { reply, evidence, callback } = await probe.attempt(mutation);
  if (reception(reply) === "accepted") {
    const reason = phrase`the token was accepted, which is worse, and which other rules report`;
    return Finding.notApplicable(reason);
  }
  await sleep(GRACE_MS);
  const [first, ...others] = callback?.hits ?? [];
  if (first !== undefined) {
    const more = others.length === 0 ? "" : `, and ${others.length} more`;
    return {
      kind: "fail",
      expected: phrase`the suite's own listener, to which the token refers, gets no request`,
      actual: phrase`${describeReply(reply)}, but the listener got ${valueFact(first)}${more}`,
      evidence,
    };
  }
  return reception(reply) === "unclear"
    ? Finding.inconclusive(describeReply(reply), evidence)
    : Finding.pass(evidence);
}
