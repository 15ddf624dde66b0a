import type { OperationId } from "../../src/contract/operations.ts";
import { notJson, openBodies } from "../../src/mutations/request/requests.ts";
import { casesOn, type MutationCase } from "../../src/probe/cases.ts";
import type { Finding } from "../../src/probe/finding.ts";
import { invalidBody } from "../../src/probe/openapi/invalid-body.ts";
import { phrase } from "../../src/probe/phrase.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import type { Target } from "../../src/profile/target.ts";

const WRITES: readonly OperationId[] = ["editOrganization", "submitChange"];

export const rule: Rule = defineRule({
  id: "errors.bad-request",
  title: "An invalid body is answered with a 4xx, best a 400",
  level: "MUST",
  verifies: ["errors.kind.bad-request", "rfc9110.status-classes", "rfc8259.grammar"],
  cases(target): MutationCase[] {
    // Some of these may well be accepted, and a run allows itself few writes.
    const open = WRITES.filter((id) => target.operations[id]).slice(-1);
    return [
      ...casesOn(WRITES, [invalidBody]).map((testCase) => ({
        ...testCase,
        needs: [`operations.${testCase.operation}.invalidBody`] as const,
      })),
      ...casesOn(WRITES, [notJson]).map((testCase) => ({
        ...testCase,
        level: "SHOULD" as const,
        inapplicable: whyNoJson(target, testCase.operation),
      })),
      ...casesOn(open, openBodies),
    ];
  },
  async probe(probe, { mutation, level }): Promise<Finding> {
    if (level === "OBSERVE") return probe.rejects(mutation);
    const { reply, evidence } = await probe.attempt(mutation);
    const actual = describeReply(reply);
    switch (reception(reply)) {
      case "rejected":
        return { kind: "pass", reason: actual, evidence };
      case "unclear":
        return { kind: "inconclusive", reason: actual, evidence };
      default:
        return { kind: "fail", expected: phrase`a 4xx, best 400`, actual, evidence };
    }
  },
});

function whyNoJson({ operations }: Target, operation: OperationId): string | undefined {
  const { contentType = "application/json" } = operations[operation] ?? {};
  return /json/i.test(contentType) ? undefined : `${operation} takes ${contentType}`;
}
