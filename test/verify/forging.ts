import { expect, it } from "vitest";

import { LEVELS } from "../../src/contract/levels.ts";
import { OUTCOMES } from "../../src/engine/events.ts";
import { worst } from "../../src/engine/judge.ts";
import type { Exchange } from "../../src/http/exchange.ts";
import type { Report, ReportCase } from "../../src/report/report.ts";
import { verifyReport } from "../../src/verify/verify.ts";
import { RULES } from "../../suites/index.ts";
import { genuine, told } from "./reports.ts";

/** The same, whose members may be changed. */
export type Mutable<T> = T extends readonly (infer Item)[]
  ? Mutable<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Mutable<T[Key]> }
    : T;

export type Forged = Mutable<Report>;

export type ForgedCase = Mutable<ReportCase>;

export const AUDIENCE = "receiver.audience/other@viewOrganization";
export const SHAPE = "errors.shape/viewOrganization";
export const EXPIRED = "receiver.expiry/hour-ago@viewOrganization";
export const ISSUER = "receiver.issuer/untrusted@viewOrganization";
/** It sends several requests, one of which cases share. */
export const UNUSUAL = "receiver.issuer/untrusted-unusual@viewOrganization";
/** Few cases: each forgery is looked for in the whole report. */
export const SELECTED: readonly string[] = [
  "receiver.token-required/{missing,query}@viewOrganization",
  "receiver.audience/{other,wildcard}@{view,edit}Organization",
  "errors.shape/viewOrganization",
  "errors.not-found",
];

/** Another issuer, another audience, the origin of another server. */
export const OTHER = "https://other.example";

/** Returns a value that the test needs, or throws. */
export function there<T>(value: T | undefined): T {
  if (value === undefined) throw new TypeError("it is not there");
  return value;
}

export function caseOf(report: Forged, id: string): ForgedCase {
  return there(report.rules.flatMap((rule) => rule.cases).find((one) => one.id === id));
}

/** The first exchange of a sender whose name begins like this. */
export function sentBy(
  exchanges: Forged["exchanges"],
  beginning: string,
): Forged["exchanges"][string] {
  return there(Object.values(exchanges).find(({ caseId }) => caseId.startsWith(beginning)));
}

export function ruleOf(report: Forged, id: string): Forged["rules"][number] {
  return there(report.rules.find((rule) => rule.id === id));
}

export function evidenceOf(report: Forged, id: string): NonNullable<ForgedCase["evidence"]> {
  return there(caseOf(report, id).evidence);
}

export function exchangeOf(
  report: Forged,
  id: string,
  kind: "probes" | "controls",
  at = 0,
): Forged["exchanges"][string] {
  return there(report.exchanges[there(evidenceOf(report, id)[kind]?.[at])]);
}

export function responseOf(
  ...named: Parameters<typeof exchangeOf>
): Mutable<NonNullable<Exchange["response"]>> {
  return there(exchangeOf(...named).response);
}

export function requestOf(...named: Parameters<typeof exchangeOf>): Mutable<Exchange["request"]> {
  return exchangeOf(...named).request;
}

/** The claims of a request's token. */
export function claimsOf({ token }: Mutable<Exchange["request"]>): Record<string, unknown> {
  return there(token?.claims);
}

/** Replaces a header field of a request, or removes it. */
export function setHeader(
  request: Mutable<Exchange["request"]>,
  name: string,
  value?: string,
): void {
  request.headers = request.headers.flatMap((one) =>
    one[0] !== name ? [one] : value === undefined ? [] : [[name, value]],
  );
}

/** Corrects every total, as a careful forger does. */
export function addUp(report: Forged): void {
  const cases = report.rules.flatMap((rule) => rule.cases);
  for (const rule of report.rules) rule.outcome = worst(rule.cases.map((one) => one.outcome));
  for (const level of LEVELS) {
    for (const outcome of OUTCOMES) {
      report.counts[level][outcome] = cases.filter(
        (one) => one.level === level && one.outcome === outcome,
      ).length;
    }
  }
}

