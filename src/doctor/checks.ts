import { OPERATION_IDS } from "../contract/operations.ts";
import { withDocument } from "../document/with-document.ts";
import { openNeeds, planRun } from "../engine/plan.ts";
import { publishTestIssuer } from "../engine/run.ts";
import { closeAll } from "../engine/settle-all.ts";
import { createHttpClient } from "../http/client.ts";
import { secretsOf } from "../http/recording/record.ts";
import type { KeyRotation } from "../keys/serve.ts";
import { SuiteError } from "../lib/errors.ts";
import { mapTexts } from "../lib/json.ts";
import { createControls } from "../probe/controls/controls.ts";
import type { Rule } from "../probe/rule.ts";
import { createSession, type Session } from "../probe/session.ts";
import type { Target } from "../profile/target.ts";
import { lookAtSetup, type Setup } from "../setup/diagnose.ts";
import { knock } from "../setup/reach.ts";
import { authorizationServerChecks } from "./authorization-server.ts";
import type { Bench, Check } from "./check.ts";
import { connectionChecks } from "./connection.ts";
import { type DoctorTokens, ISSUED_CHECK, issuedTokenChecks, openTokens } from "./issued-tokens.ts";
import { operationChecks } from "./operations.ts";
import { organizationChecks } from "./organizations.ts";
import { type Documented, profileChecks } from "./provision.ts";
import { CONSENT_CHECK, tokenKindChecks } from "./token-kinds.ts";
import { publishedKeysCheck, tokenChecks } from "./tokens.ts";
import { tryWrites, type Written } from "./writes.ts";

export interface Examination {
  readonly baseUrl: string;
  /** `unknown`: nothing is wrong, but only a person's consent, for which nobody is asked here, can show whether a run comes to a verdict. */
  readonly state: "ready" | "not-ready" | "unknown" | "unreachable";
  /** Number of requests sent. None of them is a PATCH or POST without `written`. */
  readonly requests: number;
  /** Only where writes were asked for: what was written, and what stays. */
  readonly written?: Written["told"];
  /** In the order in which they depend on each other. */
  readonly checks: readonly Check[];
}

export interface ExamineOptions {
  /** The rules whose cases the profile may lack something for. */
  readonly rules: readonly Rule[];
  readonly seed: number;
  /** Whether each write operation is tried once, if the profile consents. Default: nothing is written. */
  readonly writes?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Requests are sent one at a time, so that the deployment's logs are easy to read. */
const CONCURRENCY = 1;

/**
 * Checks everything that a run needs: about a dozen requests normally, about thirty when no token is accepted.
 * Writes only if `writes` says so, after everything else. Reads the OpenAPI document if it is at a URL.
 * @param profiled the target without its document if that is at a URL
 * @throws SuiteError when the proxy variables of the environment cannot be used, or the suite cannot listen
 * on `testIssuer.serve`
 * @throws Interrupted when the signal aborts
 */
export async function examine(
  profiled: Target,
  { rules, seed, writes = false, signal }: ExamineOptions,
): Promise<Examination> {
  const options = { signal, secrets: secretsOf(profiled) };
  const http = createHttpClient(profiled, { ...options, concurrency: CONCURRENCY });
  let document = profiled.document;
  let published: KeyRotation | undefined;
  let tokens: DoctorTokens | undefined;
  try {
    published = await publishTestIssuer(profiled);
    const knocked = await knock(profiled, http);
    const documented =
      "fault" in knocked ? { target: profiled } : await readDocument(profiled, signal);
    const { target } = documented;
    document = target.document;
    const clock = "fault" in knocked ? undefined : knocked.clockOffsetSeconds;
    const harmless = { ...target, writes: false };
    tokens = openTokens(harmless, options);
    const described = "fault" in knocked ? harmless : ((await tokens?.describe()) ?? harmless);
    const open = (one: Target): Session =>
      createSession(one, http, seed, clock, NO_LISTENER, { tokens });
    const session = open(described);
    const controls = createControls(session);
    const offered = OPERATION_IDS.filter((id) => target.operations[id]);
    const plan = planRun(target, rules, []);
    const permitted = target.consent ? plan : planRun({ ...target, consent: true }, rules, []);
    const setup: Setup =
      "fault" in knocked
        ? { faults: [knocked.fault], results: new Map(), acceptsSomeToken: false }
        : await lookAtSetup(session, controls, { operations: offered, needs: openNeeds(plan) });
    const bench: Bench = { target, session, controls, setup };
    const other = await authorizationServerChecks(target, options);
    const before = [
      ...connectionChecks(bench, other.clockOffsetSeconds),
      ...(target.issued ? await issuedTokenChecks(bench) : await tokenChecks(bench)),
      ...publishedKeysCheck(bench, published),
      ...(await organizationChecks(bench)),
    ];
    const after = [
      ...(await profileChecks(bench, plan, permitted, documented)),
      ...(await tokenKindChecks(bench, plan)),
      ...other.checks,
    ];
    // Last, so that nothing is written where a check before could not be carried out.
    const written = writes
      ? await tryWrites(bench, open({ ...described, writes: target.writes }))
      : undefined;
    const checks = [...before, ...operationChecks(bench, written), ...after];
    return {
      baseUrl: http.redact(target.baseUrl),
      state: "fault" in knocked ? "unreachable" : stateOf(checks),
      requests: http.requests + other.requests + (tokens?.requests ?? 0),
      checks: mapTexts(checks, http.redact) as Check[],
      ...(written && { written: mapTexts(written.told, http.redact) as Written["told"] }),
    };
  } finally {
    document?.close();
    await closeAll([http.close(), published?.close(), tokens?.close()]);
  }
}

/** The checks without which it is not known whether a run comes to a verdict. */
const DECISIVE: ReadonlySet<string> = new Set([ISSUED_CHECK, CONSENT_CHECK]);

function stateOf(checks: readonly Check[]): Examination["state"] {
  if (checks.some(({ state }) => state === "problem")) return "not-ready";
  const isOpen = checks.some(({ id, state }) => state === "unknown" && DECISIVE.has(id));
  return isOpen ? "unknown" : "ready";
}

/** Runs only after the deployment has answered, because it may serve the document itself. */
async function readDocument(target: Target, signal: AbortSignal | undefined): Promise<Documented> {
  if (target.document) return { target };
  try {
    return { target: await withDocument(target, { signal }) };
  } catch (problem) {
    if (problem instanceof SuiteError) return { target, problem };
    throw problem;
  }
}

const NO_LISTENER = { open: () => Promise.resolve({ unreachable: "nothing is opened for it" }) };
