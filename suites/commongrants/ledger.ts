import { isObject } from "../../src/lib/json.ts";
import { type Evidence, Finding, ofAll, optional } from "../../src/probe/finding.ts";
import { listFact, phrase, valueFact } from "../../src/probe/phrase.ts";
import type { Fixture, Probe } from "../../src/probe/probe.ts";
import { defineRule, type Rule, type RuleCase } from "../../src/probe/rule.ts";
import { isSame, outcomesOf } from "./profile/compare.ts";
import { placeOf } from "./profile/members.ts";
import { isEmpty } from "./profile/merge.ts";
import { type Recorded, recordedEdit, type Shown } from "./writes/feed.ts";
import { type Merge, type Merges, merges } from "./writes/merges.ts";
import { without } from "./writes/needs.ts";
import {
  CLAIMED_TIME,
  idOf,
  type Revision,
  revisionIn,
  STATUSES,
  statusOf,
  TERMINAL,
  writtenId,
} from "./writes/revision.ts";
import { shownRevisions } from "./writes/shown.ts";
import { readBy, submitted } from "./writes/submission.ts";

const ofFeed: readonly RuleCase[] = [
  {
    id: "newest-first@readChangesFeed",
    title: "the order of the feed by `createdAt`",
    operation: "readChangesFeed",
    requirement: "commongrants.ledger.newest-first",
    writes: { of: "editOrganization" },
    judge: newestFirst,
  },
  {
    id: "unchanged@readChangesFeed",
    title: "revisions in the feed, compared with the answers to their writes",
    operation: "readChangesFeed",
    requirement: "commongrants.ledger.unchanged",
    writes: { of: "editOrganization" },
    judge: async (probe) =>
      judgeUnchanged(probe, await probe.use(shownRevisions("readChangesFeed"))),
  },
];

const recorded: readonly RuleCase[] = [
  {
    id: "recorded@editOrganization",
    title: "an edit, looked for in the feed by its id",
    operation: "editOrganization",
    level: "SHOULD",
    requirement: "commongrants.ledger.recorded",
    judge: async (probe) => isRecorded(await probe.use(recordedEdit)),
  },
  {
    id: "recorded@submitChange",
    title: "a submission, looked for in the feed by its id",
    operation: "submitChange",
    level: "SHOULD",
    requirement: "commongrants.ledger.recorded",
    judge: async (probe) => isRecorded(await probe.use(submitted)),
  },
];

const ofChange: readonly RuleCase[] = [
  {
    id: "same@readChange",
    title: "revisions that both the feed and the route of one change show",
    operation: "readChange",
    requirement: "commongrants.ledger.same",
    judge: sameInBoth,
  },
];

const unchangedByItself: RuleCase = {
  id: "unchanged@readChange",
  title: "an edit read as one change, compared with its answer and read again at the end",
  operation: "readChange",
  requirement: "commongrants.ledger.unchanged",
  writes: { of: "editOrganization" },
  judge: async (probe) => judgeUnchanged(probe, await probe.use(readAgain)),
};

const snapshotByItself: RuleCase = {
  id: "snapshot@readChange",
  title: "the snapshots of edits read as one change each, when later ones have changed the profile",
  operation: "readChange",
  level: "SHOULD",
  requirement: "commongrants.ledger.snapshot",
  writes: { of: "editOrganization" },
  judge: judgeSnapshotsRead,
};

const snapshots: RuleCase = {
  id: "snapshot@editOrganization",
  title: "the snapshots of edits after one another",
  operation: "editOrganization",
  level: "SHOULD",
  requirement: "commongrants.ledger.snapshot",
  judge: judgeSnapshots,
};

