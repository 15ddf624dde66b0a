import { OPERATION_IDS, OPERATIONS, type OperationId } from "../../src/contract/operations.ts";
import type { Mutation } from "../../src/mutations/mutation.ts";
import { casesOn, oneReadOneWrite, ORGANIZATION_OPERATIONS } from "../../src/probe/cases.ts";
import type { RuleCase } from "../../src/probe/rule-case.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import type { Target } from "../../src/profile/target.ts";
import { noBody } from "../shared/mutations/requests.ts";
import { judgeRecordedErrors } from "../shared/recorded-errors.ts";
import { judgeAsked, judgeProvoked, observeProvoked } from "./asking/asked-errors.ts";
import { type Asking, ASKING, frontReads, frontWrite } from "./asking/error-asking.ts";

interface ShapeCase extends RuleCase {
  readonly operation: OperationId;
  /** How errors are requested; absent: as usual. */
  readonly asking?: Asking;
  /** The mutation to send; absent where other rules send what is needed. */
  readonly mutation?: Mutation;
}

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
  cases: (target): ShapeCase[] => [
    ...OPERATION_IDS.map((operation) => ({ id: operation, operation })),
    ...oneReadOneWrite(target, ORGANIZATION_OPERATIONS).flatMap((operation) =>
      ASKING.map((asking): ShapeCase => ({
        id: `${asking.name}@${operation}`,
        title: `every 4xx and 5xx has an Error body, even if ${asking.what}`,
        operation,
        level: asking.level,
        asking,
        sends: OPERATIONS[operation].writes ? 2 : 3,
        beside: true,
      })),
    ),
    ...casesOn(WRITES, [noBody]),
    ...casesOn(firstOffered(target, READS), frontReads),
    // Without credentials it must be rejected.
    ...casesOn(firstOffered(target, WRITES), [frontWrite]).map((one) => ({
      ...one,
      beside: true,
    })),
  ],
  probe(probe, { operation, asking, mutation, level }) {
    if (asking) return judgeAsked(probe, operation, asking);
    if (mutation && level === "OBSERVE") return observeProvoked(probe, mutation);
    if (mutation) return judgeProvoked(probe, mutation, mutation === noBody);
    return judgeRecordedErrors(probe, operation, {
      expected: "a JSON object with status (integer), message (string) and errors (array)",
      problem: ({ problems }) => (problems.length > 0 ? problems.join("; ") : undefined),
    });
  },
});

function firstOffered(target: Target, among: readonly OperationId[]): OperationId[] {
  return among.filter((id) => target.operations[id]).slice(0, 1);
}
