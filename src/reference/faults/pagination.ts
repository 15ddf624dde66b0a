import type { Fault } from "./fault.ts";
import { INFO_FAULTS } from "./pagination-info.ts";
import { ITEM_FAULTS } from "./pagination-items.ts";
import { BODY_FAULTS, PARAMETER_FAULTS } from "./pagination-parameters.ts";

/** Faults of paginated collections, and of a submission that is paginated. */
export const PAGINATION_FAULTS: readonly Fault[] = [
  ...INFO_FAULTS,
  ...PARAMETER_FAULTS,
  ...ITEM_FAULTS,
  ...BODY_FAULTS,
];
