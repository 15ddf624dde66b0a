import { reportFrom } from "../../../src/report/json.ts";
import { behaviour, isWhole, whatIs } from "../../../src/report/text/diagnosis.ts";
import { shownTexts } from "../../../src/report/text/facts.ts";
import type { Ran } from "../../support/run-against.ts";
import type { Plant } from "./plant.ts";

export interface Explanation {
  readonly text: string;
  /** Without the reservations, whose names of cases would be taken for words. */
  readonly statements: string;
  /** Whether a fault is named that is said to explain everything. */
  readonly isWhole: boolean;
}

export type Class = "right" | "wrong" | "silent";

/** What a run says about the cause of its failures: its diagnoses, and the facts where there are any. */
export function explanationOf({ finished, events }: Pick<Ran, "finished" | "events">): Explanation {
  const lines = shownTexts(reportFrom(events)).map(({ text }) => text.slice(0, -1));
  const named = finished.diagnoses.map((one) => behaviour(one, false));
  const statements = finished.diagnoses.map(
    ({ rule, behaves }) => `${whatIs(rule)} that ${behaves}`,
  );
  return {
    text: joined([...lines, ...named]),
    statements: joined([...lines, ...statements]),
    isWhole: finished.diagnoses.some(isWhole),
  };
}

/** Wrong is also what names a fault without reservation in other words than those of a right explanation. */
export function classOf(
  { statements: text, isWhole: whole }: Explanation,
  { right, wrong }: Plant,
): Class {
  if (text === "") return "silent";
  if (wrong.some((word) => word.test(text))) return "wrong";
  if (right.every((word) => word.test(text))) return "right";
  return whole ? "wrong" : "silent";
}

function joined(lines: readonly string[]): string {
  return [...new Set(lines)].join("; ");
}
