import type { Reply } from "../../src/http/exchange.ts";
import { endCase, type Evidence, Finding, optional, together } from "../../src/probe/finding.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { AttemptOptions, Fixture, Probe } from "../../src/probe/probe.ts";
import { distinct, type FoundId, submittedChangeIds } from "../../src/probe/read/change-ids.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { reading, shows, valueOf, viewed } from "../../src/probe/write/unique-marker.ts";
import { type Feed, idsShowing, pageShowing, readFeed, tooFewChanges } from "./feed.ts";
import { offered } from "./kind.ts";

/** A change of the primary organization that can be read by one of its ids. */
export interface KnownChange {
  /** The most certain first; empty where nothing identifies it. */
  readonly ids: readonly FoundId[];
  /** The value by which it is recognised. Only submitted changes have one. */
  readonly value?: string | undefined;
}

/** One accepted submission, and the readings after it. */
export interface Submission extends KnownChange {
  readonly reply: Reply;
  /** The ids that the answer itself shows without the profile's help. */
  readonly answered: readonly FoundId[];
  /** The ids with which the feed lists it; `undefined` where the feed does not show it. */
  readonly listed: readonly FoundId[] | undefined;
  /** Whether a feed was read that could have shown it. */
  readonly feedRead: boolean;
  /** Whether the view shows the submitted value; `undefined` where that could not be seen. */
  readonly applied: boolean | undefined;
  /** The control's submission, which came before. */
  readonly earlier: KnownChange;
  readonly evidence: Evidence;
}

/** The run's own submission, for all rules that need a recognisable change. */
export const submission: Fixture<Submission> = {
  name: "submission",
  scope: "run",
  needs: ["writes", "organizations.primary", "operations.submitChange.body"],
  async setup(probe): Promise<Submission> {
    const profile = offered(probe, "submitChange");
    const { reply, evidence, control } = await probe.attempt(
      { name: "submission", what: "a submission that is looked for" },
      { operation: "submitChange", purpose: "needed" },
    );
    if (reception(reply) !== "accepted") {
      endCase(Finding.inconclusive(describeReply(reply), evidence));
    }
    const value = valueOf(probe, reply);
    const { primary } = await probe.organizations();
    const [feed, applied] = await together([
      optional(readFeed(probe)),
      value === undefined ? Promise.resolve(undefined) : isApplied(probe, value),
    ]);
    const inFeed = feed && value !== undefined && pageShowing(feed, value) !== undefined;
    const listed = inFeed ? idsShowing(feed, value) : undefined;
    const ids = distinct(submittedChangeIds(reply, profile, primary));
    reply.keep();
    return {
      reply,
      value,
      answered: submittedChangeIds(reply, undefined, primary),
      listed,
      ids: ids.length > 0 ? ids : (listed ?? []),
      feedRead: feed !== undefined,
      applied,
      earlier: {
        ids: distinct(submittedChangeIds(control.reply, profile, primary)),
        value: valueOf(probe, control.reply),
      },
      evidence,
    };
  },
};

async function isApplied(probe: Probe, value: string): Promise<boolean | undefined> {
  if (!probe.target.operations.viewOrganization) return undefined;
  const view = await optional(viewed(probe));
  return view && reception(view) === "accepted" ? shows(view, value) : undefined;
}

/** A change that was read, or the last answer to the attempt, and the id that was used. */
export interface ReadChange {
  readonly id: FoundId;
  readonly reply: Reply;
  readonly evidence: Evidence;
}

/**
 * Reads a change of the primary organization by the first of its ids that is accepted, and waits for
 * a new one to become readable. It does this once in a run for each change, when all submissions are made.
 * @param ids at least one
 * @throws CaseEnd where the request cannot be sent
 */
export function readChange(
  probe: Probe,
  ids: readonly FoundId[],
  { tokenOf }: Pick<AttemptOptions, "tokenOf"> = {},
): Promise<ReadChange> {
  return probe.use({
    name: ["change", ...ids.map(({ id }) => id), tokenOf].filter(Boolean).join(" "),
    scope: "run",
    setup: (shared) => readChangeNow(shared, ids, { tokenOf }),
  });
}

/** Reads a change at this moment, whatever was or will be read and submitted. */
export async function readChangeNow(
  probe: Probe,
  ids: readonly FoundId[],
  options: Pick<AttemptOptions, "tokenOf"> = {},
): Promise<ReadChange> {
  offered(probe, "readChange");
  const read = await probe.eventually(
    () => readBy(probe, ids, options),
    ({ reply }) => reception(reply) !== "rejected",
  );
  read.reply.keep();
  return read;
}

/**
 * A submitted change as another organization shows it, requested by each of its ids; `undefined`
 * where the other organization does not show it, or the change cannot be recognised.
 */
export async function readElsewhere(
  probe: Probe,
  { ids, value }: KnownChange,
  options: Required<Pick<AttemptOptions, "organization">> & Pick<AttemptOptions, "bound">,
): Promise<ReadChange | undefined> {
  if (value === undefined) return undefined;
  for (const id of ids) {
    // If its own organization does not show the change, the feed's control is used.
    const tokenOf =
      "control" in (await probe.tryControl("readChange")) ? undefined : "readChangesFeed";
    const read = await optional(readBy(probe, [id], { ...options, tokenOf }));
    if (read && reception(read.reply) === "accepted" && shows(read.reply, value)) return read;
  }
  return undefined;
}

async function readBy(
  probe: Probe,
  ids: readonly FoundId[],
  options: AttemptOptions,
): Promise<ReadChange> {
  let last: ReadChange | undefined;
  for (const id of ids) {
    const where = { ...options, operation: "readChange", changeId: id.id } as const;
    const { reply, evidence } = await probe.attempt(reading, where);
    last = { id, reply, evidence };
    if (reception(reply) !== "rejected") break;
  }
  return last ?? endCase(Finding.inconclusive(phrase`no id of the change is known`));
}

/**
 * The feed of the primary organization with at least one change. If it is empty and the profile
 * consents to writes, submits a change first. A feed without a recognisable list stays as it is.
 * Where the feed stays empty, cases end inconclusive with a remedy.
 */
export const filledFeed: Fixture<Feed> = {
  name: "feed",
  scope: "run",
  async setup(probe): Promise<Feed> {
    const feed = await readFeed(probe);
    if (!isEmpty(feed)) return kept(feed);
    const { target } = probe;
    if (target.writes && target.operations.submitChange) {
      await optional(probe.use(submission));
      const filled = await probe.eventually(
        () => readFeed(probe),
        (next) => !isEmpty(next),
      );
      if (!isEmpty(filled)) return kept(filled);
    }
    return endCase(tooFewChanges(target, 0, 1));
  },
};

function kept(feed: Feed): Feed {
  for (const page of feed.pages) page.keep();
  return feed;
}

function isEmpty({ items }: Feed): boolean {
  return items?.length === 0;
}
