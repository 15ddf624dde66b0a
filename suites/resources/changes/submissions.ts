import { Finding, optional, together } from "../../../src/probe/finding.ts";
import { phrase, valueFact } from "../../../src/probe/phrase.ts";
import type { Attempt, Fixture, Probe } from "../../../src/probe/probe.ts";
import { describeReply, reception } from "../../../src/probe/reception.ts";
import type { UniqueValue } from "../../../src/probe/unique-value.ts";
import { acceptedWrites, reading, shows } from "../../../src/probe/write/unique-marker.ts";
import { isReadWhole, pageShowing, readFeed } from "../../shared/feed.ts";
import { readChange, submission } from "../../shared/submission.ts";

/** The most submissions that are read one by one, because the feed does not show them. */
const MOST_READ = 8;

/** The run's accepted submissions, in the order in which they were sent, and where they were found. */
export interface Submissions {
  readonly accepted: readonly UniqueValue[];
  readonly found: readonly UniqueValue[];
  /** A submission that is not found, although one before it and one after it are. */
  readonly lost: Missed | undefined;
  /** A submission that is readable by its id, and that the whole feed omits, although it lists one before it and one after it. */
  readonly leftOut: Missed | undefined;
  readonly probes: readonly string[];
}

/** A submission that the feed does not list, and the answer to reading it by its id. */
export interface Missed {
  readonly one: UniqueValue;
  readonly attempt: Attempt;
}

/** The fewest submissions in which one can be between two others. */
const FEWEST = 3;

/** Looks for all submissions of the run until none is missed, or each has had the time to show. */
const submissions: Fixture<Submissions> = {
  name: "submissions",
  scope: "run",
  async setup(probe): Promise<Submissions> {
    const { ids } = await probe.use(submission);
    const { primary } = await probe.organizations();
    // The ids of the answers may be those of other things, which `readable` judges. Then only its value tells of a submission.
    const known = ids.length > 0 ? await optional(readChange(probe, ids)) : undefined;
    const hasIds = known !== undefined && reception(known.reply) === "accepted";
    const accepted = acceptedWrites(probe, "submitChange")
      .filter(({ organization, changeIds }) => organization === primary && changeIds.length > 0)
      .filter(({ isInBody }) => isInBody || hasIds)
      .toSorted((a, b) => a.sentMs - b.sentMs);
    return probe.eventually(
      () => look(probe, accepted),
      ({ lost, leftOut }) => lost === undefined && leftOut === undefined,
    );
  },
};

async function look(probe: Probe, accepted: readonly UniqueValue[]): Promise<Submissions> {
  const nothing = { accepted, found: [], lost: undefined, leftOut: undefined, probes: [] };
  if (accepted.length < FEWEST) return nothing;
  const { readChangesFeed: profile, readChange: isRead } = probe.target.operations;
  const feed = profile ? await optional(readFeed(probe)) : undefined;
  const listed = accepted.filter((one) => feed && pageShowing(feed, one.value));
  const others = accepted.filter((one) => !listed.includes(one));
  const reads = isRead
    ? await together(others.slice(-MOST_READ).map(async (one) => readingOf(probe, one)))
    : [];
  const missed = (fits: (read: Missed) => boolean, among: readonly UniqueValue[]) =>
    reads.find(
      (read) =>
        fits(read) &&
        among.some(({ sentMs }) => sentMs < read.one.sentMs) &&
        among.some(({ sentMs }) => sentMs > read.one.sentMs),
    );
  const readable = reads.filter(({ attempt }) => reception(attempt.reply) === "accepted");
  const found = accepted.filter(
    (one) => listed.includes(one) || readable.some((read) => read.one === one),
  );
  return {
    accepted,
    found,
    lost: missed(({ attempt }) => reception(attempt.reply) === "rejected", found),
    leftOut:
      feed && profile && isReadWhole(feed, profile) ? missed(showsItsValue, listed) : undefined,
    probes: [
      ...(feed?.evidence.probes ?? []),
      ...reads.flatMap(({ attempt }) => attempt.evidence.probes),
    ],
  };
}

/** A submission that was sent without a body, or with another one, has no value to recognise in a feed. */
function showsItsValue({ one, attempt: { reply } }: Missed): boolean {
  return reception(reply) === "accepted" && shows(reply, one.value);
}

/** Reads a submission by the most certain of its ids that is accepted. */
async function readingOf(probe: Probe, one: UniqueValue): Promise<Missed> {
  const [first, ...more] = one.changeIds;
  const read = (changeId: string | undefined): Promise<Attempt> =>
    probe.attempt(reading, { operation: "readChange", changeId });
  let attempt = await read(first?.id);
  for (const { id } of more) {
    if (reception(attempt.reply) !== "rejected") break;
    attempt = await read(id);
  }
  return { one, attempt };
}

const tooFew: Finding = Finding.notApplicable(
  phrase`the run has submitted fewer than three changes`,
);

/**
 * Judges that none of the run's accepted submissions is lost: it is in the feed, or readable by the id in its answer.
 * A deployment may remove older changes, replace them by newer ones, or show none before a review. So a submission is lost
 * only if one before it and one after it can be found.
 */
export async function noneLost(probe: Probe): Promise<Finding> {
  const { accepted, found, lost, probes } = await probe.use(submissions);
  if (accepted.length < FEWEST) return tooFew;
  if (lost) {
    const { one, attempt } = lost;
    return {
      kind: "fail",
      expected: phrase`every accepted submission is in the feed, or readable by the id in its answer`,
      actual: phrase`${valueFact(one.value)} is not in the feed, and reading it is answered ${describeReply(attempt.reply)}, although a submission before it and one after it can be found`,
      evidence: { ...attempt.evidence, probes: [one.exchange, ...probes] },
      certainty: "many",
    };
  }
  return found.length === 0
    ? Finding.notApplicable(phrase`no submission of the run can be found`)
    : Finding.pass({ probes });
}

/**
 * Judges that the feed omits no submission that is readable by its id, if it lists one before it and one after it. A
 * deployment may list changes only after a review, but it reviews what the suite submits alike.
 */
export async function noneLeftOut(probe: Probe): Promise<Finding> {
  const { accepted, leftOut, probes } = await probe.use(submissions);
  if (accepted.length < FEWEST) return tooFew;
  if (!leftOut) return Finding.pass({ probes });
  const { one, attempt } = leftOut;
  return {
    kind: "fail",
    expected: phrase`the feed lists a submission that is readable by its id, as it lists those before and after it`,
    actual: phrase`no page of the feed shows ${valueFact(one.value)}, which is readable by its id, although submissions before and after it are listed`,
    evidence: { ...attempt.evidence, probes: [one.exchange, ...probes] },
    certainty: "many",
  };
}
