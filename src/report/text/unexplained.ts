import type { Report } from "../report.ts";

/** That no known fault shows the failures of some rules; `undefined` where there is one for each. */
export function unexplained({ rules, diagnoses }: Report): string | undefined {
  const explained = new Set(diagnoses.map(({ rule }) => rule));
  const failed = rules.filter(({ outcome }) => outcome === "fail").map(({ id }) => id);
  const left = failed.filter((id) => !explained.has(id));
  if (left.length === 0) return undefined;
  return `No known fault fits the failures of ${left.join(", ")}.`;
}