export const rule: Rule = defineRule({
  id: "commongrants.ledger",
  title: "All changes of a profile are in one ledger",
  level: "MUST",
  verifies: [
    "commongrants.ledger.recorded",
    "commongrants.ledger.newest-first",
    "commongrants.ledger.unchanged",
    "commongrants.ledger.snapshot",
    "commongrants.ledger.same",
  ],
  dependsOn: ["commongrants.revision/id", "commongrants.revision/ids-differ"],
  phase: "state",
  cases: (facts) => [
    ...without(facts, ["viewOrganization"], [snapshots]),
    ...without(facts, ["readChangesFeed"], recorded),
    ...ofFeed,
    ...without(facts, ["readChangesFeed"], ofChange),
    unchangedByItself,
    ...without(facts, ["viewOrganization"], [snapshotByItself]),
  ],
});

function isRecorded({ revision, feed }: Recorded): Finding {
  const id = idOf(revision);
  if (!revision || id === undefined)
    return Finding.notApplicable(phrase`the answer to the write names no revision`);
  if (!feed) return Finding.inconclusive(phrase`no feed could be read`);
  const evidence = evidenceOf(feed);
  const listed = feed.find((one) => idOf(one.revision) === id);
  const failed = (actual: ReturnType<typeof phrase>): Finding => ({
    kind: "fail",
    expected: phrase`the feed has the revision of the write`,
    actual,
    evidence,
  });
  if (!listed) return failed(phrase`it has none with the id ${valueFact(id)}`);
  const differing = ["patch", "source"].filter(
    (name) =>
      revision[name] !== undefined &&
      listed.revision[name] !== undefined &&
      !isSame(revision[name], listed.revision[name]),
  );
  return differing.length === 0
    ? Finding.pass(evidence)
    : failed(phrase`it has it with another ${listFact(differing)}`);
}

async function newestFirst(probe: Probe): Promise<Finding> {
  const all = await probe.use(shownRevisions("readChangesFeed"));
  const timed = all.flatMap(({ revision, exchange }) => {
    const { createdAt } = revision;
    const at = typeof createdAt === "string" ? Date.parse(createdAt) : Number.NaN;
    // What a body claimed is commongrants.provenance's matter.
    return Number.isNaN(at) || at === Date.parse(CLAIMED_TIME)
      ? []
      : [{ at, text: String(createdAt), exchange }];
  });
  if (new Set(timed.map(({ at }) => at)).size < 2)
    return Finding.notApplicable(phrase`the feed shows no two changes of different times`);
  const evidence = evidenceOf(all);
  const wrong = timed.findIndex(({ at }, index) => at > (timed[index - 1]?.at ?? Infinity));
  if (wrong < 0) return Finding.pass(evidence);
  return {
    kind: "fail",
    expected: phrase`the feed is sorted by createdAt, the newest change first`,
    actual: phrase`a change of ${valueFact(timed[wrong - 1]?.text)} comes before one of ${valueFact(timed[wrong]?.text)}`,
    evidence,
  };
}

/** What never changes of a revision. */
const FIXED = ["patch", "source", "createdAt"] as const;

/** Judges later readings of the suite's own revisions by the answers to their writes. */
async function judgeUnchanged(probe: Probe, later: readonly Shown[]): Promise<Finding> {
  const firsts = await firstReadings(probe);
  const pairs = later.flatMap(({ revision, exchange }) => {
    const first = firsts.find((one) => idOf(one.revision) === idOf(revision));
    return first && idOf(revision) !== undefined ? [{ first, revision, exchange }] : [];
  });
  if (pairs.length === 0)
    return Finding.notApplicable(phrase`no revision of the suite's own writes is shown again`);
  const wrong = pairs.flatMap((pair) => {
    const changed = changesIn(pair.first.revision, pair.revision);
    return changed.length > 0 ? [{ ...pair, changed }] : [];
  });
  const [one] = wrong;
  const evidence = (all: typeof pairs): Evidence => ({
    probes: [...new Set(all.flatMap(({ first, exchange }) => [first.exchange, exchange]))],
  });
  if (!one) return Finding.pass(evidence(pairs));
  return {
    kind: "fail",
    expected: phrase`a revision keeps its patch, source and createdAt, and its status once that is terminal`,
    actual: phrase`${wrong.length} of ${pairs.length} revisions are shown otherwise later: ${listFact(one.changed)}`,
    evidence: evidence(wrong),
    ...(wrong.length > 1 && { certainty: "many" as const }),
  };
}

