import type { OperationId } from "../../src/contract/operations.ts";
import { custom, type MutationCase, rejects } from "../../src/probe/cases.ts";
import { Finding } from "../../src/probe/finding.ts";
import { invalidBody, otherJson, respelledJson } from "../../src/probe/openapi/invalid-body.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule, type RuleCase } from "../../src/probe/rule.ts";
import type { Facts } from "../../src/profile/facts.ts";
import { notJson, openBodies } from "../shared/mutations/requests.ts";

const WRITES: readonly OperationId[] = ["editOrganization", "submitChange"];

export const rule: Rule = defineRule({
  id: "errors.bad-request",
  title: "An invalid body is answered with a 4xx, preferably 400",
  level: "MUST",
  verifies: ["errors.kind.bad-request", "rfc9110.status-classes", "rfc8259.grammar"],
  cases(facts): RuleCase[] {
    // Some of these may be accepted, and the writes of a run are limited.
    const open = WRITES.filter((id) => facts.operations[id]).slice(-1);
    return [
      ...custom(WRITES, [invalidBody], judge, { writes: "beside" }).map(withInvalidBody),
      ...custom(WRITES, respelledJson, judge, {
        writes: "beside",
        dependsOn: ["errors.bad-request/invalid-body"],
        grounds: {
          why: "the spelling of a media type does not change what it names",
          source: "contract, Errors; RFC 9110 §8.3.1",
        },
      }).map((testCase) => ({
        ...withInvalidBody(testCase),
        // A receiver that takes another media type, such as a vendor's, may do with application/json what it likes.
        inapplicable: unlessTaken(facts, testCase.operation, /^application\/json\s*(?:;|$)/i),
      })),
      ...custom(WRITES, [notJson], judge, { level: "SHOULD", writes: "beside" }).map(
        (testCase) => ({
          ...testCase,
          inapplicable: unlessTaken(facts, testCase.operation, /json/i),
        }),
      ),
      ...rejects(open, openBodies),
      ...rejects(open, otherJson).map(withInvalidBody),
    ];
  },
});

async function judge(probe: Probe, { mutation }: MutationCase): Promise<Finding> {
  const { reply, evidence } = await probe.attempt(mutation);
  const actual = describeReply(reply);
  switch (reception(reply)) {
    case "rejected":
      return Finding.pass(evidence, actual);
    case "unclear":
      return Finding.inconclusive(actual, evidence);
    default:
      return { kind: "fail", expected: phrase`a 4xx, preferably 400`, actual, evidence };
  }
}

function withInvalidBody<C extends MutationCase>(testCase: C): C {
  return { ...testCase, needs: [`operations.${testCase.operation}.invalidBody`] };
}

/** Why a case about a media type does not apply to an operation that takes another one. */
function unlessTaken(
  { operations }: Facts,
  operation: OperationId,
  type: RegExp,
): string | undefined {
  const { contentType = "application/json" } = operations[operation] ?? {};
  return type.test(contentType) ? undefined : `${operation} takes ${contentType}`;
}
