import { OPERATIONS } from "../../contract/operations.ts";
import type { Report, ReportFact } from "../report.ts";

/** A line between accepted and refused requests as a sentence without its full stop. */
export function factText({ operation, accepts, refuses }: ReportFact): string {
  const who = operation
    ? `${OPERATIONS[operation].method} ${OPERATIONS[operation].path}`
    : "The deployment";
  return `${who} accepts ${accepts}, and refuses ${refuses}`;
}

/** What the run shows by itself of what a rule's violations are about, one sentence each. */
export function factTexts({ facts = [] }: Pick<Report, "facts">, rule: string): string[] {
  return facts.filter((one) => one.rule === rule).map((one) => `${factText(one)}.`);
}
