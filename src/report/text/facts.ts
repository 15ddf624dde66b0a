import { OPERATIONS } from "../../contract/operations.ts";
import type { Report, ReportLine } from "../report.ts";

/** What a run shows by itself of what a rule's violations are about. */
export interface Shown {
  readonly rule: string;
  /** A sentence with its full stop. */
  readonly text: string;
}

/** What the run shows by itself: lines between accepted and refused requests, and what answers show together. */
export function shownTexts({
  facts = [],
  statements = [],
}: Pick<Report, "facts" | "statements">): Shown[] {
  return [
    ...facts.map((one) => ({ rule: one.rule, text: `${lineText(one)}.` })),
    ...statements.map(({ rule, says }) => ({ rule, text: `${says}.` })),
  ];
}

/** What the run shows by itself of one rule. */
export function factTexts(report: Pick<Report, "facts" | "statements">, rule: string): string[] {
  return shownTexts(report).flatMap((one) => (one.rule === rule ? [one.text] : []));
}

function lineText({ operation, accepts, refuses }: ReportLine): string {
  const who = operation
    ? `${OPERATIONS[operation].method} ${OPERATIONS[operation].path}`
    : "The deployment";
  return `${who} accepts ${accepts}, and refuses ${refuses}`;
}
