import { PACKS } from "../../suites/packs.ts";
import type { CaseResult, RunEvent } from "../engine/events.ts";
import { runOpen } from "../engine/run.ts";
import { inWords } from "../probe/phrase.ts";
import { COMMONGRANTS_FAULTS, COMMONGRANTS_VARIANTS, startReference } from "../reference/index.ts";
import { JWKS, SEED } from "./seed.ts";
import { targetOf } from "./target.ts";

/** Runs the rules of the pack `commongrants` alone, so that the proof of the contract's rules stays as it is. */

/** A receiver with a fault or a variant of the published protocol, or with neither. */
export interface PackSubject {
  readonly fault?: string;
  readonly variant?: string;
}

/** The results of the pack for one receiver. */
export interface PackProof {
  readonly subject: PackSubject;
  readonly verdict: string;
  /** Cases that failed or warned, with what they saw. */
  readonly seen: readonly {
    readonly id: string;
    readonly rule: string;
    readonly outcome: string;
    readonly what: string;
  }[];
  /** Cases that were inconclusive. */
  readonly open: readonly string[];
  readonly requests: number;
  /** Accepted writes of the operation that had the most. */
  readonly writes: number;
  readonly suiteErrors: readonly string[];
}

/** The namespace of the published binding claim. */
const COMMONGRANTS_NAMESPACE = "https://commongrants.org";
/** The accepted writes of each operation that a run of a pack may make. */
const MOST_WRITES = 40;
/** How long a proof of a fault waits for effects that a receiver may show late. */
const PATIENCE_MS = 200;

/**
 * Runs the pack against one new reference receiver.
 * @param patterns globs over rule ids; default: every rule
 */
export async function provePack(
  subject: PackSubject,
  patterns: readonly string[] = [],
): Promise<PackProof> {
  const receiver = await startReference({
    jwks: JWKS,
    claimsNamespace: COMMONGRANTS_NAMESPACE,
    ...(subject.fault !== undefined && { faults: [subject.fault] }),
    ...(subject.variant !== undefined && { variants: [subject.variant] }),
  });
  try {
    const events: RunEvent[] = [];
    const judged = new Map<string, CaseResult>();
    const finished = await runOpen({
      target: targetOf(receiver.profile),
      rules: PACKS.flatMap(({ rules }) => rules),
      patterns,
      seed: SEED,
      mostWrites: MOST_WRITES,
      ...(subject.fault !== undefined && { patienceMs: PATIENCE_MS }),
      emit(event) {
        events.push(event);
        if (event.type === "case-judged") judged.set(event.result.id, event.result);
      },
    });
    const results = [...judged.values()];
    const exchanges = events.flatMap((event) => (event.type === "exchange" ? event.exchange : []));
    const written = (method: string): number =>
      exchanges.filter(
        ({ request, response }) =>
          request.method === method && response !== undefined && response.status < 300,
      ).length;
    return {
      subject,
      verdict: finished.verdict,
      seen: results
        .filter(({ outcome }) => outcome === "fail" || outcome === "warn")
        .map(({ id, rule, outcome, actual }) => ({
          id,
          rule,
          outcome,
          what: actual ? inWords(actual) : "",
        })),
      open: results.filter(({ outcome }) => outcome === "inconclusive").map(({ id }) => id),
      requests: exchanges.length,
      writes: Math.max(written("PATCH"), written("POST")),
      suiteErrors: finished.suiteErrors,
    };
  } finally {
    await receiver.close();
  }
}

/** What is wrong with a proof, in a sentence; `undefined` when it is as expected. */
export function packComplaint({
  subject,
  verdict,
  seen,
  open,
  suiteErrors,
}: PackProof): string | undefined {
  const [error] = suiteErrors;
  if (error !== undefined) return `fault of the suite: ${error}`;
  const rules = [...new Set(seen.map(({ rule }) => rule))];
  const told = seen.map(({ id, what }) => `${id}: ${what}`).join("; ");
  const fault = COMMONGRANTS_FAULTS.find(({ name }) => name === subject.fault);
  if (fault) {
    if (!rules.includes(fault.rule)) return `missed by ${fault.rule}; seen: ${told || "nothing"}`;
    const others = rules.filter((rule) => rule !== fault.rule);
    return others.length > 0 ? `also blamed on ${others.join(", ")}: ${told}` : undefined;
  }
  const variant = COMMONGRANTS_VARIANTS.find(({ name }) => name === subject.variant);
  const { warned = [] } = variant ?? {};
  const unexpected = rules.filter((rule) => !warned.includes(rule));
  if (unexpected.length > 0) return `conforms, but ${told}`;
  if (verdict === "conformant" || verdict === "partial") return undefined;
  return `conforms, but the verdict is ${verdict}: ${open.join(", ")}`;
}
