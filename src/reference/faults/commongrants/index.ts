import type { Fault, Faults } from "../fault.ts";
import { ENVELOPE_FAULTS } from "./envelope.ts";
import { FILTER_FAULTS } from "./filters.ts";
import { LEDGER_FAULTS } from "./ledger.ts";
import { MERGING_FAULTS } from "./merging.ts";
import { ODD_PATCH_FAULTS } from "./odd-patches.ts";
import { PROVENANCE_FAULTS } from "./provenance.ts";
import { REVISION_FAULTS } from "./revisions.ts";
import { SUBMISSION_FAULTS } from "./submissions.ts";
import { TOKEN_FAULTS } from "./tokens.ts";

/** Every fault of the published protocol, which the rules of the pack see and the core leaves open. */
export const COMMONGRANTS_FAULTS: readonly Fault[] = [
  ENVELOPE_FAULTS,
  MERGING_FAULTS,
  ODD_PATCH_FAULTS,
  REVISION_FAULTS,
  SUBMISSION_FAULTS,
  LEDGER_FAULTS,
  PROVENANCE_FAULTS,
  FILTER_FAULTS,
  TOKEN_FAULTS,
].flatMap((faults: Faults) => Object.entries(faults).map(([name, fault]) => ({ name, ...fault })));
