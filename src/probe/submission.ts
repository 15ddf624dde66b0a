import type { Reply } from "../http/exchange.ts";
import { distinct, type FoundId, submittedChangeIds } from "./change-ids.ts";
import { idsShowing, notOffered, pageShowing, readFeed } from "./feed.ts";
import type { Evidence, Finding } from "./finding.ts";
import type { AttemptOptions, Probe } from "./probe.ts";
import { describeReply, reception } from "./reception.ts";
import { reading, shows, valueOf } from "./written.ts";

/** A change of the primary organization that can be asked for, by one of its ids. */
export interface KnownChange {
  /** The surest first; none where nothing names it. */
  readonly ids: readonly FoundId[];
  /** The value that it can be recognised by; only changes that the suite submitted have one. */
  readonly value?: string | undefined;
}

/** One accepted submission, and all that was looked at after it. */
export interface Submission extends KnownChange {
  readonly reply: Reply;
  /** Wherever the answer itself carries an id that can be found without the profile. */
  readonly answered: readonly FoundId[];
  /** Ids that the feed lists it with; `undefined` where the feed does not show it. */
  readonly listed: readonly FoundId[] | undefined;
  /** Whether there is a feed in which it could have been shown. */
  readonly feedRead: boolean;
  /** Whether the view shows what was submitted; `undefined` where that could not be seen. */
  readonly applied: boolean | undefined;
  /** The submission by which the run found out what is accepted: the other one of two. */
  readonly earlier: KnownChange;
  readonly evidence: Evidence;
}

/** The run's own submission: made once, for all rules that need a change that they can recognise. */
export function submission(
  probe: Probe,
): Promise<{ submission: Submission } | { finding: Finding }> {
  return probe.once("submission", submitAndLook, "run");
}

async function submitAndLook(
  probe: Probe,
): Promise<{ submission: Submission } | { finding: Finding }> {
  const profile = probe.target.operations.submitChange;
  if (!profile) return notOffered("submitChange");
  const sent = await probe.tryAttempt(
    { name: "submission", what: "a submission that is looked for" },
    { operation: "submitChange", purpose: "needed" },
  );
  if ("finding" in sent) return sent;
  const { reply, evidence, control } = sent.attempt;
  if (reception(reply) !== "accepted") {
    return { finding: { kind: "undecided", reason: describeReply(reply), evidence } };
  }
  const value = valueOf(probe, reply);
  const { primary } = await probe.organizations();
  const read = await readFeed(probe);
  const feed = "feed" in read ? read.feed : undefined;
  const inFeed = feed && value !== undefined && pageShowing(feed, value) !== undefined;
  const listed = feed && inFeed ? idsShowing(feed, value) : undefined;
  const ids = distinct(submittedChangeIds(reply, profile, primary));
  return {
    submission: {
      reply,
      value,
      answered: submittedChangeIds(reply, undefined, primary),
      listed,
      ids: ids.length > 0 ? ids : (listed ?? []),
      feedRead: feed !== undefined,
      applied: value === undefined ? undefined : await isApplied(probe, value),
      earlier: {
        ids: distinct(submittedChangeIds(control.reply, profile, primary)),
        value: valueOf(probe, control.reply),
      },
      evidence,
    },
  };
}

async function isApplied(probe: Probe, value: string): Promise<boolean | undefined> {
  const operation = "viewOrganization";
  if (!probe.target.operations[operation]) return undefined;
  const view = await probe.tryAttempt(reading, { operation });
  const accepted = "attempt" in view && reception(view.attempt.reply) === "accepted";
  return accepted ? shows(view.attempt.reply, value) : undefined;
}

/** A change that was read, or the last answer to the attempt, and by which id. */
export interface ReadChange {
  readonly id: FoundId;
  readonly reply: Reply;
  readonly evidence: Evidence;
}

/**
 * Reads a change of the primary organization by the first of its ids that is accepted, waiting for
 * one that was only just made; once in a run for each.
 * @param ids at least one
 */
export function readChange(
  probe: Probe,
  ids: readonly FoundId[],
  { tokenOf }: Pick<AttemptOptions, "tokenOf"> = {},
): Promise<{ read: ReadChange } | { finding: Finding }> {
  if (!probe.target.operations.readChange) return Promise.resolve(notOffered("readChange"));
  const find = (shared: Probe): ReturnType<typeof readChange> =>
    shared.eventually(
      () => readBy(shared, ids, { tokenOf }),
      (result) => "finding" in result || reception(result.read.reply) !== "rejected",
    );
  const label = ["change", ...ids.map(({ id }) => id), tokenOf].filter(Boolean).join(" ");
  return probe.once(label, find, "run");
}

/**
 * A submitted change as another organization shows it, asked for by each of its ids; `undefined`
 * where it does not show it, or where the change cannot be recognised.
 */
export async function readElsewhere(
  probe: Probe,
  { ids, value }: KnownChange,
  options: Required<Pick<AttemptOptions, "organization">> & Pick<AttemptOptions, "bound">,
): Promise<ReadChange | undefined> {
  if (value === undefined) return undefined;
  for (const id of ids) {
    // Its own organization may not show it at all, and then there is no other control.
    const tokenOf =
      "control" in (await probe.tryControl("readChange")) ? undefined : "readChangesFeed";
    const result = await readBy(probe, [id], { ...options, tokenOf });
    const read = "read" in result ? result.read : undefined;
    if (read && reception(read.reply) === "accepted" && shows(read.reply, value)) return read;
  }
  return undefined;
}

async function readBy(
  probe: Probe,
  ids: readonly FoundId[],
  options: AttemptOptions,
): Promise<{ read: ReadChange } | { finding: Finding }> {
  let last: { read: ReadChange } | undefined;
  for (const id of ids) {
    const result = await probe.tryAttempt(reading, {
      ...options,
      operation: "readChange",
      changeId: id.id,
    });
    if ("finding" in result) return result;
    const { reply, evidence } = result.attempt;
    last = { read: { id, reply, evidence } };
    if (reception(reply) !== "rejected") return last;
  }
  return last ?? { finding: { kind: "undecided", reason: "nothing names the change" } };
}
