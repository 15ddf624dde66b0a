import { randomInt } from "node:crypto";

import { RULES } from "../suites/index.ts";
import { authorizationServerSide, type ServerSideOptions } from "./authorization-server/index.ts";
import { withDocument } from "./document/with-document.ts";
import type { RunEvent, TargetNote } from "./engine/events.ts";
import { divideSelection } from "./engine/plan.ts";
import { runOpen, type RunOptions } from "./engine/run.ts";
import type { NamedCases } from "./engine/select-cases.ts";
import { createExploration } from "./explore/exploration.ts";
import type { ExploreLimits } from "./explore/limits.ts";
import { Interrupted } from "./http/persistence/rate-limiter.ts";
import { MOST_WRITES_OF_A_PACK, type Pack } from "./probe/pack.ts";
import type { Rule } from "./probe/rule.ts";
import { findTarget, type TargetOptions } from "./profile/resolve.ts";
import type { Target } from "./profile/target.ts";
import { packReportFrom, reportFrom } from "./report/json.ts";
import type { PackReport, Report } from "./report/report.ts";

/** The choices for a run, for every host. */
export interface RunChoices {
  /**
   * The rules to run, each after those that it depends on. Default: all rules of the suite, `rules`.
   */
  readonly rules?: readonly Rule[] | undefined;
  /**
   * Further requirements with rules and a verdict of their own, which change nothing of the contract's: names of packs that the
   * suite has, such as `commongrants`, or what `definePack` returned. Default: those that the profile names.
   */
  readonly packs?: readonly (string | Pack)[] | undefined;
  /**
   * Only these rules or cases: globs over ids such as `receiver.*` or `errors.shape/viewOrganization`.
   * Default: all.
   */
  readonly patterns?: readonly string[] | undefined;
  /**
   * Seed of every generated input, an integer from 0 to 4294967295. Default: drawn, and stated in the
   * report.
   */
  readonly seed?: number | undefined;
  /** Requests in flight at once, exactly. Default: 16 at most, fewer where the deployment slows down or refuses. */
  readonly concurrency?: number | undefined;
  /** Interrupts the run. The report contains what was judged by then, and says `interrupted`. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Ends the run early. Cases that it did not reach are inconclusive, and the verdict follows from all
   * cases.
   */
  readonly deadline?: AbortSignal | undefined;
  /**
   * Ends the run at the first proven violation of a MUST. The verdict is then `non-conformant`, and the cases that were not run
   * are inconclusive. Default: false.
   */
  readonly bail?: boolean | undefined;
  /**
   * After the plan, tries cases that no rule lists, until one of the limits is reached. Without a limit, 3000 requests. Default: it
   * tries none.
   */
  readonly explore?: ExploreChoices | undefined;
  /** Whether a case is known to fail, so that its failure does not end the run. Default: none is. */
  readonly isKnown?: ((caseId: string) => boolean) | undefined;
  /**
   * Receives the events of the run as they happen, in the order that `RunEvent` states. Secrets are
   * redacted.
   */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
}

/** How long exploration goes on, and whether it runs in place of the plan. */
export interface ExploreChoices extends ExploreLimits {
  /** Whether the cases of the plan are left out. Default: false. */
  readonly only?: boolean | undefined;
}

/** The options of `certify`: a `profile`, a `baseUrl`, or both. */
export interface CertifyOptions extends TargetOptions, RunChoices {}

/**
 * Certifies one deployment, like the command `run`, but without files, output or exit code.
 * A deployment that violates the contract, or does not answer in time, is a result: the report says so.
 * Nothing is written to disk or to the terminal. Requests go to the deployment, and to the OpenAPI document and the
 * authorization server that the profile names.
 * @returns the report, as `report.json` holds it; `render` makes the other formats of it
 * @throws SuiteError when the profile, the base URL, the keys or the OpenAPI document cannot be used, a
 * pattern matches nothing, or nothing answers at the base URL
 */
