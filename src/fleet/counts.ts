import type { Verdict } from "../engine/events.ts";
import { counted } from "../lib/counted.ts";
import type { FleetRun } from "./fleet-file.ts";

/** What may come of a run, the worst first. */
export const RESULTS: readonly Result[] = [
  "unfinished",
  "error",
  "non-conformant",
  "incomplete",
  "partial",
  "conformant",
];

/** A verdict, that there is none, or that the run has not come to its end. */
export type Result = Verdict | "error" | "unfinished";

/** What came of a run. */
export function resultKind({ verdict, error }: Pick<FleetRun, "verdict" | "error">): Result {
  return verdict ?? (error === undefined ? "unfinished" : "error");
}

/** `20 runs: 2 error, 3 non-conformant, 15 conformant`. */
export function countsText(runs: readonly Pick<FleetRun, "verdict" | "error">[]): string {
  const kinds = runs.map(resultKind);
  const parts = RESULTS.flatMap((result) => {
    const count = kinds.filter((kind) => kind === result).length;
    return count > 0 ? [`${count} ${result}`] : [];
  });
  return `${counted(runs.length, "run")}: ${parts.join(", ") || "none"}`;
}
