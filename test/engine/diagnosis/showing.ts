import {
  type KnownFaults,
  partsOf,
  readKnownFaults,
  type Signature,
} from "../../../src/engine/conclusion/signatures.ts";
import type { CaseResult, Diagnosis } from "../../../src/engine/events.ts";
import { phrase } from "../../../src/probe/phrase.ts";

export const KNOWN: KnownFaults = readKnownFaults();
export const known = (): KnownFaults => KNOWN;

export function signature(fault: string): Signature {
  const found = KNOWN.signatures.find((one) => one.fault === fault);
  if (!found) throw new Error(`${fault} has no signature`);
  return found;
}

export function stated({ fail = [], warn = [] }: Signature): string[] {
  return [...fail, ...warn];
}

/** The results of a receiver with these faults, of different rules, as their signatures state them. */
export function showing(...faults: readonly Signature[]): CaseResult[] {
  return faults.flatMap((fault) => {
    const { rule, fail = [], saw = [""] } = fault;
    const ofRule = KNOWN.signatures.filter((one) => one.rule === rule);
    const own = stated(fault);
    const all = new Set([...ofRule.flatMap(stated), ...(KNOWN.held[rule] ?? [])]);
    return [...all].map((id): CaseResult => {
      const outcome = fail.includes(id) ? "fail" : own.includes(id) ? "warn" : "pass";
      return {
        id: `${rule}/${id}`,
        rule,
        operation: partsOf(id).operation,
        level: "MUST",
        outcome,
        actual: outcome === "pass" ? undefined : phrase`${saw[own.indexOf(id) % saw.length]}`,
      };
    });
  });
}

export function names(diagnoses: readonly Diagnosis[]): string[] {
  return diagnoses.map(({ fault }) => fault);
}

export function changed(
  results: readonly CaseResult[],
  mutation: (result: CaseResult) => Partial<CaseResult> | undefined,
): CaseResult[] {
  return results.map((result) => ({ ...result, ...mutation(result) }));
}

/** Whether ids are those of all failures of a fault. */
export function isAllOf({ rule, fail = [] }: Signature): (ids: readonly string[]) => boolean {
  const all = fail.map((id) => `${rule}/${id}`);
  return (ids) => ids.length === all.length && all.every((id) => ids.includes(id));
}

/** Failures that no known fault has. */
export function unheardOf(many: number): CaseResult[] {
  return Array.from({ length: many }, (_, at): CaseResult => ({
    id: `receiver.audience/unheard-of-${at}@viewOrganization`,
    rule: "receiver.audience",
    operation: "viewOrganization",
    level: "MUST",
    outcome: "fail",
  }));
}

/** The fault of which most tests show the failures. */
export const prefix: Signature = signature("audience-by-prefix");
