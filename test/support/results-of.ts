import type { RunEvent } from "../../src/engine/events.ts";
import { worded, type WordedResult } from "./worded.ts";

/** The results in a run's events, in the order of the plan, with their phrases in words. */
export function resultsOf(events: readonly RunEvent[]): WordedResult[] {
  const order = events.flatMap((event) => (event.type === "run-planned" ? event.caseIds : []));
  const at = new Map(order.map((id, index) => [id, index]));
  return events
    .flatMap((event) => (event.type === "case-judged" ? [worded(event.result)] : []))
    .toSorted((a, b) => (at.get(a.id) ?? 0) - (at.get(b.id) ?? 0));
}
