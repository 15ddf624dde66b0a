import type { Crash } from "../http/outage.ts";
import type { SetupProblem } from "./events.ts";

/** Requests that are named; there may be one for each operation. */
const MOST_NAMED = 3;

/** That requests brought the deployment down, which comes before all else that is wrong with it. */
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
            problem: `The deployment goes down at single requests: ${named}${more}. Sent alone, each had no answer, and nobody took a connection afterwards.`,
            remedy:
              "Anybody can send such a request. Look into the deployment's log for an error that nobody catches, in whatever finds the key of a token perhaps, and answer it like any other bad token.",
          },
        ]
      : []),
    ...(outages.isGone
      ? [
          {
            problem:
              "The deployment took no connection any more in the course of the run, and did not come back within half a minute.",
            remedy:
              "Start it again, and run the suite again; have it started again by itself where a request can bring it down.",
          },
        ]
      : []),
  ];
}
