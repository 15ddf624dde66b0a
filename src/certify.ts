import { randomInt } from "node:crypto";

import { RULES } from "../suites/index.ts";
import { authorizationServerSide } from "./authorization-server/side.ts";
import { withDocument } from "./document/with-document.ts";
import type { RunEvent, TargetNote } from "./engine/events.ts";
import type { NamedCases } from "./engine/plan.ts";
import { run } from "./engine/run.ts";
import { Interrupted } from "./http/rate-limiter.ts";
import type { Rule } from "./probe/rule.ts";
import type { Client } from "./profile/authorization-server.ts";
import { findTarget, type TargetOptions } from "./profile/find-target.ts";
import type { Target } from "./profile/target.ts";
import { createJsonReport } from "./report/json.ts";
import type { Report } from "./report/report.ts";

/** What may be chosen for a run, whoever starts it. */
export interface RunChoices {
  /** The rules to run, each after those that it depends on. Default: all of the suite, `rules`. */
  readonly rules?: readonly Rule[] | undefined;
  /** Only these rules or cases: globs over ids such as `receiver.*` or `errors.shape/viewOrganization`. Default: all. */
  readonly patterns?: readonly string[] | undefined;
  /** Seed of every generated input, an integer from 0 to 4294967295. Default: drawn; the report has it. */
  readonly seed?: number | undefined;
  /** Requests in flight at once. Default 8. */
  readonly concurrency?: number | undefined;
  /** Interrupts the run. What was judged by then is reported, and the report says `interrupted`. */
  readonly signal?: AbortSignal | undefined;
  /** Ends the run likewise. What it did not reach is inconclusive, and the verdict is what the rest makes it. */
  readonly deadline?: AbortSignal | undefined;
  /** Is given what happens, as it happens and in the order that `RunEvent` has. Secrets are redacted. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
}

/** What `certify` is given: a `profile`, a `baseUrl`, or both. */
export interface CertifyOptions extends TargetOptions, RunChoices {}

/**
 * Certifies one deployment: what the command `run` does, without its files, its output and its exit code.
 *
 * A deployment that violates the contract, or does not answer in time, is a result: the report says
 * so. Nothing is written to disk, to the terminal, or to anything but the deployment.
 * @returns the report, as `report.json` holds it; `render` makes the other formats of it
 * @throws SuiteError when the profile, the base URL, the keys or the OpenAPI document cannot be used, a
 * pattern matches nothing, or nobody answers at the base URL
 */
export async function certify(options: CertifyOptions): Promise<Report> {
  const { cwd, signal } = options;
  const found = findTarget(options);
  const target = await withDocument(found, { cwd, signal }).catch((error: unknown) => {
    // There is a report of what was judged until then, of nothing, too.
    if (error instanceof Interrupted) return found;
    throw error;
  });
  return certifyTarget(target, options);
}

/** What only the command knows of a run. */
export interface CommandChoices {
  /** Of these cases only. Default: all that the patterns match. */
  readonly only?: NamedCases | undefined;
  /** Called before each consent that somebody has to give, with how many there have been. */
  readonly onConsent?: ((client: Client, count: number, refuse: boolean) => void) | undefined;
  /** What the report tells of the target besides. */
  readonly note?: Pick<TargetNote, "told" | "embedded"> | undefined;
}

/**
 * Runs the rules against a target, and makes the report of it.
 * @throws SuiteError when a pattern matches nothing, or nobody answers
 */
export async function certifyTarget(
  target: Target,
  { rules = RULES, seed = randomInt(SEEDS), onEvent, note, ...rest }: RunChoices & CommandChoices,
): Promise<Report> {
  const json = createJsonReport();
  await run({
    target,
    rules,
    seed,
    patterns: rest.patterns,
    only: rest.only,
    concurrency: rest.concurrency,
    signal: rest.signal,
    sides: [authorizationServerSide({ onConsent: rest.onConsent })],
    deadline: rest.deadline,
    emit(event) {
      json.on(
        event.type === "run-started" ? { ...event, target: { ...event.target, ...note } } : event,
      );
      onEvent?.(event);
    },
  });
  return json.report();
}

const SEEDS = 2 ** 32;
