import { type OperationId, OPERATIONS } from "../contract/operations.ts";
import type { Facts } from "../profile/facts.ts";
import type { Change } from "./change.ts";
import { judgedChanges } from "./judged-changes.ts";
import { openChanges } from "./open-changes.ts";
import { type Arbitrary, type Fc, SMALLER } from "./values.ts";

/** A request that is sent before the judged one, and whose answer is not judged. */
export const STEPS = [
  "the good request",
  "the good request of the same second",
  "a token like it with a forged signature",
  "a good request for one organization",
  "a good list",
  "a page of the list",
  "a good request for another organization",
  "a good request of the denied subject",
  "a request without a token",
  "the same request",
  "an edit",
] as const;

export type Step = (typeof STEPS)[number];

/** One case as data: a change that is judged, others that its control carries too, and what is sent before. */
export interface Draw {
  readonly operation: OperationId;
  /** Whether the good token is bound to the organization. */
  readonly bound: boolean;
  readonly judged: Change;
  readonly open: readonly Change[];
  readonly before: readonly Step[];
}

/** The arbitrary of fast-check for one deployment. */
export function drawsFor(fc: Fc, facts: Facts): Arbitrary<Draw> {
  const open = openChanges(fc, facts);
  const steps = STEPS.filter((step) => canTake(step, facts));
  return fc.record({
    operation: fc.constantFrom(...weightedOperations(facts)),
    bound:
      facts.bindingClaim === undefined
        ? fc.constant(false)
        : fc.oneof(fc.constant(true), fc.boolean()),
    judged: judgedChanges(fc, facts),
    open: fc.oneof(
      SMALLER,
      { weight: 5, arbitrary: fc.constant<readonly Change[]>([]) },
      { weight: 4, arbitrary: fc.array(open, { minLength: 1, maxLength: 1 }) },
      { weight: 1, arbitrary: fc.array(open, { minLength: 2, maxLength: 2 }) },
    ),
    before: fc.oneof(
      SMALLER,
      { weight: 8, arbitrary: fc.constant<readonly Step[]>([]) },
      { weight: 1, arbitrary: fc.array(fc.constantFrom(...steps), { minLength: 1, maxLength: 2 }) },
    ),
  });
}

function canTake(step: Step, { writes, operations, denied, organizations }: Facts): boolean {
  switch (step) {
    case "an edit":
      return writes && operations.editOrganization !== undefined;
    case "a good request of the denied subject":
      return denied !== undefined;
    case "a good request for another organization":
      return organizations.other !== undefined;
    default:
      return true;
  }
}

/** The offered operations, the reads more often. */
function weightedOperations({ operations, writes }: Facts): OperationId[] {
  const order: readonly OperationId[] = [
    "viewOrganization",
    "viewOrganization",
    "listOrganizations",
    "readChangesFeed",
    "readChange",
    "viewOrganization",
    "editOrganization",
    "submitChange",
  ];
  return order.filter((id) => operations[id] && (writes || !OPERATIONS[id].writes));
}
