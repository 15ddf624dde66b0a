import type { Diagnosis } from "../../engine/events.ts";
import type { Report } from "../report.ts";

/**
 * The behaviour of a receiver with a known fault, as a sentence without its full stop. Diagnoses know faults of
 * receivers only.
 */
export function behaviour({ behaves }: Diagnosis, another: boolean): string {
  return another ? `Or like one that ${behaves}` : `Behaves like a receiver that ${behaves}`;
}

/**
 * The known faults that the failures of a rule resemble, one text each. For a rule that failed without one,
 * a text that says so.
 */
export function diagnosisTexts({ rules, diagnoses }: Report, rule: string): string[] {
  const found = diagnoses.filter((one) => one.rule === rule);
  if (found.length > 0) {
    return found.map((one, index) => {
      const source = one.source === undefined ? "" : ` ${one.source}`;
      return `${behaviour(one, index > 0)} (${one.fault}). ${one.look}${source}`;
    });
  }
  const failed = rules.some(({ id, outcome }) => id === rule && outcome === "fail");
  return failed ? ["No known fault fits these failures."] : [];
}
