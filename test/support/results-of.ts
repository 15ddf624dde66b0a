import type { RunEvent } from "../../src/engine/events.ts";
import { worded, type WordedResult } from "./worded.ts";

/** The results in a run's events, in the order of the plan, with their phrases in words. The last one of a case counts. */
export function resultsOf(events: readonly RunEvent[]): WordedResult[] {
  const order = events.flatMap((event) => (event.type === "run-planned" ? event.caseIds : []));
  const judged = new Map(
    events.flatMap((event) =>
      event.type === "case-judged" ? [[event.result.id, event.result] as const] : [],
    ),
  );
  return order.flatMap((id) => worded(judged.get(id)) ?? []);
}
