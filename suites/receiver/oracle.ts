import { type OperationId, OPERATIONS } from "../../src/contract/operations.ts";
import type { InvalidMutation, Refused } from "../../src/mutations/mutation.ts";
import {
  besideOthers,
  judgedBy,
  type MutationCase,
  oneReadOneWrite,
} from "../../src/probe/cases.ts";
import { Finding, together } from "../../src/probe/finding.ts";
import { type Phrase, phrase } from "../../src/probe/phrase.ts";
import type { Attempt, Probe } from "../../src/probe/probe.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import type { Facts } from "../../src/profile/facts.ts";
import { noCredentials } from "../shared/mutations/credentials.ts";
import { type CheckMutation, faultAlone, oneForEachCheck } from "./ways/check-mutations.ts";

interface OracleCase extends MutationCase<InvalidMutation> {
  /** What replaces the organization in the path. Default: a UUID that does not exist. */
  readonly nowhere?: string;
}

const NO_UUID = "conformance";
const noToken: CheckMutation = { name: "no-token", mutation: noCredentials };

export const rule: Rule = defineRule({
  id: "receiver.oracle",
  title: "A request without a valid token does not learn which organizations exist",
  level: "SHOULD",
  verifies: ["checks.order"],
  dependsOn: ["receiver.token-required/missing", "receiver.isolation/side-by-side"],
  cases(facts) {
    const operations = operationsOf(facts);
    const cases: OracleCase[] = [
      ...operations.flatMap((operation) =>
        [noToken, ...failing("signature", "issuer", "audience", "expiry")].map((one) =>
          caseOf(operation, one),
        ),
      ),
      // The contract leaves open the answer to a malformed id, and what a valid token may learn.
      ...operations.slice(0, 1).flatMap((operation): OracleCase[] => [
        {
          ...caseOf(operation, noToken),
          id: `malformed-id@${operation}`,
          title: `${noCredentials.what}: an existing organization, and an id that is not a UUID`,
          nowhere: NO_UUID,
          level: "OBSERVE",
        },
        ...failing("scope", "binding").map((one): OracleCase => ({
          ...caseOf(operation, one),
          level: "OBSERVE",
        })),
      ]),
    ];
    return judgedBy(cases, judge);
  },
});

async function judge(probe: Probe, testCase: OracleCase): Promise<Finding> {
  const { mutation, nowhere, level } = testCase;
  const elsewhere = nowhere ?? probe.uuid("missing organization");
  const [there, absent] = await together([
    askThere(probe, testCase),
    probe.attempt(mutation, { organization: elsewhere }),
  ]);
  const answers = [there.reply, absent.reply] as const;
  const [existing, unknown] = answers.map(describeReply) as [Phrase, Phrase];
  const evidence = {
    probes: answers.map(({ exchange }) => exchange.id),
    controls: there.evidence.controls,
    differences: [{ part: "path", probe: elsewhere } as const],
  };
  const actual = phrase`${existing} for an existing organization, ${unknown} for a missing one`;
  if (level === "OBSERVE") return Finding.observed(actual, evidence);
  if (answers.some((reply) => reception(reply) !== "rejected")) {
    return Finding.inconclusive(phrase`at least one was not rejected: ${actual}`, evidence);
  }
  return answers[0].status === answers[1].status
    ? Finding.pass(evidence)
    : { kind: "fail", expected: phrase`the same status for both`, actual, evidence };
}

/** The answer for an existing organization, which `receiver.order` compares too if the same token shows both. */
function askThere(probe: Probe, { mutation, operation }: OracleCase): Promise<Attempt> {
  const { check } = mutation.refused;
  return ["issuer", "audience", "expiry", "scope"].includes(check)
    ? probe.use(faultAlone({ name: check, mutation }, operation))
    : probe.attempt(mutation);
}

function failing(...checks: readonly Refused["check"][]): CheckMutation[] {
  return oneForEachCheck.filter(({ mutation }) => checks.includes(mutation.refused.check));
}

function caseOf(operation: OperationId, { name, mutation }: CheckMutation): OracleCase {
  return besideOthers({
    id: `${name}@${operation}`,
    title: `${mutation.what}: an existing organization and a missing one`,
    operation,
    mutation,
    needs: mutation.needs,
    sends: 2,
  });
}

/** Two reads and a write, if they are offered. */
function operationsOf(facts: Facts): OperationId[] {
  const reads = (["viewOrganization", "readChangesFeed"] as const).filter(
    (id) => facts.operations[id],
  );
  return [...reads, ...oneReadOneWrite(facts).filter((id) => OPERATIONS[id].writes)];
}
