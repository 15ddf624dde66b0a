import { OPERATIONS } from "../../src/contract/operations.ts";
import type { Reply } from "../../src/http/exchange.ts";
import type { Mutation } from "../../src/mutations/mutation.ts";
import {
  del,
  openMethods,
  put,
  strayPaths,
  tokenless,
} from "../../src/mutations/request/unknown-routes.ts";
import { type MutationCase, casesOn, oneRead } from "../../src/probe/cases.ts";
import { judgeErrorBody, owesErrorBody } from "../../src/probe/error-record.ts";
import type { Finding } from "../../src/probe/finding.ts";
import { listFact, phrase } from "../../src/probe/phrase.ts";
import type { Attempt } from "../../src/probe/probe.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";

/** A method of which the server knows nothing at all, RFC 9110 §15.6.2. */
const NOT_IMPLEMENTED = 501;

const bothWays = (mutations: readonly Mutation[]): Mutation[] => [
  ...mutations,
  ...mutations.map(tokenless),
];

export const rule: Rule = defineRule({
  id: "errors.unknown-route",
  title: "An unknown path or method is answered with a 4xx and an Error body",
  level: "SHOULD",
  verifies: [
    "errors.body",
    "errors.kind.not-found",
    "rfc9110.not-found",
    "rfc9110.method-not-allowed",
  ],
  dependsOn: ["errors.shape", "errors.status"],
  cases(target): MutationCase[] {
    const reads = oneRead(target).filter((id) => !OPERATIONS[id].writes);
    const below = reads.filter((id) => OPERATIONS[id].organization);
    return [
      ...casesOn(reads, bothWays(strayPaths)),
      ...[
        ...casesOn([...new Set(["listOrganizations" as const, ...reads])], bothWays([put])),
        ...casesOn(below, bothWays([del])),
      ].map((one) => ({ ...one, writes: true })),
      ...casesOn(reads, openMethods),
    ];
  },
  async probe(probe, { mutation, level }): Promise<Finding> {
    if (level === "OBSERVE") return probe.rejects(mutation);
    // What could really be deleted had better not be there.
    const organization = mutation.name.startsWith(del.name)
      ? probe.uuid("organization")
      : undefined;
    return judge(await probe.attempt(mutation, { organization }));
  },
});

function judge({ reply, evidence }: Attempt): Finding {
  const actual = describeReply(reply);
  const refused = reception(reply) === "rejected" || reply.status === NOT_IMPLEMENTED;
  if (reception(reply) === "unclear") return { kind: "inconclusive", reason: actual, evidence };
  const wrong = owesErrorBody(reply.status) ? wrongBody(reply) : [];
  if (refused && wrong.length === 0) return { kind: "pass", reason: actual, evidence };
  return {
    kind: "fail",
    expected: phrase`a 4xx with an Error body`,
    actual: refused ? phrase`${actual}: ${listFact(wrong, "; ")}` : actual,
    evidence,
  };
}

function wrongBody(reply: Reply): string[] {
  const { problems, bodyStatus, cut } = judgeErrorBody(reply);
  if (cut) return [];
  const other = bodyStatus !== undefined && bodyStatus !== reply.status;
  return [...problems, ...(other ? [`status is ${bodyStatus}`] : [])];
}
