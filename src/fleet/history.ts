import type { Outcome, Verdict } from "../engine/events.ts";
import { isLoopbackHost } from "../lib/uri.ts";
import { type Deployment, type Result, resultKind } from "./deployment.ts";

/**
 * Names the newest run of each deployment in its earlier ones. Reports that were named one by one are about the same
 * deployment if they have the same base URL and the same name in the profile. Without a name, a base URL on this machine
 * says nothing: every job of a CI may have its own deployment there. The runs of one fleet are never about the same
 * deployment, because a fleet has a profile for each.
 * @param alone names of the runs whose reports were named one by one
 */
export function withHistory(
  deployments: readonly Deployment[],
  alone: ReadonlySet<string>,
): Deployment[] {
  const newest = new Map<string, Deployment>();
  const own = deployments.filter(({ run }) => alone.has(run.name));
  for (const one of own.toSorted((a, b) => startOf(a) - startOf(b))) newest.set(keyOf(one), one);
  return deployments.map((one) => {
    const latest = alone.has(one.run.name) ? newest.get(keyOf(one)) : undefined;
    if (latest === undefined || latest === one) return one;
    return { ...one, run: { ...one.run, replacedBy: latest.run.name } };
  });
}

export function current(deployments: readonly Deployment[]): Deployment[] {
  return deployments.filter(({ run }) => run.replacedBy === undefined);
}

function keyOf({ run, seen }: Deployment): string {
  const { baseUrl = "", name = "" } = seen ?? {};
  const isKnown =
    name !== "" || (URL.canParse(baseUrl) && !isLoopbackHost(new URL(baseUrl).hostname));
  return JSON.stringify(isKnown ? [baseUrl, name] : [run.name]);
}

/** Milliseconds since 1970. */
export function startOf({ seen }: Deployment): number {
  return Date.parse(seen?.startedAt ?? "") || 0;
}

export interface Change {
  readonly name: string;
  /** Absent when the deployment was not there. */
  readonly before?: Result | undefined;
  readonly after?: Result | undefined;
  /** Packs in both reports whose verdict changed. */
  readonly packs?: readonly PackChange[] | undefined;
  /** Rules in both reports whose outcome changed. */
  readonly rules: readonly RuleChange[];
}

export interface PackChange {
  readonly title: string;
  readonly before: Verdict;
  readonly after: Verdict;
}

interface RuleChange {
  readonly rule: string;
  readonly before: Outcome;
  readonly after: Outcome;
}

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

export function changesSince(before: readonly Deployment[], after: readonly Deployment[]): Changes {
  const then = new Map(before.map((one) => [one.run.name, one]));
  const now = new Map(after.map((one) => [one.run.name, one]));
  const names = [...new Set([...now.keys(), ...then.keys()])].toSorted();
  const all = names.map((name) => change(name, then.get(name), now.get(name)));
  const changed = all.filter(
    ({ before: was, after: is, packs = [], rules }) =>
      was !== is || packs.length + rules.length > 0,
  );
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
    packs: (now?.run.packs ?? []).flatMap(({ id, title, verdict: after }) => {
      const before = then?.run.packs?.find((pack) => pack.id === id)?.verdict;
      return before === undefined || before === after ? [] : [{ title, before, after }];
    }),
    rules: [...(now?.seen?.outcomes ?? [])].flatMap(([rule, after]) => {
      const before = then?.seen?.outcomes.get(rule);
      return before === undefined || before === after ? [] : [{ rule, before, after }];
    }),
  };
}

function suitesOf(deployments: readonly Deployment[]): string[] {
  return [...new Set(deployments.flatMap(({ seen }) => (seen ? [seen.suite] : [])))].toSorted();
}