export async function certify(options: CertifyOptions): Promise<Report> {
  const { cwd, signal } = options;
  const found = findTarget(options);
  const target = await withDocument(found, { cwd, signal }).catch((error: unknown) => {
    // Even a run that was interrupted before its first case has a report.
    if (error instanceof Interrupted) return found;
    throw error;
  });
  return certifyTarget(target, options);
}

/** Choices that only the command makes. */
export interface CommandChoices extends ServerSideOptions {
  /** Only these cases. Default: all that the patterns match. */
  readonly only?: NamedCases | undefined;
  /** Further data about the target for the report. */
  readonly note?: Pick<TargetNote, "told" | "command" | "report" | "embedded"> | undefined;
}

/**
 * Runs the rules against a target, and makes the report.
 * @throws SuiteError when a pattern matches nothing, or nothing answers
 */
export async function certifyTarget(
  target: Target,
  choices: RunChoices & CommandChoices,
): Promise<Report> {
  try {
    const named = choices.packs ?? target.packs;
    const packs = named.length === 0 ? [] : await packsFor(named);
    return await certifyAll(target, packs, choices);
  } finally {
    target.document?.close();
  }
}

/** The packs that are named, or are packs already. Most runs have none, and load none. */
async function packsFor(named: readonly (string | Pack)[]): Promise<readonly Pack[]> {
  const { findPacks } = await import("../suites/packs.ts");
  return findPacks(named);
}

/** Runs the contract's rules, then those of each pack: what they send never meets. */
async function certifyAll(
  target: Target,
  packs: readonly Pack[],
  { seed = randomInt(SEEDS), rules = RULES, ...choices }: RunChoices & CommandChoices,
): Promise<Report> {
  const { patterns = [], only } = choices;
  const [own, ...others] =
    packs.length === 0
      ? [{ patterns, only }]
      : divideSelection(target, [rules, ...packs.map((pack) => pack.rules)], { patterns, only });
  const run = { ...choices, ...own, seed, rules };
  const report = reportFrom(await eventsOf(target, run));
  const found: PackReport[] = [];
  for (const [index, pack] of packs.entries()) {
    const isEnded =
      choices.bail === true &&
      [report, ...found].some(({ verdict }) => verdict === "non-conformant");
    const events = await eventsOf(target, {
      ...choices,
      ...others[index],
      seed,
      rules: pack.rules,
      explore: undefined,
      mostWrites: MOST_WRITES_OF_A_PACK,
      wasReached: true,
      isEnded,
    });
    found.push(packReportFrom(pack, events));
  }
  return { ...report, ...(found.length > 0 && { packs: found }) };
}

/** What the runs of one certification differ in. */
type OwnChoices = Pick<RunOptions, "rules" | "seed" | "mostWrites" | "wasReached" | "isEnded">;

/** Runs rules, and returns the events of the run. */
async function eventsOf(
  target: Target,
  { onEvent, note, ...rest }: RunChoices & CommandChoices & OwnChoices,
): Promise<RunEvent[]> {
  const events: RunEvent[] = [];
  await runOpen({
    target,
    rules: rest.rules,
    seed: rest.seed,
    mostWrites: rest.mostWrites,
    wasReached: rest.wasReached,
    isEnded: rest.isEnded,
    patterns: rest.patterns,
    only: rest.only,
    concurrency: rest.concurrency,
    signal: rest.signal,
    sides: [authorizationServerSide({ onConsent: rest.onConsent })],
    deadline: rest.deadline,
    bail: rest.bail,
    isKnown: rest.isKnown,
    exploration: createExploration(rest.explore, rest.explore?.only),
    emit(event) {
      events.push(
        event.type === "run-started" ? { ...event, target: { ...event.target, ...note } } : event,
      );
      onEvent?.(event);
    },
  });
  return events;
}

const SEEDS = 2 ** 32;
