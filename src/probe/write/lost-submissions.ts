import { optional, together } from "../case-end.ts";
import type { Finding } from "../finding.ts";
import { phrase, valueFact } from "../phrase.ts";
import type { Attempt, Probe } from "../probe.ts";
import { type Feed, pageShowing, readFeed } from "../read/feed.ts";
import { describeReply, reception } from "../reception.ts";
import type { UniqueValue } from "../session.ts";
import { submission } from "./submission.ts";
import { reading } from "./unique-marker.ts";

const operation = "submitChange";
/** The most submissions that are read one by one, because the feed does not show them. */
const MOST_READ = 8;

/** Where the run's submissions were found. */
interface Look {
  readonly found: readonly UniqueValue[];
  /** A submission that is not found, although one before it and one after it are. */
  readonly lost: UniqueValue | undefined;
  /** The answer to reading the lost one. */
  readonly attempt: Attempt | undefined;
  readonly probes: readonly string[];
}

/**
 * Judges that none of the run's accepted submissions is lost: it is in the feed, or readable by the id in its answer.
 * A deployment may remove older changes, replace them by newer ones, or show none before a review. So a submission is lost
 * only if one before it and one after it can be found.
 */
export async function noneLost(probe: Probe): Promise<Finding> {
  await probe.use(submission);
  const { primary } = await probe.organizations();
  const accepted = probe.uniqueValues
    .filter(
      (one) =>
        one.operation === operation &&
        one.organization === primary &&
        reception(one) === "accepted" &&
        one.changeIds.length > 0,
    )
    .toSorted((a, b) => a.sentMs - b.sentMs);
  if (accepted.length < 3) {
    const reason = phrase`the run has submitted fewer than three changes`;
    return { kind: "not-applicable", reason };
  }
  const { found, lost, attempt, probes } = await probe.eventually(
    () => look(probe, accepted),
    (seen) => seen.lost === undefined,
  );
  if (lost && attempt) {
    return {
      kind: "fail",
      expected: phrase`every accepted submission is in the feed, or readable by the id in its answer`,
      actual: phrase`${valueFact(lost.value)} is not in the feed, and reading it is answered ${describeReply(attempt.reply)}, although a submission before it and one after it can be found`,
      evidence: { ...attempt.evidence, probes: [lost.exchange, ...probes] },
      certainty: "many",
    };
  }
  return found.length === 0
    ? { kind: "not-applicable", reason: phrase`no submission of the run can be found` }
    : { kind: "pass", evidence: { probes } };
}

async function look(probe: Probe, accepted: readonly UniqueValue[]): Promise<Look> {
  const feed = probe.target.operations.readChangesFeed
    ? await optional(readFeed(probe))
    : undefined;
  const others = accepted.filter((one) => !isListed(feed, one));
  const reads = probe.target.operations.readChange
    ? await together(others.slice(-MOST_READ).map(async (one) => readingOf(probe, one)))
    : [];
  const isRead = (one: UniqueValue): boolean =>
    reads.some((read) => read.one === one && reception(read.attempt.reply) === "accepted");
  const found = accepted.filter((one) => isListed(feed, one) || isRead(one));
  const lost = reads.find(
    ({ one, attempt: { reply } }) =>
      reception(reply) === "rejected" &&
      found.some(({ sentMs }) => sentMs < one.sentMs) &&
      found.some(({ sentMs }) => sentMs > one.sentMs),
  );
  return {
    found,
    lost: lost?.one,
    attempt: lost?.attempt,
    probes: [
      ...(feed?.evidence.probes ?? []),
      ...reads.flatMap(({ attempt }) => attempt.evidence.probes),
    ],
  };
}

function isListed(feed: Feed | undefined, { value }: UniqueValue): boolean {
  return feed !== undefined && pageShowing(feed, value) !== undefined;
}

/** Reads a submission by the most certain of its ids that is accepted. */
async function readingOf(
  probe: Probe,
  one: UniqueValue,
): Promise<{ one: UniqueValue; attempt: Attempt }> {
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
