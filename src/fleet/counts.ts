import type { Verdict } from "../engine/events.ts";
import { counted } from "../lib/words.ts";
import type { FleetRun } from "./fleet-file.ts";

/** The possible results of a run, the worst first. */
export const RESULTS: readonly Result[] = [
  "unfinished",
  "error",
  "non-conformant",
  "incomplete",
  "partial",
  "conformant",
];

/** A verdict, an error instead of a verdict, or a run that did not finish. */
export type Result = Verdict | "error" | "unfinished";

/** The result of a run. */
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
