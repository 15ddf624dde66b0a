import type { Report } from "../report.ts";

/** Names the failed rules that no known fault fits; `undefined` when there are none. */
export function unexplained({ rules, diagnoses }: Report): string | undefined {
  const explained = new Set(diagnoses.map(({ rule }) => rule));
  const failed = rules.filter(({ outcome }) => outcome === "fail").map(({ id }) => id);
  const left = failed.filter((id) => !explained.has(id));
  if (left.length === 0) return undefined;
  return `No known fault fits the failures of ${left.join(", ")}.`;
}