async function firstReadings(probe: Probe): Promise<readonly Shown[]> {
  const edits = (await optional(probe.use(shownRevisions("editOrganization")))) ?? [];
  const submissions = probe.target.operations.submitChange
    ? ((await optional(probe.use(shownRevisions("submitChange")))) ?? [])
    : [];
  return [...edits, ...submissions];
}

function changesIn(first: Revision, later: Revision): string[] {
  const changed: string[] = FIXED.filter(
    (name) =>
      first[name] !== undefined && later[name] !== undefined && !isFixed(name, first, later),
  );
  const [was, is] = [statusOf(first), statusOf(later)];
  if (was !== undefined && TERMINAL.has(was) && is !== was && STATUSES.includes(is ?? ""))
    changed.push(`status.value is ${is}, and was ${was}`);
  return changed;
}

function isFixed(name: (typeof FIXED)[number], first: Revision, later: Revision): boolean {
  const [a, b] = [first[name], later[name]];
  if (name !== "createdAt") return isSame(a, b);
  // A time may be written in another form, or with fewer digits.
  const apart = Math.abs(Date.parse(String(a)) - Date.parse(String(b)));
  return Number.isNaN(apart) ? a === b : apart < 1000;
}

/** Edits read as one change each, which comes after all writes of the run: an early one, and the last. */
const readAgain: Fixture<readonly Shown[]> = {
  name: "edits read again",
  scope: "rule",
  async setup(probe): Promise<Shown[]> {
    const edits = (await optional(probe.use(shownRevisions("editOrganization")))) ?? [];
    // Of the first edit, no snapshot is judged.
    const ids = [edits[1] ?? edits[0], edits.at(-1)].map((one) => writtenId(one?.revision));
    const read: Shown[] = [];
    for (const id of new Set(ids)) {
      const reply = id === undefined ? undefined : await optional(readBy(probe, id));
      const shown = reply && revisionIn(reply);
      if (shown) read.push({ revision: shown, exchange: reply.exchange.id });
    }
    return read;
  },
};

async function sameInBoth(probe: Probe): Promise<Finding> {
  const listed = await probe.use(shownRevisions("readChangesFeed"));
  const read = await probe.use(shownRevisions("readChange"));
  const pairs = read.flatMap((one) => {
    const other = listed.find(({ revision }) => idOf(revision) === idOf(one.revision));
    return other && idOf(one.revision) !== undefined ? [{ one, other }] : [];
  });
  const evidence = evidenceOf(pairs.flatMap(({ one, other }) => [other, one]));
  if (pairs.length === 0)
    return Finding.notApplicable(phrase`no change of the feed is shown by its id`);
  const wrong = pairs.flatMap((pair) => {
    const [a, b] = [pair.other.revision, pair.one.revision];
    const names = [...FIXED, "snapshot", "status"].filter(
      (name) => a[name] !== undefined && b[name] !== undefined && !isAlike(name, a, b),
    );
    return names.length > 0 ? [{ ...pair, names }] : [];
  });
  const [first] = wrong;
  if (!first) return Finding.pass(evidence);
  return {
    kind: "fail",
    expected: phrase`the feed and the route of one change show the same revision`,
    actual: phrase`${wrong.length} of ${pairs.length} revisions have another ${listFact(first.names)} there`,
    evidence: evidenceOf(wrong.flatMap(({ one, other }) => [other, one])),
    ...(wrong.length > 1 && { certainty: "many" as const }),
  };
}

