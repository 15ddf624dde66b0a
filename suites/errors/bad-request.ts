import type { OperationId } from "../../src/contract/operations.ts";
import { casesOn, type ChangeCase } from "../../src/probe/cases.ts";
import type { Finding } from "../../src/probe/finding.ts";
import { invalidBody } from "../../src/probe/invalid-body.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import type { Target } from "../../src/profile/target.ts";
import { notJson, openBodies } from "../../src/tokens/breakages/requests.ts";

const WRITES: readonly OperationId[] = ["editOrganization", "submitChange"];

export const rule: Rule = defineRule({
  id: "errors.bad-request",
  title: "An invalid body is answered with a 4xx, best a 400",
  level: "MUST",
  verifies: ["errors.kind.bad-request", "rfc9110.status-classes", "rfc8259.grammar"],
  cases(target): ChangeCase[] {
    // Some of these may well be accepted, and a run allows itself few writes.
    const open = WRITES.filter((id) => target.operations[id]).slice(-1);
    return [
      ...casesOn(WRITES, [invalidBody]),
      ...casesOn(WRITES, [notJson]).map((testCase) => ({ ...testCase, level: "SHOULD" as const })),
      ...casesOn(open, openBodies),
    ];
  },
  async probe(probe, { operation, change, level }): Promise<Finding> {
    if (level === "OBSERVE") return probe.rejects(change);
    const profile = probe.target.operations[operation];
    if (change === invalidBody && profile?.invalidBody === undefined) {
      return { kind: "missing", keys: [`operations.${operation}.invalidBody`] };
    }
    if (change === notJson && !takesJson(probe.target, operation)) {
      return { kind: "inapplicable", reason: `${operation} takes ${profile?.contentType}` };
    }
    const { reply, evidence } = await probe.attempt(change);
    const actual = describeReply(reply);
    switch (reception(reply)) {
      case "rejected":
        return { kind: "holds", reason: actual, evidence };
      case "unclear":
        return { kind: "undecided", reason: actual, evidence };
      default:
        return { kind: "violated", expected: "a 4xx, best 400", actual, evidence };
    }
  },
});

function takesJson(target: Target, operation: OperationId): boolean {
  return /json/i.test(target.operations[operation]?.contentType ?? "application/json");
}
