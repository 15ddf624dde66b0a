import type { Finding } from "../probe/finding.ts";
import type { PlannedCase } from "./plan.ts";

/** A case that has ended: what it found, and how it ran. */
export interface Ran {
  readonly planned: PlannedCase;
  readonly finding: Finding;
  /** The controls that the finding rests on. Default: none. */
  readonly used?: ReadonlySet<unknown>;
  /** Two tries of the case had different outcomes. Default: false. */
  readonly flaky?: boolean;
  /** Milliseconds that it has waited for time to pass. Default: none. */
  readonly waitedMs?: number | undefined;
  /** The rule whose failure is blamed, where the case itself found that out. */
  readonly blamedOn?: string;
}
