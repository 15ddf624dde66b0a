import type { Level } from "../contract/levels.ts";
import type { Need } from "../profile/need.ts";
import type { Difference } from "./difference/difference.ts";
import type { Phrase } from "./phrase.ts";

/** The ids of the exchanges that a finding rests on. */
export interface Evidence {
  readonly probes: readonly string[];
  /** Accepted requests that differ from the probes in one thing, the last sent after them. */
  readonly controls?: readonly string[] | undefined;
  /** Every place in which that one difference shows. */
  readonly differences?: readonly Difference[] | undefined;
}

/**
 * Why a violation need not be confirmed. `proof`: a request that had to be rejected was accepted, and
 * time plays no part, so once is enough. `many`: several responses showed it.
 */
export type Certainty = "proof" | "many";

/**
 * A reason for programs: the run may not write again, the request brought the deployment down, the time of the run was over, or it lost too much of it, good
 * requests were refused at that moment, a violation was seen once and then not decided, or it showed only beside other requests.
 */
export type UndecidedCode =
  | "write-limit"
  | "crash"
  | "time-limit"
  | "bail"
  | "lost-time"
  | "refused-for-a-moment"
  | "unconfirmed"
  | "beside-others";

/**
 * What a probe found. Its severity follows from the level of the case, not from the rule:
 * - `pass`: the requirement holds
 * - `fail`: the requirement is violated; `atMost` caps the level where the contract does
 * - `inconclusive`: the probe ran, but proves nothing
 * - `observed`: the contract is silent, and this is what the deployment does
 * - `not-provisioned`: the profile lacks these keys; `because` says what is wrong with what it has
 * - `not-applicable`: the deployment has no such feature
 */
export type Finding = (
  | { readonly kind: "pass"; readonly reason?: Phrase }
  | {
      readonly kind: "fail";
      readonly expected: Phrase;
      readonly actual: Phrase;
      readonly atMost?: Level;
      /** Default: the finding rests on one response, and the case is repeated to confirm it. */
      readonly certainty?: Certainty;
      /** Whether it is a violation only if the control is accepted after it too. */
      readonly comparative?: boolean;
    }
  | {
      readonly kind: "inconclusive";
      readonly reason: Phrase;
      /** The reason, for programs. */
      readonly code?: UndecidedCode;
      /** Whether the engine runs the case again, alone, because another one may have written at the same time. Default: false. */
      readonly retryAlone?: boolean;
    }
  | {
      readonly kind: "observed";
      readonly value: Phrase;
      /** Whether what had to be read for it could not be read. Then a record may lack that reading. Default: false. */
      readonly isUnread?: boolean;
    }
  | {
      readonly kind: "not-provisioned";
      readonly keys: readonly Need[];
      readonly because?: Phrase | undefined;
    }
  | { readonly kind: "not-applicable"; readonly reason: Phrase }
) & {
  /** The answers that show it. Default: none; it follows from the profile, or nothing was sent. */
  readonly evidence?: Evidence;
};

/** A finding of one kind, or of some. */
export type FindingOf<Kind extends Finding["kind"]> = Extract<Finding, { kind: Kind }>;

/** Makes findings. A violation is written as it is, because it has to say what was expected and what was seen. */
export const Finding = {
  pass(evidence?: Evidence, reason?: Phrase): FindingOf<"pass"> {
    return { kind: "pass", ...(reason && { reason }), ...(evidence && { evidence }) };
  },
  inconclusive(reason: Phrase, evidence?: Evidence): FindingOf<"inconclusive"> {
    return { kind: "inconclusive", reason, ...(evidence && { evidence }) };
  },
  undecided(code: UndecidedCode, reason: Phrase, evidence?: Evidence): FindingOf<"inconclusive"> {
    return { ...Finding.inconclusive(reason, evidence), code };
  },
  notApplicable(reason: Phrase, evidence?: Evidence): FindingOf<"not-applicable"> {
    return { kind: "not-applicable", reason, ...(evidence && { evidence }) };
  },
  observed(value: Phrase, evidence?: Evidence): FindingOf<"observed"> {
    return { kind: "observed", value, ...(evidence && { evidence }) };
  },
};

/** The ids of all exchanges that evidence names: its probes, then its controls. */
export function exchangesOf(evidence: Evidence | undefined): string[] {
  return [...(evidence?.probes ?? []), ...(evidence?.controls ?? [])];
}

/** The evidence of several attempts together: the probes of all, and the controls of all. */
export function ofAll(sent: readonly Evidence[]): Evidence {
  return {
    probes: [...new Set(sent.flatMap(({ probes }) => probes))],
    controls: [...new Set(sent.flatMap(({ controls = [] }) => controls))],
  };
}

/** A finding that also rests on a control that came later. A finding without evidence stays as it is. */
export function withControl(finding: Finding, control: string): Finding {
  if (!finding.evidence) return finding;
  const controls = [...(finding.evidence.controls ?? []), control];
  return { ...finding, evidence: { ...finding.evidence, controls } };
}

/**
 * A finding with one more control, from which some of its differences are none.
 * @param control id of the exchange
 * @param differs whether the probe differs from that control in this too
 */
export function besideControl(
  finding: Finding,
  control: string,
  differs: (difference: Difference) => boolean,
): Finding {
  if (!finding.evidence) return finding;
  const { controls = [], differences = [] } = finding.evidence;
  const evidence: Evidence = {
    ...finding.evidence,
    controls: [control, ...controls],
    differences: differences.filter(differs),
  };
  return { ...finding, evidence };
}

/**
 * The finding of a case whose need the deployment did not meet when the run looked for it. Needs that
 * the profile lacks are settled before anything is sent.
 */
export function notProvisioned(...keys: readonly Need[]): FindingOf<"not-provisioned"> {
  return { kind: "not-provisioned", keys };
}

/** Ends a case before its rule has a finding. The engine takes `finding` as the case's finding. */
export class CaseEnd extends Error {
  readonly finding: Finding;

  constructor(finding: Finding) {
    super(`the case ends: ${finding.kind}`);
    this.name = "CaseEnd";
    this.finding = finding;
  }
}

/** Ends the current case, by throwing a CaseEnd. */
export function endCase(finding: Finding): never {
  throw new CaseEnd(finding);
}

/** The value, or `undefined` where the case would end. For rules that go on without it. */
export async function optional<T>(value: Promise<T>): Promise<T | undefined> {
  try {
    return await value;
  } catch (error) {
    if (error instanceof CaseEnd) return undefined;
    throw error;
  }
}

/** Waits for all values. Then throws the first CaseEnd among them, in order. */
export async function together<const T extends readonly Promise<unknown>[]>(
  values: T,
): Promise<{ -readonly [Index in keyof T]: Awaited<T[Index]> }> {
  await Promise.allSettled(values);
  return Promise.all(values);
}
