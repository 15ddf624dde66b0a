import { authorizationServerSide } from "../../src/authorization-server/side.ts";
import { consentsHere } from "../../src/cli/consents.ts";
import { withDocument } from "../../src/document/with-document.ts";
import type { RunEvent, RunFinished } from "../../src/engine/events.ts";
import { run } from "../../src/engine/run.ts";
import type { Exchange } from "../../src/http/exchange.ts";
import { packageRoot } from "../../src/lib/package-root.ts";
import { profileFromObject } from "../../src/profile/load.ts";
import { resolveTarget } from "../../src/profile/resolve.ts";
import { type ReferenceOptions, startReference } from "../../src/reference/index.ts";
import { mergePatch } from "../../src/reference/merge-patch.ts";
import { RULES } from "../../suites/index.ts";
import { resultsOf } from "./results-of.ts";
import type { WordedResult } from "./worded.ts";

/** What a test wants to know of a run. */
export interface Ran {
  readonly finished: RunFinished;
  readonly results: readonly WordedResult[];
  readonly exchanges: ReadonlyMap<string, Exchange>;
  readonly events: readonly RunEvent[];
}

export interface RunAgainstOptions {
  readonly patterns?: readonly string[];
  readonly seed?: number;
  readonly readOnly?: boolean;
  readonly concurrency?: number;
  /** How long an accepted write may take to show; default as for users. */
  readonly patienceMs?: number;
  readonly signal?: AbortSignal;
}

/** The bundled issuer's public keys, as the receivers under test get them. */
export const BUNDLED_JWKS: string = `${packageRoot}/keys/jwks.json`;

/** Runs the suite against any deployment that a profile describes. */
export async function runAgainst(
  profile: Record<string, unknown>,
  { readOnly = false, patterns, seed = 1, concurrency, patienceMs, signal }: RunAgainstOptions = {},
): Promise<Ran> {
  const resolved = resolveTarget({ profile: profileFromObject(profile), readOnly });
  const target = await withDocument(consentsHere(resolved), { trusted: true });
  const events: RunEvent[] = [];
  const finished = await run({
    target,
    rules: RULES,
    sides: [authorizationServerSide()],
    patterns,
    seed,
    concurrency,
    patienceMs,
    signal,
    emit: (event) => events.push(event),
  });
  return {
    finished,
    events,
    results: resultsOf(events),
    exchanges: new Map(
      events.flatMap((event) =>
        event.type === "exchange" ? [[event.exchange.id, event.exchange] as const] : [],
      ),
    ),
  };
}

/**
 * Runs the suite against a reference receiver of its own.
 * @param options.profile changes its profile, as RFC 7396 says: null removes a key
 */
export async function runAgainstReference(
  reference: Omit<ReferenceOptions, "jwks"> = {},
  options: RunAgainstOptions & { profile?: object } = {},
): Promise<Ran> {
  const receiver = await startReference({ jwks: BUNDLED_JWKS, ...reference });
  try {
    const profile = mergePatch(receiver.profile, options.profile ?? {}) as Record<string, unknown>;
    return await runAgainst(profile, options);
  } finally {
    await receiver.close();
  }
}

/** The rules with a case that has one of the outcomes. */
export function rulesWith(
  results: readonly WordedResult[],
  ...outcomes: readonly WordedResult["outcome"][]
): string[] {
  return [
    ...new Set(results.filter(({ outcome }) => outcomes.includes(outcome)).map(({ rule }) => rule)),
  ];
}

/** Outcomes with the reason, for a test's message. */
export function unsettled(results: readonly WordedResult[]): string[] {
  return results
    .filter(({ outcome }) => !["pass", "observed", "not-applicable"].includes(outcome))
    .map(({ id, outcome, reason, actual }) => `${outcome} ${id}: ${reason ?? actual}`);
}
