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
  type ReferenceOptions,
  startReference,
  type Verified,
} from "../reference/index.ts";
import { casesOf, type Report, type ReportCase } from "../report/report.ts";
import type { Shown } from "./exploration-data.ts";
import { JWKS } from "./seed.ts";

/**
 * What exploration alone finds of known faults. It knows none of the mutations by which the rules find them, so each fault is left out of
 * what exploration was made from.
 */

/** The faults that exploration may show: those of the rules that may own an explored case. */
const REACHABLE = FAULTS.filter(
  ({ rule, observed, seenAs, variants }) =>
    OWNERS.has(rule) && observed === undefined && seenAs === undefined && variants === undefined,
);

/** The faults of the receiver's checks. */
export const CHECKED_FAULTS: readonly KnownFault[] = REACHABLE.filter(({ rule }) =>
  rule.startsWith("receiver."),
);

/** The faults of pages, which show in what answers hold. */
export const PAGE_FAULTS: readonly KnownFault[] = REACHABLE.filter(({ rule }) =>
  rule.startsWith("pagination."),
);

type KnownFault = Pick<(typeof FAULTS)[number], "name" | "rule">;

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
 * Answers the requests of an exploration with a fault or variants, without a connection, until an answer violates what the contract
 * says. As long as none does, an exploration of such a receiver sends the same requests.
 * @returns null where none does
 */
export async function shownAgain(
  build: Pick<ReferenceOptions, "faults" | "variants">,
  { baseUrl, arrivals, verified }: Recorded,
): Promise<Shown | null> {
  const own = await answersAgain({ jwks: JWKS, ...build }, baseUrl, verified);
  for (const [at, arrival] of arrivals.entries()) {
    const answer = await own(arrival);
    const shownBy = answer && violatedBy(arrival, answer.status);
    if (shownBy !== undefined) return [at + 1, shownBy];
  }
  return null;
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

/** What an exploration over HTTP found. */
interface Explored {
  readonly report: Report;
  /** Its violations and warnings. */
  readonly found: readonly ReportCase[];
  /** What it found first, and by which request; null where it found nothing. */
  readonly first: Shown | null;
}

/** Explores a receiver with faults or variants over HTTP. */
export async function exploreBuild(
  build: Pick<ReferenceOptions, "faults" | "variants">,
  seed: number,
  requests: number,
): Promise<Explored> {
  const receiver = await startReference({ jwks: JWKS, ...build });
  const sentFor: string[] = [];
  try {
    const target = resolveTarget({ profile: profileFromObject(receiver.profile) });
    const report = await certifyTarget(target, {
      seed,
      explore: { only: true, requests },
      onEvent(event) {
        if (event.type === "exchange") sentFor.push(drawnIn(event.exchange.caseId));
      },
    });
    const found = casesOf(report).filter(
      ({ explored, outcome }) => explored && (outcome === "fail" || outcome === "warn"),
    );
    const shown = found.map(({ id }): Shown => [sentFor.indexOf(drawnIn(id)) + 1, ruleOfCase(id)]);
    const [first = null] = shown.toSorted(([one], [other]) => one - other);
    return { report, found, first };
  } finally {
    await receiver.close();
  }
}

/** The number of the draw in the id of a case, with its seed: the same for the cases that shrinking makes of it. */
function drawnIn(caseId: string): string {
  return /explored-(?:walk-)?\d+-\d+/.exec(caseId)?.[0] ?? "";
}
