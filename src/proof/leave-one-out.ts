import { certifyTarget } from "../certify.ts";
import { isExploredId, ruleOfCase } from "../contract/ids.ts";
import { EXCUSED } from "../explore/explored-case.ts";
import { ACCEPTING, OWNERS } from "../explore/owners.ts";
import { profileFromObject } from "../profile/load.ts";
import { resolveTarget } from "../profile/resolve.ts";
import {
  type Arrival,
  answersAgain,
  FAULTS,
  startReference,
  type Verified,
} from "../reference/index.ts";
import { casesOf, type Report, type ReportCase } from "../report/report.ts";
import { JWKS } from "./seed.ts";

/**
 * What exploration alone finds of known faults. It knows none of the mutations by which the rules find them, so each fault is left out of
 * what exploration was made from.
 */

/** The faults of the receiver's checks: those of the rules that may own an explored case. */
export const CHECKED_FAULTS: readonly (typeof FAULTS)[number][] = FAULTS.filter(
  ({ rule, observed, seenAs, variants }) =>
    rule.startsWith("receiver.") &&
    OWNERS.has(rule) &&
    observed === undefined &&
    seenAs === undefined &&
    variants === undefined,
);

/** What exploration showed of one fault. */
export interface LeftOut {
  readonly fault: string;
  readonly rule: string;
  /** The number of the request that first showed it; absent where none did. */
  readonly after?: number | undefined;
  /** The rule by which it showed. */
  readonly shownBy?: string | undefined;
}

/** An exploration of the conforming receiver: what it was asked, in order. */
export interface Recorded {
  readonly baseUrl: string;
  readonly arrivals: readonly Arrival[];
  readonly verified: Verified;
}

/** Explores the conforming receiver, which records what arrives. */
export async function recordExploration(seed: number, requests: number): Promise<Recorded> {
  const patches = [{ now: () => (): number => Math.floor(Date.now() / 1000) }];
  const receiver = await startReference({ jwks: JWKS, patches, records: true });
  try {
    const target = resolveTarget({ profile: profileFromObject(receiver.profile) });
    await certifyTarget(target, { seed, explore: { only: true, requests } });
    const { baseUrl, arrivals } = receiver;
    return { baseUrl, arrivals, verified: new Map() };
  } finally {
    await receiver.close();
  }
}

/**
 * Answers the requests of an exploration with a fault, without a connection, until an answer violates what the contract says. As long
 * as none does, an exploration of a receiver with the fault sends the same requests.
 */
export async function leaveOut(
  { name, rule }: Pick<(typeof FAULTS)[number], "name" | "rule">,
  { baseUrl, arrivals, verified }: Recorded,
): Promise<LeftOut> {
  const own = await answersAgain({ jwks: JWKS, faults: [name] }, baseUrl, verified);
  for (const [at, arrival] of arrivals.entries()) {
    const answer = await own.answer(arrival);
    const shownBy = answer && violatedBy(arrival, answer.status);
    if (shownBy !== undefined) return { fault: name, rule, after: at + 1, shownBy };
  }
  return { fault: name, rule };
}

/** The rule of an explored request that is violated by another status than the conforming receiver's. */
function violatedBy({ caseId = "", answer, asked }: Arrival, status: number): string | undefined {
  if (!isExploredId(caseId) || !asked || status === answer.status) return undefined;
  const rule = ruleOfCase(caseId);
  const [was, is] = [isAccepted(answer.status), isAccepted(status)];
  const isViolated = ACCEPTING.has(rule)
    ? was && !is && !EXCUSED.has(status)
    : !was && (is || status >= 500 || (rule === "receiver.local-policy" && answer.status === 403));
  return isViolated ? rule : undefined;
}

function isAccepted(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Explores a receiver with faults or variants over HTTP. */
export async function exploreBuild(
  build: { readonly faults?: readonly string[]; readonly variants?: readonly string[] },
  seed: number,
  requests: number,
): Promise<{ readonly report: Report; readonly found: readonly ReportCase[] }> {
  const receiver = await startReference({ jwks: JWKS, ...build });
  try {
    const target = resolveTarget({ profile: profileFromObject(receiver.profile) });
    const report = await certifyTarget(target, { seed, explore: { only: true, requests } });
    const found = casesOf(report).filter(
      ({ explored, outcome }) => explored && (outcome === "fail" || outcome === "warn"),
    );
    return { report, found };
  } finally {
    await receiver.close();
  }
}
