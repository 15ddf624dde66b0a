import type { Outcome } from "../engine/events.ts";
import { type Result, resultKind } from "./counts.ts";
import type { Deployment } from "./deployment.ts";

/** What changed of a deployment since another time. */
export interface Change {
  readonly name: string;
  /** Absent where it was not there. */
  readonly before?: Result | undefined;
  readonly after?: Result | undefined;
  /** Rules that both reports have, with another outcome. */
  readonly rules: readonly RuleChange[];
}

export interface RuleChange {
  readonly rule: string;
  readonly before: Outcome;
  readonly after: Outcome;
}

/** What changed of a fleet. */
export interface Changes {
  /** By name; those of which nothing changed are left out. */
  readonly changed: readonly Change[];
  /** How many were there both times and are as they were. */
  readonly same: number;
  /** Versions of the suite and its rule sets, where they are others than then. */
  readonly suites?:
    | { readonly before: readonly string[]; readonly after: readonly string[] }
    | undefined;
}

/** What changed between two times, by the names of the runs. */
export function changesSince(before: readonly Deployment[], after: readonly Deployment[]): Changes {
  const then = new Map(before.map((one) => [one.run.name, one]));
  const now = new Map(after.map((one) => [one.run.name, one]));
  const names = [...new Set([...now.keys(), ...then.keys()])].toSorted();
  const all = names.map((name) => change(name, then.get(name), now.get(name)));
  const changed = all.filter((one) => one.before !== one.after || one.rules.length > 0);
  const suites = { before: suitesOf(before), after: suitesOf(after) };
  return {
    changed,
    same: all.length - changed.length,
    ...(suites.before.join("\n") !== suites.after.join("\n") && { suites }),
  };
}

function change(name: string, then: Deployment | undefined, now: Deployment | undefined): Change {
  return {
    name,
    before: then && resultKind(then.run),
    after: now && resultKind(now.run),
    rules: [...(now?.seen?.outcomes ?? [])].flatMap(([rule, after]) => {
      const before = then?.seen?.outcomes.get(rule);
      return before === undefined || before === after ? [] : [{ rule, before, after }];
    }),
  };
}

function suitesOf(deployments: readonly Deployment[]): string[] {
  return [...new Set(deployments.flatMap(({ seen }) => (seen ? [seen.suite] : [])))].toSorted();
}
