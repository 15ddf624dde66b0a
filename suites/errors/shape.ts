import { type OperationId, OPERATIONS } from "../../src/contract/operations.ts";
import type { Mutation } from "../../src/mutations/mutation.ts";
import {
  custom,
  type MutationCase,
  oneReadOneWrite,
  ORGANIZATION_OPERATIONS,
} from "../../src/probe/cases.ts";
import type { Finding } from "../../src/probe/finding.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { defineRule, type Rule, type RuleCase } from "../../src/probe/rule.ts";
import type { Facts } from "../../src/profile/facts.ts";
import { noBody } from "../shared/mutations/requests.ts";
import { onRecordedErrors } from "../shared/recorded-errors.ts";
import {
  ASKING,
  frontReads,
  frontWrite,
  judgeAsked,
  judgeProvoked,
  observeProvoked,
} from "./asking/asked-errors.ts";
import { onOddRequests } from "./asking/judge-odd.ts";

const READS: readonly OperationId[] = ["viewOrganization", "readChangesFeed"];
const WRITES: readonly OperationId[] = ["editOrganization", "submitChange"];

export const rule: Rule = defineRule({
  id: "errors.shape",
  title: "Every 4xx and 5xx has an Error body",
  level: "MUST",
  verifies: [
    "errors.body",
    "service.common-error",
    "models.error.returned",
    "models.error.status",
    "models.error.message",
    "models.error.errors",
    "models.submission-error.fields",
    "endpoints.error-body",
    "errors.kinds",
    "errors.policy-forbids",
    "rfc8259.grammar",
    "rfc8259.utf8",
    "rfc8259.byte-order-mark",
  ],
  phase: "record",
  cases: (facts) => [
    ...onRecordedErrors({
      expected: "a JSON object with status (integer), message (string) and errors (array)",
      problem: ({ problems }) => (problems.length > 0 ? problems.join("; ") : undefined),
    }),
    ...oneReadOneWrite(facts, ORGANIZATION_OPERATIONS).flatMap((operation) =>
      ASKING.map((asking): RuleCase => ({
        id: `${asking.name}@${operation}`,
        title: `every 4xx and 5xx has an Error body, even if ${asking.what}`,
        operation,
        level: asking.level,
        // What lacks the body with the usual Accept says nothing about another one.
        dependsOn: [`errors.shape/${operation}`],
        ...(OPERATIONS[operation].writes ? { sends: 2, writes: "beside" } : { sends: 3 }),
        judge: (probe) => judgeAsked(probe, operation, asking),
      })),
    ),
    ...onOddRequests("errors.shape", facts, {
      expected: "a 4xx or 5xx has an Error body",
      problem: ({ problems }) => (problems.length > 0 ? problems.join("; ") : undefined),
    }),
    ...custom(WRITES, [noBody], (probe) => judgeProvoked(probe, noBody, true)),
    ...fromTheFront(firstOffered(facts, READS), frontReads),
    // Without credentials it must be rejected.
    ...fromTheFront(firstOffered(facts, WRITES), [frontWrite], { writes: "beside" }),
  ],
});

function fromTheFront(
  operations: readonly OperationId[],
  mutations: readonly Mutation[],
  more: Pick<RuleCase, "writes"> = {},
): RuleCase[] {
  return custom(operations, mutations, judgeFront, more);
}

function judgeFront(probe: Probe, { mutation }: MutationCase): Promise<Finding> {
  return mutation.level === "OBSERVE"
    ? observeProvoked(probe, mutation)
    : judgeProvoked(probe, mutation, false);
}

function firstOffered(facts: Facts, among: readonly OperationId[]): OperationId[] {
  return among.filter((id) => facts.operations[id]).slice(0, 1);
}
