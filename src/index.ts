/**
 * The suite as a library: what the command `orgsync-conformance run` is made of.
 *
 * ```ts
 * import { certify, render } from "orgsync-conformance";
 *
 * const report = await certify({ profile: "orgsync.yaml", seed: 1 });
 * console.log(report.verdict, report.verdictText);
 * console.log(render(report, "markdown"));
 * ```
 * @module
 */
import { RULES } from "../suites/index.ts";
import { SuiteError } from "./lib/errors.ts";
import type { Pack } from "./probe/pack.ts";
import type { Probe } from "./probe/probe.ts";
import { defineRule as define, type Rule } from "./probe/rule.ts";
import { wholeReport } from "./report/read-report.ts";
import { type WholeVerification, verifyWithPacks } from "./verify/verify-packs.ts";

export { certify, type CertifyOptions, type ExploreChoices, type RunChoices } from "./certify.ts";
export type { Level } from "./contract/levels.ts";
export type { OperationId } from "./contract/operations.ts";
export type { CaseResult, Outcome, RunEvent, Verdict } from "./engine/events.ts";
export { type ErrorCode, SuiteError } from "./lib/errors.ts";
export type { Exchange, Reply } from "./http/exchange.ts";
export type { Evidence, Finding } from "./probe/finding.ts";
export { type Fact, inWords, type Phrase, phrase, valueFact } from "./probe/phrase.ts";
export type { Probe } from "./probe/probe.ts";
export type { Phase, RuleCase } from "./probe/rule.ts";
export type { Rule } from "./probe/rule.ts";
export type { TargetOptions } from "./profile/resolve.ts";
export type { Surroundings } from "./profile/load.ts";
export type { Facts } from "./profile/facts.ts";
export type { Discrepancy, Verification } from "./verify/verification.ts";
export type { WholeVerification } from "./verify/verify-packs.ts";
export { definePack, type Pack, type PackDefinition } from "./probe/pack.ts";
export type { PackRequirement } from "./contract/requirements.ts";
export { render, type ReportFormat } from "./render.ts";
export type { PackReport, Report, ReportCase, ReportRule } from "./report/report.ts";
export type { Mutation } from "./mutations/mutation.ts";

/** The rules of the suite, each after those that it depends on. */
export const rules: readonly Rule[] = RULES;

/**
 * Judges a report again from what is recorded in it, as the command `verify` does: nothing is sent.
 *
 * ```ts
 * const { consistent, discrepancies } = await verify(JSON.parse(text));
 * ```
 * @param report as `certify` gives it or `report.json` holds it
 * @param options.rules those that it was made with. Default: all of the suite, `rules`
 * @param options.packs your own packs that it was made with, beside those of the suite. Default: none
 * @throws SuiteError when it is no report, or was made by another version of the suite or with other rules
 */
export async function verify(
  report: unknown,
  {
    rules: own = RULES,
    packs = [],
  }: {
    readonly rules?: readonly Rule[] | undefined;
    readonly packs?: readonly (string | Pack)[] | undefined;
  } = {},
): Promise<WholeVerification> {
  // Normalised to JSON as if read from a file, so that undefined members are absent.
  const whole = wholeReport(JSON.parse(JSON.stringify(report)));
  if (typeof whole === "string") throw new SuiteError("ERR_REPORT", `It is not a report: ${whole}`);
  if (whole.packs === undefined) return verifyWithPacks(whole, own, []);
  const { findPacks, PACKS } = await import("../suites/packs.ts");
  return verifyWithPacks(whole, own, [...PACKS, ...findPacks(packs)]);
}

/**
 * Defines a rule of your own, for `certify({ rules: [...rules, mine] })`. It checks the literal, and
 * returns it as it is.
 *
 * What a rule is given to work with, `Probe`, still changes between minor versions.
 * @experimental
 */
export const defineRule: (rule: Rule<Probe>) => Rule = define;
