import { optional } from "../../../src/probe/finding.ts";
import type { Fixture, Probe } from "../../../src/probe/probe.ts";
import { feedNow, type Shown } from "./feed.ts";
import { merges } from "./merges.ts";
import { revisionIn, writtenId } from "./revision.ts";
import { mediaTypeOf } from "./send.ts";
import { readBy, submitted } from "./submission.ts";

/** The most revisions of a feed that are read one by one. */
const MOST_READ = 3;

/** The revisions that an operation shows: of the suite's own writes, of the feed, and some of the feed read one by one. */
export function shownRevisions(
  operation: "editOrganization" | "submitChange" | "readChangesFeed" | "readChange",
): Fixture<readonly Shown[]> {
  const find = {
    editOrganization: ofEdits,
    submitChange: ofSubmissions,
    readChangesFeed: ofFeed,
    readChange: ofChanges,
  };
  return { name: `revisions of ${operation}`, scope: "run", setup: find[operation] };
}

async function ofEdits(probe: Probe): Promise<Shown[]> {
  const { edits } = await probe.use(merges);
  return edits.flatMap(({ revision, reply, evidence }) =>
    revision ? [{ revision, exchange: reply.exchange.id, control: evidence.controls?.[0] }] : [],
  );
}

async function ofSubmissions(probe: Probe): Promise<Shown[]> {
  const one = await probe.use(submitted);
  const first = await probe.use(mediaTypeOf("submitChange"));
  return [first, one].flatMap(({ reply, evidence }) => {
    const revision = revisionIn(reply);
    return revision
      ? [{ revision, exchange: reply.exchange.id, control: evidence.controls?.[0] }]
      : [];
  });
}

async function ofFeed(probe: Probe): Promise<Shown[]> {
  await optional(probe.use(merges));
  return feedNow(probe);
}

async function ofChanges(probe: Probe): Promise<Shown[]> {
  const listed = probe.target.operations.readChangesFeed
    ? ((await optional(probe.use(shownRevisions("readChangesFeed")))) ?? [])
    : [];
  const own = (await optional(probe.use(shownRevisions("editOrganization")))) ?? [];
  const ids = [...listed.slice(0, MOST_READ), ...own.slice(-1)].flatMap(
    ({ revision }) => writtenId(revision) ?? [],
  );
  const read: Shown[] = [];
  for (const id of new Set(ids)) {
    const reply = await optional(readBy(probe, id));
    const revision = reply && revisionIn(reply);
    if (revision) read.push({ revision, exchange: reply.exchange.id });
  }
  return read;
}
