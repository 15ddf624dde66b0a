import { OPERATIONS } from "../../contract/operations.ts";
import type { Report, ReportFact } from "../report.ts";

/** What a run shows by itself, such as a line between accepted and refused requests, as a sentence without its full stop. */
export function factText(fact: ReportFact): string {
  if (fact.says !== undefined) return fact.says;
  const { operation, accepts, refuses } = fact;
  const who = operation
    ? `${OPERATIONS[operation].method} ${OPERATIONS[operation].path}`
    : "The deployment";
  return `${who} accepts ${accepts}, and refuses ${refuses}`;
}

/** What the run shows by itself of what a rule's violations are about, one sentence each. */
export function factTexts({ facts = [] }: Pick<Report, "facts">, rule: string): string[] {
  return facts.filter((one) => one.rule === rule).map((one) => `${factText(one)}.`);
}
