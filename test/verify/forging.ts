import { expect } from "vitest";

import { LEVELS } from "../../src/contract/levels.ts";
import { OUTCOMES } from "../../src/engine/events.ts";
import { worst } from "../../src/engine/judge.ts";
import type { Exchange } from "../../src/http/exchange.ts";
import type { Report, ReportCase } from "../../src/report/report.ts";
import { verifyReport } from "../../src/verify/verify.ts";
import { RULES } from "../../suites/index.ts";
import { told } from "./reports.ts";

/** The same, whose members may be changed. */
export type Mutable<T> = T extends readonly (infer Item)[]
  ? Mutable<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Mutable<T[Key]> }
    : T;

export type Forged = Mutable<Report>;

type ForgedCase = Mutable<ReportCase>;

export const AUDIENCE = "receiver.audience/other@viewOrganization";

/** Returns a value that the test needs, or throws. */
export function there<T>(value: T | undefined): T {
  if (value === undefined) throw new TypeError("it is not there");
  return value;
}

export function caseOf(report: Forged, id: string): ForgedCase {
  return there(report.rules.flatMap((rule) => rule.cases).find((one) => one.id === id));
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
  /^(?:routes|errors)\.|^receiver\.(?:token-required|audience|issuer|expiry|rotation)$|^authorization-server\./.test(
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
