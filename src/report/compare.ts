import type { Outcome } from "../engine/events.ts";
import { countEach } from "../lib/group-by.ts";
import { deploymentText } from "./layout.ts";
import { casesOf } from "./report.ts";
import { type StoredCase, type StoredReport, storedWithPacks } from "./stored.ts";
import { toldApart } from "./text/shapes.ts";

/** A difference between reports: values in their order, null for a report without one. */
export interface Difference {
  readonly id: string;
  readonly title: string;
  readonly values: readonly (string | null)[];
  /** The rule, if the difference is about a case. */
  readonly rule?: string | undefined;
  /** The operation that the case is about, or else the client. */
  readonly subject?: string | undefined;
}

/** A difference in the input of the runs, which may explain differences in the results. */
export interface GivenDifference extends Difference {
  readonly of: "suite" | "profile" | "run" | "seed";
}

export interface Comparison {
  /** Whether all reports are of one deployment, by base URL. */
  readonly sameTarget: boolean;
  readonly runs: readonly {
    readonly file: string;
    readonly baseUrl: string;
    readonly verdict: string;
    /** What each of its packs came to. */
    readonly packs: readonly { readonly title: string; readonly verdict: string }[];
    readonly seed: number;
    readonly startedAt: string;
    readonly counts: Readonly<Partial<Record<Outcome, number>>>;
  }[];
  readonly given: readonly GivenDifference[];
  readonly outcomes: readonly Difference[];
  readonly observations: readonly Difference[];
  readonly equal: {
    /** Number of equal outcomes, of cases that at least two runs judged. */
    readonly outcomes: number;
    readonly observations: number;
  };
}

/**
 * Compares reports by the ids of cases and observations.
 * @param files the names of the reports for the result
 */
export function compareReports(
  files: readonly string[],
  reports: readonly StoredReport[],
): Comparison {
  const cases = reports.map(casesById);
  const outcomes = aligned(cases, ({ id }) => id);
  const observations = aligned(
    reports.map((report) => {
      const all = storedWithPacks(report).flatMap((part) => part.observations);
      return new Map(all.filter(isOpenQuestion).map((one) => [one.id, one]));
    }),
    ({ title }) => title,
  );
  const changed = outcomes.filter(({ found }) => distinct(found, ({ outcome }) => outcome) > 1);
  const unlike = observations.filter(
    ({ id, found }) =>
      distinct(found, (one) => observedValues(one).toSorted().join("\n")) > 1 ||
      (tellsByAbsence(id) && found.includes(undefined)),
  );
  const difference = (
    { id, title }: Aligned<unknown>,
    values: Difference["values"],
  ): Difference => {
    const one = cases.find((map) => map.has(id))?.get(id);
    return { id, title, rule: one?.rule, subject: one?.operation ?? one?.client, values };
  };
  return {
    sameTarget: new Set(reports.map(({ target }) => target.baseUrl)).size === 1,
    runs: reports.map(({ target, verdict, seed, startedAt, rules, packs = [] }, index) => ({
      file: files[index] ?? "",
      baseUrl: target.baseUrl,
      verdict,
      packs: packs.map((pack) => ({ title: pack.title, verdict: pack.verdict })),
      seed,
      startedAt,
      counts: Object.fromEntries(countEach(casesOf({ rules }).map(({ outcome }) => outcome))),
    })),
    given: givenDifferences(reports, cases),
    outcomes: changed.map((one) => difference(one, one.found.map(outcomeText))),
    observations: unlike.map((one) => {
      const seen = one.found.map((each) => (each ? observedValues(each).join("; ") : null));
      return difference(one, toldApart(seen));
    }),
    equal: {
      outcomes: outcomes.filter(inSeveral).length - changed.length,
      observations: observations.filter(inSeveral).length - unlike.filter(inSeveral).length,
    },
  };
}

interface Aligned<T> {
  readonly id: string;
  readonly title: string;
  readonly found: readonly (T | undefined)[];
}