/** Whether two readings of a member are alike. A status may have moved between them, unless it was terminal. */
function isAlike(name: string, listed: Revision, read: Revision): boolean {
  if (name === "createdAt") return isFixed(name, listed, read);
  if (name !== "status") return isSame(listed[name], read[name]);
  const [was, is] = [statusOf(listed), statusOf(read)];
  const arePublished = [was, is].every((one) => STATUSES.includes(one ?? ""));
  return was === is || !arePublished || !TERMINAL.has(was ?? "");
}

/** Each snapshot is compared with the profile before its edit merged with the patch; before that edit came another of the suite's. */
const MOST_NAMED = 5;

async function judgeSnapshots(probe: Probe): Promise<Finding> {
  const { edits, stores } = await probe.use(merges);
  const judged = edits.slice(1).filter(({ revision }) => isObject(revision?.["snapshot"]));
  if (judged.length === 0) return Finding.notApplicable(phrase`no edit has a snapshot`);
  const wrong = judged.filter((edit) => otherInSnapshot(edit, stores).length > 0);
  const evidence = ofAll((wrong.length > 0 ? wrong : judged).map((edit) => edit.evidence));
  const [first] = wrong;
  if (!first) return Finding.pass(evidence);
  return {
    kind: "fail",
    expected: phrase`a snapshot is the profile before the edit, merged with the patch`,
    actual: phrase`${wrong.length} of ${judged.length} snapshots have other values for ${listFact(otherInSnapshot(first, stores).slice(0, MOST_NAMED))}`,
    evidence,
    ...(wrong.length > 1 && { certainty: "many" as const }),
  };
}

/** Judges what the route of one change has as the snapshot of an edit of long ago. */
async function judgeSnapshotsRead(probe: Probe): Promise<Finding> {
  const { edits, stores } = await probe.use(merges);
  const read = await probe.use(readAgain);
  const judged = edits.slice(1).flatMap((edit) => {
    const again = read.find(({ revision }) => idOf(revision) === idOf(edit.revision));
    return again && isObject(again.revision["snapshot"])
      ? [{ edit: { ...edit, revision: again.revision }, exchange: again.exchange }]
      : [];
  });
  if (judged.length === 0)
    return Finding.notApplicable(phrase`no edit is shown again with a snapshot`);
  const wrong = judged.filter(({ edit }) => otherInSnapshot(edit, stores).length > 0);
  const shown = wrong.length > 0 ? wrong : judged;
  const evidence = {
    probes: shown.flatMap(({ edit, exchange }) => [...(edit.evidence.probes ?? []), exchange]),
  };
  const [first] = wrong;
  if (!first) return Finding.pass(evidence);
  return {
    kind: "fail",
    expected: phrase`a change shows the profile before it, merged with its patch`,
    actual: phrase`${wrong.length} of ${judged.length} snapshots have other values for ${listFact(otherInSnapshot(first.edit, stores).slice(0, MOST_NAMED))}`,
    evidence,
    ...(wrong.length > 1 && { certainty: "many" as const }),
  };
}

/**
 * The members with another value in the snapshot than the profile before merged with the patch. Only those are compared that the
 * deployment stores, and of which the view shows what the patch makes of them: commongrants.merge-patch reports others.
 */
function otherInSnapshot(
  { before, patch, revision, outcomes }: Merge,
  stores: Merges["stores"],
): string[] {
  const right = new Set(outcomes.flatMap(({ path, isRight }) => (isRight ? path.join("/") : [])));
  const snapshot = revision?.["snapshot"];
  if (!isObject(snapshot)) return [];
  return outcomesOf(before.profile, patch, snapshot, stores)
    .filter(
      ({ path, expected, isRight }) =>
        !isRight && right.has(path.join("/")) && (isEmpty(expected) || stores(placeOf(path))),
    )
    .map(({ path }) => path.join("."));
}

function evidenceOf(all: readonly Shown[]): Evidence {
  return { probes: [...new Set(all.map(({ exchange }) => exchange))] };
}
