import { signedAnew, type Mutation } from "../../../src/mutations/mutation.ts";
import { Finding, ofAll, together } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Attempt, Probe } from "../../../src/probe/probe.ts";
import { describeReply, reception } from "../../../src/probe/reception.ts";
import {
  type ForeignProof,
  hasEarlierDate,
  proofIn,
} from "../../../src/probe/trouble/kept-refusals.ts";
import { otherScopes } from "../../shared/mutations/scope.ts";

/** So often a good request must be refused after a bad one, so that this is no accident. */
const TIMES = 3;
/** Most of what was kept is over by then. */
const PAUSE_MS = 1000;
/** How long it is tried at most how long a refusal is kept, and how often. */
const MOST_KEPT_MS = 2500;
const STEP_MS = 25;

/** The reads of an organization, each with one URL for an organization. */
const READS = ["viewOrganization", "readChangesFeed"] as const;
type Read = (typeof READS)[number];

const good: Mutation = { ...signedAnew, name: "own" };

const PROVEN: Readonly<Record<ForeignProof, string>> = {
  age: "its `Age` says that it was stored",
  "request-id": "it names the id of the other request",
  date: "its `Date` is that of the other answer, more than a second before",
};

/** A refused request, and good ones right after it: with its URL, and with another URL of the operation. */
interface Round {
  readonly bad: Attempt;
  readonly same: Attempt;
  readonly elsewhere: Attempt;
}

/**
 * Where a good token was refused though nothing was wrong: judges that a good request does not get the refusal of another one with
 * the same URL. Each time it is accepted after a pause, refused right after a bad request, and a good request with another URL is accepted in
 * that moment. A filter that blocks the client refuses that one too.
 */
export async function afterRefusal(probe: Probe): Promise<Finding> {
  if (!probe.seen.moments.summary()) {
    return Finding.notApplicable(
      phrase`no good request was refused after one like it was accepted`,
    );
  }
  const { other } = await probe.organizations();
  if (other === undefined) {
    return Finding.notApplicable(phrase`it takes two organizations on which the subject may act`);
  }
  for (const operation of READS.filter((id) => probe.target.operations[id])) {
    const rounds: Round[] = [];
    for (let times = 0; times < TIMES; times++) {
      const round = await roundOf(probe, operation, other);
      if (!round) break;
      rounds.push(round);
    }
    if (rounds.length === TIMES) return violation(probe, operation, rounds);
  }
  return Finding.notApplicable(
    phrase`a good request right after a refused one with its URL is not refused each time, or those with other URLs are refused too`,
  );
}

async function violation(
  probe: Probe,
  operation: Read,
  rounds: readonly Round[],
): Promise<Finding> {
  const [last] = rounds.slice(-1) as [Round];
  const { keptMs, hasDate } = await measure(probe, operation);
  const replies = rounds.map(({ bad, same }) => ({ bad: bad.reply, kept: same.reply }));
  const proof = proofIn(replies) ?? (hasDate ? "date" : undefined);
  probe.seen.trouble.keptRefusals = { keptMs, proof };
  return {
    kind: "fail",
    expected: phrase`a good request is accepted right after a refused one with the same URL, as with another URL in that moment`,
    actual: phrase`${describeReply(last.same.reply)} for about ${keptMs} ms after a bad request with the same URL, ${TIMES} times${proof ? `; ${PROVEN[proof]}` : ""}`,
    evidence: ofAll(
      rounds.flatMap(({ bad, elsewhere, same }) =>
        [bad, elsewhere, same].map((one) => one.evidence),
      ),
    ),
    certainty: "many",
    // A filter may look at the URL.
    ...(!proof && { atMost: "SHOULD" }),
  };
}

/** @returns `undefined` where something else is seen than a refusal that is kept for a URL */
async function roundOf(probe: Probe, operation: Read, other: string): Promise<Round | undefined> {
  if (!(await isOver(probe, operation))) return undefined;
  const bad = await probe.attempt(otherScopes, { operation });
  const [same, elsewhere] = await together([
    probe.attempt(good, { operation }),
    probe.attempt(good, { operation, organization: other }),
  ]);
  const isKept =
    reception(bad.reply) === "rejected" &&
    same.reply.status === bad.reply.status &&
    reception(elsewhere.reply) === "accepted";
  return isKept ? { bad, same, elsewhere } : undefined;
}

/** Waits until a good request is accepted again, so that nothing of an earlier refusal is left; false where that takes too long. */
async function isOver(probe: Probe, operation: Read): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < MOST_KEPT_MS; waitedMs += PAUSE_MS) {
    await probe.wait(PAUSE_MS);
    const { reply } = await probe.attempt(good, { operation });
    if (reception(reply) === "accepted") return true;
    if (reception(reply) !== "rejected") return false;
  }
  return false;
}

/** For how long a refusal is given again, and whether one is that has a `Date` of more than a second before. */
async function measure(
  probe: Probe,
  operation: Read,
): Promise<{ keptMs: number; hasDate: boolean }> {
  await isOver(probe, operation);
  const bad = await probe.attempt(otherScopes, { operation });
  const since = performance.now();
  let hasDate = false;
  for (;;) {
    const again = await probe.attempt(good, { operation });
    const keptMs = Math.ceil(performance.now() - since);
    if (reception(again.reply) === "accepted" || keptMs > MOST_KEPT_MS) return { keptMs, hasDate };
    hasDate ||= hasEarlierDate(bad.reply, again.reply);
    await probe.wait(STEP_MS);
  }
}
