import type { Diagnosis } from "../../engine/events.ts";
import type { Report } from "../report.ts";

/** The behaviour of a deployment with a known fault, as a sentence without its full stop. */
export function behaviour({ rule, behaves }: Diagnosis, another: boolean): string {
  const side = rule.startsWith("authorization-server.") ? "an authorization server" : "a receiver";
  return another ? `Or like one that ${behaves}` : `Behaves like ${side} that ${behaves}`;
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