function aligned<T>(maps: readonly Map<string, T>[], titleOf: (one: T) => string): Aligned<T>[] {
  const all = new Map(maps.toReversed().flatMap((map) => [...map]));
  return [...all].map(([id, one]) => ({
    id,
    title: titleOf(one),
    found: maps.map((map) => map.get(id)),
  }));
}

function distinct<T>(found: readonly (T | undefined)[], keyOf: (one: T) => string): number {
  return new Set(found.flatMap((one) => (one === undefined ? [] : [keyOf(one)]))).size;
}

function inSeveral({ found }: Aligned<unknown>): boolean {
  return found.filter((one) => one !== undefined).length > 1;
}

function outcomeText(one: StoredCase | undefined): string | null {
  if (!one) return null;
  return one.flaky ? `${one.outcome}, flaky` : one.outcome;
}

/**
 * Whether the absence of an observation means something. Observations of a case are absent when the case
 * was not tried; those of all answers are absent when no answer had the feature.
 */
export function tellsByAbsence(id: string): boolean {
  return !id.includes("/");
}

/** What the run left behind depends on the run, not on what the deployment does where the contract is silent. */
export function isOpenQuestion({ id }: StoredReport["observations"][number]): boolean {
  return id !== "resources.edit/left-behind";
}

/** The values that were seen, without counts, which depend on the requests that were sent. */
export function observedValues({ value, facts }: StoredReport["observations"][number]): string[] {
  const tally = facts?.find(({ kind }) => kind === "tally");
  return tally?.counts?.map(([one]) => one) ?? [value];
}

type CaseOfRule = StoredCase & { readonly rule: string };

/** The cases of the contract and of all packs. */
function casesById(report: StoredReport): Map<string, CaseOfRule> {
  const rules = storedWithPacks(report).flatMap((part) => part.rules);
  return new Map(
    rules.flatMap((rule) => rule.cases.map((one) => [one.id, { ...one, rule: rule.id }])),
  );
}

function givenDifferences(
  reports: readonly StoredReport[],
  cases: readonly Map<string, StoredCase>[],
): GivenDifference[] {
  const shared = [...(cases[0]?.keys() ?? [])].filter((id) => cases.every((map) => map.has(id)));
  const planned = (map: Map<string, StoredCase>): string => {
    const more = map.size - shared.length;
    return `${map.size}${more > 0 ? `, ${more} not in every run` : ""}`;
  };
  const missing = (map: Map<string, StoredCase>): string =>
    [...new Set(shared.flatMap((id) => map.get(id)?.missing ?? []))].toSorted().join(", ") ||
    "none";
  const row = (
    of: GivenDifference["of"],
    title: string,
    valueOf: (report: StoredReport) => string | number | boolean | undefined,
  ): GivenDifference => ({
    of,
    id: `${of}.${title.replaceAll(" ", "-")}`,
    title,
    values: reports.map((report) => {
      const value = valueOf(report);
      return value === undefined ? null : String(value);
    }),
  });
  const suites = new Set(reports.map(({ suite }) => `${suite.version} ${suite.requirements}`)).size;
  return [
    row("suite", "suite version", ({ suite }) => suite.version),
    row("suite", "rule set", ({ suite }) => suite.requirements),
    row("run", "packs", ({ packs = [] }) => packs.map(({ title }) => title).join(", ") || "none"),
    row("profile", "deployment", ({ target }) => deploymentText(target.deployment) || undefined),
    row("profile", "audience", ({ target }) => target.audience),
    row("profile", "issuer", ({ target }) => target.issuer),
    row("profile", "algorithm", ({ target }) => target.algorithm),
    row("profile", "read-only", ({ target }) => target.readOnly),
    row("profile", "digest of the rest", ({ target }) => target.profile),
    row("profile", "missing keys", (report) => missing(casesById(report))),
    row(suites > 1 ? "suite" : "profile", "cases", (report) => planned(casesById(report))),
    row("run", "left out", ({ partialBecause }) => partialBecause?.join("; ") || "nothing"),
    row("run", "interrupted", ({ interrupted }) => interrupted),
    row("seed", "seed", ({ seed }) => seed),
  ].filter(({ values }) => new Set(values).size > 1);
}
