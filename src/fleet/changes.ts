import type { Outcome } from "../engine/events.ts";
import { type Result, resultKind } from "./counts.ts";
import type { Deployment } from "./deployment.ts";

/** A change of a deployment since an earlier time. */
export interface Change {
  readonly name: string;
  /** Absent when the deployment was not there. */
  readonly before?: Result | undefined;
  readonly after?: Result | undefined;
  /** Rules in both reports whose outcome changed. */
  readonly rules: readonly RuleChange[];
}

export interface RuleChange {
  readonly rule: string;
  readonly before: Outcome;
  readonly after: Outcome;
}

/** The changes of a fleet. */
export interface Changes {
  /** By name, without deployments that did not change. */
  readonly changed: readonly Change[];
  /** Number of deployments that were there both times and did not change. */
  readonly same: number;
  /** The versions of the suite and its rule sets, if they changed. */
  readonly suites?:
    | { readonly before: readonly string[]; readonly after: readonly string[] }
    | undefined;
}

/** Compares two times by the names of the runs. */
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
