import { OPERATIONS } from "../../src/contract/operations.ts";
import type { Reply } from "../../src/http/exchange.ts";
import { type ChangeCase, casesOn, oneRead } from "../../src/probe/cases.ts";
import { judgeErrorBody, owesErrorBody } from "../../src/probe/error-record.ts";
import type { Finding } from "../../src/probe/finding.ts";
import type { Attempt } from "../../src/probe/probe.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { del, openMethods, put, strayPaths, tokenless } from "../../src/tokens/breakages/strays.ts";
import type { Change } from "../../src/tokens/change.ts";

/** A method of which the server knows nothing at all, RFC 9110 §15.6.2. */
const NOT_IMPLEMENTED = 501;

const bothWays = (changes: readonly Change[]): Change[] => [...changes, ...changes.map(tokenless)];

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
  cases(target): ChangeCase[] {
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
  async probe(probe, { change, level }): Promise<Finding> {
    if (level === "OBSERVE") return probe.rejects(change);
    // What could really be deleted had better not be there.
    const organization = change.name.startsWith(del.name) ? probe.uuid("organization") : undefined;
    return judge(await probe.attempt(change, { organization }));
  },
});

function judge({ reply, evidence }: Attempt): Finding {
  const actual = describeReply(reply);
  const refused = reception(reply) === "rejected" || reply.status === NOT_IMPLEMENTED;
  if (reception(reply) === "unclear") return { kind: "undecided", reason: actual, evidence };
  const wrong = owesErrorBody(reply.status) ? wrongBody(reply) : [];
  if (refused && wrong.length === 0) return { kind: "holds", reason: actual, evidence };
  return {
    kind: "violated",
    expected: "a 4xx with an Error body",
    actual: refused ? `${actual}: ${wrong.join("; ")}` : actual,
    evidence,
  };
}

function wrongBody(reply: Reply): string[] {
  const { problems, bodyStatus, cut } = judgeErrorBody(reply);
  if (cut) return [];
  const other = bodyStatus !== undefined && bodyStatus !== reply.status;
  return [...problems, ...(other ? [`status is ${bodyStatus}`] : [])];
}