/** Turns a failure into a pass, with all its members. */
export function pass(one: ForgedCase): void {
  one.outcome = "pass";
  for (const name of ["reason", "expected", "actual", "facts", "flaky", "blamedOn"] as const) {
    delete one[name];
  }
}

/** The rules of the reports that are forged: a plan of all of them would be made again for each forgery. */
export const SOME_RULES: typeof RULES = RULES.filter(({ id }) =>
  /^(?:routes|errors)\.|^receiver\.(?:token-required|audience|issuer|expiry|rotation|scope-sufficient)$|^pagination\.(?:results-info|partition)$|^authorization-server\./.test(
    id,
  ),
);

export async function found(report: Report, forge: (forged: Forged) => unknown): Promise<string[]> {
  const forged = structuredClone(report) as unknown as Forged;
  forge(forged);
  const verification = await verifyReport(forged as unknown as Report, SOME_RULES);
  expect(verification.consistent).toBe(verification.discrepancies.length === 0);
  return told(verification);
}

/** Changes a report. */
export type Forge = (forged: Forged) => unknown;
export type ForgedRequest = ReturnType<typeof requestOf>;

/** Changes the control, or the probe, of a case; default: the one about another audience. */
export const control =
  (change: (one: ForgedRequest) => unknown, id: string = AUDIENCE): Forge =>
  (forged) =>
    change(requestOf(forged, id, "controls"));
export const probe =
  (change: (one: ForgedRequest) => unknown, id: string = AUDIENCE): Forge =>
  (forged) =>
    change(requestOf(forged, id, "probes"));

/** Changes a claim of the control, or of the probe. */
export const controlClaim = (name: string, value: unknown): Forge =>
  control((one) => (claimsOf(one)[name] = value));
export const probeClaim = (name: string, value: unknown): Forge =>
  probe((one) => (claimsOf(one)[name] = value));

/** A case with another outcome, with its evidence. */
export const changed =
  (id: string, members: Partial<ForgedCase>): Forge =>
  (forged) => {
    pass(caseOf(forged, id));
    Object.assign(caseOf(forged, id), members);
  };

/** A case without result and evidence, and without the controls that nothing else names. */
export function emptied(forged: Forged, one: ForgedCase, members: Partial<ForgedCase>): void {
  pass(one);
  delete one.evidence;
  Object.assign(one, members);
  const named = new Set(
    forged.rules.flatMap(({ cases }) =>
      cases.flatMap(({ evidence }) => [...(evidence?.probes ?? []), ...(evidence?.controls ?? [])]),
    ),
  );
  for (const [id, { caseId }] of Object.entries(forged.exchanges))
    if (caseId.startsWith("control/") && !named.has(id)) delete forged.exchanges[id];
}

export const NOT_OFFERED = {
  outcome: "not-applicable",
  reason: "the deployment has no such thing",
} as const;

/** Where a forgery is found, as a pattern of the line, and how it is made. */
type Forgery = readonly [where: RegExp, forge: Forge];

/** Each forgery is detected at its place, though the forger corrects all totals. */
export function detects(
  what: string,
  report: () => Report,
  forgeries: Readonly<Record<string, Forgery>>,
): void {
  it.each(Object.entries(forgeries))(`${what} is detected: %s`, async (_, [where, forge]) => {
    const lines = await found(report(), (forged) => {
      forge(forged);
      addUp(forged);
    });
    expect(lines.join("\n")).toMatch(where);
  });
}

/** The report of a run that passed, in which few cases were selected. */
export function goodReport(): Promise<Report> {
  return genuine(
    {},
    {
      rules: SOME_RULES,
      patterns: [...SELECTED, ISSUER, UNUSUAL, EXPIRED, "receiver.rotation"],
    },
  );
}

/** Changes the case about another audience. */
export const audience =
  (change: (one: ForgedCase) => unknown): Forge =>
  (forged) =>
    change(caseOf(forged, AUDIENCE));

/** The difference between the probe and its control in what the case is about. */
export function differenceOf(forged: Forged, id: string = AUDIENCE): object {
  return there(evidenceOf(forged, id).differences?.[0]);
}
