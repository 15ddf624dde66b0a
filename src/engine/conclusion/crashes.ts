import type { Crash } from "../../http/persistence/outage.ts";
import type { SetupProblem } from "../events.ts";

/** The most requests that a problem names. There may be one for each operation. */
const MOST_NAMED = 3;

/** The set-up problems where requests brought the deployment down, which come first. */
export function crashProblems(outages: {
  readonly crashes: readonly Crash[];
  readonly isGone: boolean;
}): SetupProblem[] {
  const cases = [...new Set(outages.crashes.map((crash) => crash.caseId))];
  const named = cases.slice(0, MOST_NAMED).join(", ");
  const more = cases.length > MOST_NAMED ? ` and ${cases.length - MOST_NAMED} more` : "";
  return [
    ...(cases.length > 0
      ? [
          {
            problem: `Single requests bring the deployment down: ${named}${more}. Sent alone, each got no answer, and the deployment then refused connections.`,
            remedy:
              "Anybody can send such a request. Look in the deployment's log for an uncaught error, perhaps in the code that finds the key of a token, and answer such a token like any other bad token.",
          },
        ]
      : []),
    ...(outages.isGone
      ? [
          {
            problem:
              "The deployment stopped accepting connections during the run, and did not come back within half a minute.",
            remedy:
              "Start it again, and run the suite again. Where a request can bring it down, have a supervisor restart it.",
          },
        ]
      : []),
  ];
}
