import { isDeepStrictEqual } from "node:util";

import type { JsonObject } from "../../src/lib/json.ts";
import { isObject } from "../../src/lib/json.ts";
import { type Evidence, Finding, ofAll, optional } from "../../src/probe/finding.ts";
import { listFact, phrase, valueFact } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { defineRule, type Rule, type RuleCase } from "../../src/probe/rule.ts";
import { isSame } from "./profile/compare.ts";
import { mergePatch } from "./profile/merge.ts";
import { type Recorded, recordedEdit, type Shown } from "./writes/feed.ts";
import { type Merge, merges } from "./writes/merges.ts";
import { without } from "./writes/needs.ts";
import {
  idOf,
  type Revision,
  revisionIn,
  statusOf,
  TERMINAL,
  writtenId,
} from "./writes/revision.ts";
import { published } from "./writes/send.ts";
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
  judge: async (probe) => judgeUnchanged(probe, await readAgain(probe)),
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
  phase: "state",
  cases: (facts) => [
    ...without(facts, ["viewOrganization"], [snapshots]),
    ...without(facts, ["readChangesFeed"], recorded),
    ...ofFeed,
    ...without(facts, ["readChangesFeed"], ofChange),
    unchangedByItself,
  ],
});

function isRecorded({ revision, feed }: Recorded): Finding {
  const id = idOf(revision);
  if (!revision || id === undefined)
    return Finding.notApplicable(phrase`the answer to the write names no revision`);
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
    return Number.isNaN(at) ? [] : [{ at, text: String(createdAt), exchange }];
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
  if (was !== undefined && TERMINAL.has(was) && is !== undefined && is !== was)
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

/** Edits read as one change each, which comes after all writes of the run. */
async function readAgain(probe: Probe): Promise<Shown[]> {
  const edits = (await optional(probe.use(shownRevisions("editOrganization")))) ?? [];
  const read: Shown[] = [];
  for (const { revision } of [...edits.slice(0, 1), ...edits.slice(-1)]) {
    const id = writtenId(revision);
    const reply = id === undefined ? undefined : await optional(readBy(probe, id));
    const shown = reply && revisionIn(reply);
    if (shown) read.push({ revision: shown, exchange: reply.exchange.id });
  }
  return read;
}

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
  for (const { one, other } of pairs) {
    const [a, b] = [other.revision, one.revision];
    const differing = [...FIXED, "snapshot", "status"].filter(
      (name) => a[name] !== undefined && b[name] !== undefined && !isAlike(name, a, b),
    );
    if (differing.length === 0) continue;
    return {
      kind: "fail",
      expected: phrase`the feed and the route of one change show the same revision`,
      actual: phrase`${valueFact(idOf(b))} has another ${listFact(differing)} there`,
      evidence: evidenceOf([other, one]),
    };
  }
  return Finding.pass(evidence);
}

/** Whether two readings of a member are alike. A status may have moved between them, unless it was terminal. */
function isAlike(name: string, listed: Revision, read: Revision): boolean {
  if (name === "createdAt") return isFixed(name, listed, read);
  if (name !== "status") return isSame(listed[name], read[name]);
  const [was, is] = [statusOf(listed), statusOf(read)];
  return was === is || (was !== undefined && !TERMINAL.has(was));
}

/** Each snapshot is compared with the profile before its edit merged with the patch; before that edit came another of the suite's. */
async function judgeSnapshots(probe: Probe): Promise<Finding> {
  const { edits } = await probe.use(merges);
  const judged = edits.slice(1).filter(({ revision }) => isObject(revision?.["snapshot"]));
  if (judged.length === 0) return Finding.notApplicable(phrase`no edit has a snapshot`);
  const wrong = judged.filter((edit) => !isSnapshotRight(edit));
  const evidence = ofAll((wrong.length > 0 ? wrong : judged).map((edit) => edit.evidence));
  const [first] = wrong;
  if (!first) return Finding.pass(evidence);
  const shown = published(first.revision?.["snapshot"] as JsonObject);
  const model = published(mergePatch(first.before.profile, first.patch) as JsonObject);
  const names = Object.keys({ ...shown, ...model }).filter(
    (name) => !isSame(model[name], shown[name]),
  );
  return {
    kind: "fail",
    expected: phrase`a snapshot is the profile before the edit, merged with the patch`,
    actual: phrase`${wrong.length} of ${judged.length} snapshots have other values for ${listFact(names)}`,
    evidence,
    ...(wrong.length > 1 && { certainty: "many" as const }),
  };
}

/** A deployment that merges otherwise has snapshots of what it made, which commongrants.merge-patch reports. */
function isSnapshotRight({ before, after, patch, revision }: Merge): boolean {
  const shown = published(revision?.["snapshot"] as JsonObject);
  const model = published(mergePatch(before.profile, patch) as JsonObject);
  if (isSame(model, shown)) return true;
  const isOtherwise = !isDeepStrictEqual(model, published(after.profile));
  return isOtherwise && isSame(published(after.profile), shown);
}

function evidenceOf(all: readonly Shown[]): Evidence {
  return { probes: [...new Set(all.map(({ exchange }) => exchange))] };
}
