import { type CaseWith, judgedWith, onOperation } from "../../src/probe/cases.ts";
import { endCase, Finding, optional, together } from "../../src/probe/finding.ts";
import { phrase, valueFact } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import type { FoundId } from "../../src/probe/read/change-ids.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import type { UniqueValue } from "../../src/probe/unique-value.ts";
import { acceptedWrites, shows } from "../../src/probe/write/unique-marker.ts";
import { changeShowing, type Feed, readFeed } from "../shared/feed.ts";
import { doesNotApply } from "../shared/kind.ts";
import { filledFeed, readChange, submission } from "../shared/submission.ts";
import { listedEdit } from "./changes/change-elsewhere.ts";
import { noneLeftOut } from "./changes/submissions.ts";

const operation = "readChangesFeed";

const MOST_BETWEEN = 4;

const cases = onOperation<CaseWith<Feed>>(operation, [
  {
    id: "first",
    title: "the first change that the feed lists, read by its id",
    judge: ofListed(({ changes }) => changes[0]?.ids ?? endCase(NONE_LISTED)),
  },
  {
    id: "last",
    title: "the last change that the feed lists, read by its id",
    judge: ofListed(({ changes }) =>
      changes.length === 1
        ? doesNotApply(phrase`the feed lists one change only`)
        : (changes.at(-1)?.ids ?? endCase(NONE_LISTED)),
    ),
  },
  {
    id: "between",
    title: "some changes that the feed lists between the first and the last, each read by its id",
    sends: MOST_BETWEEN,
    judge: areReadable,
  },
  {
    id: "submitted",
    title: "a submitted change that the feed lists, read by its id there",
    writes: { of: "submitChange" },
    judge: ofListed(pickSubmitted),
  },
  {
    id: "edited",
    title: "a change that the feed lists for an edit, read by its id there",
    writes: { of: "editOrganization" },
    judge: ofListed(
      (feed, probe) =>
        listedEdit(feed, probe)?.ids ?? doesNotApply(phrase`the feed lists no edit with an id`),
    ),
  },
  {
    id: "shared-id",
    title: "submitted changes that the feed lists apart, of which one id shows only one",
    writes: { of: "submitChange" },
    judge: sharesNoId,
  },
  {
    id: "none-left-out",
    title: "submitted changes that can be read by their ids, looked for in the feed",
    level: "SHOULD",
    writes: { of: "submitChange" },
    judge: noneLeftOut,
  },
]);

const NONE_LISTED: Finding = Finding.observed(phrase`the feed lists no change with an id`);

export const rule: Rule = defineRule({
  id: "resources.feed",
  title: "A change that the feed lists is readable by its id",
  level: "MUST",
  verifies: [
    "change.read-through-feed",
    "service.feed",
    "change.identified-in-paths",
    "endpoints.read-changes-feed",
  ],
  phase: "state",
  dependsOn: ["receiver.isolation", "resources.change-isolated"],
  cases: () => judgedWith(cases, (probe) => probe.use(filledFeed)),
});

/**
 * Judges that a listed change is readable.
 * @param pick the ids of the change; ends the case where there is none
 */
function ofListed(
  pick: (feed: Feed, probe: Probe) => Promise<readonly FoundId[]> | readonly FoundId[],
): CaseWith<Feed>["judge"] {
  return async (probe, feed) => {
    if (!feed.items)
      return Finding.inconclusive(phrase`no list is recognised in the feed`, feed.evidence);
    return isReadable(probe, await pick(feed, probe), feed);
  };
}

/** The second one, and others at equal distances. */
async function areReadable(probe: Probe, feed: Feed): Promise<Finding> {
  const between = feed.changes.slice(1, -1).filter(({ ids }) => ids.length > 0);
  const step = Math.max(1, Math.ceil(between.length / MOST_BETWEEN));
  const chosen = between.filter((_change, at) => at % step === 0);
  const findings = await together(chosen.map(({ ids }) => isReadable(probe, ids, feed)));
  const other = findings.find(({ kind }) => kind !== "pass");
  if (other) return other;
  const read = findings.flatMap((finding) => ("evidence" in finding && finding.evidence) || []);
  const [first] = read;
  if (!first) return doesNotApply(phrase`the feed lists no change between two others`);
  const probes = new Set(read.flatMap((one) => one.probes));
  return Finding.pass({ ...first, probes: [...probes] });
}

async function isReadable(probe: Probe, ids: readonly FoundId[], feed: Feed): Promise<Finding> {
  const tokenOf = await otherToken(probe);
  const { reply, evidence: read } = await readChange(probe, ids, { tokenOf });
  const evidence = { ...read, probes: [...feed.evidence.probes, ...read.probes] };
  const actual = describeReply(reply);
  const received = reception(reply);
  // A token that only the feed is known to accept may be refused here for other reasons.
  if (received === "unclear" || (tokenOf && received !== "accepted" && reply.status !== 404)) {
    return Finding.inconclusive(actual, evidence);
  }
  if (received === "accepted") return Finding.pass(evidence);
  return {
    kind: "fail",
    expected: phrase`the change ${ids[0]?.id}, which the feed lists, is readable by that id`,
    actual,
    evidence,
  };
}

/**
 * The operation whose control supplies the token: the feed's where no change from the feed can be
 * read. If the profile names a change, `routes.reachable` judges that it can be read.
 */
async function otherToken(probe: Probe): Promise<typeof operation | undefined> {
  if (probe.target.operations.readChange?.changeId !== undefined) return undefined;
  return "control" in (await probe.tryControl("readChange")) ? undefined : operation;
}

async function pickSubmitted(_feed: Feed, probe: Probe): Promise<readonly FoundId[]> {
  const submitted = await optional(probe.use(submission));
  if (!submitted) return doesNotApply(phrase`no change could be submitted`);
  const listed = submitted.listed ?? doesNotApply(phrase`the feed does not list it`);
  return listed.length > 0 ? listed : endCase(NONE_LISTED);
}

/** A submission of the run, and the change by which the feed lists it. */
interface Listed {
  readonly one: UniqueValue;
  readonly change: Feed["changes"][number];
  readonly id: string;
}

/**
 * Judges that submissions of the run that the feed lists as separate changes are not listed under one id that shows only one
 * of them. Ids made of the time repeat in the same second. SHOULD unless both were answered 201 Created (RFC 9110 §15.3.2),
 * because a later submission may amend an earlier one.
 */
async function sharesNoId(probe: Probe): Promise<Finding> {
  const feed = await readFeed(probe);
  const { primary } = await probe.organizations();
  const listed = acceptedWrites(probe, "submitChange")
    .filter(({ organization }) => organization === primary)
    .flatMap((one) => listedAs(feed, one));
  if (listed.length < 2) {
    return Finding.notApplicable(phrase`the feed lists fewer than two submissions with an id`);
  }
  const { evidence } = feed;
  for (const [at, first] of listed.entries()) {
    const second = listed
      .slice(at + 1)
      .find(({ id, change }) => id === first.id && change !== first.change);
    if (!second) continue;
    const read = await readChange(probe, first.change.ids);
    const [shown, hidden] = [first, second].toSorted(
      (a, b) => Number(shows(read.reply, b.one.value)) - Number(shows(read.reply, a.one.value)),
    ) as [Listed, Listed];
    // A record that shows neither value does not tell which change it is.
    if (!shows(read.reply, shown.one.value) || shows(read.reply, hidden.one.value)) continue;
    const isCreated = first.one.status === 201 && second.one.status === 201;
    return {
      kind: "fail",
      expected: phrase`every change that the feed lists is readable by its id`,
      actual: phrase`the feed lists ${valueFact(shown.one.value)} and ${valueFact(hidden.one.value)} as ${valueFact(first.id)}, which shows the former alone`,
      evidence: { ...read.evidence, probes: [...evidence.probes, ...read.evidence.probes] },
      certainty: "many",
      ...(!isCreated && { atMost: "SHOULD" }),
    };
  }
  return Finding.pass(evidence);
}

function listedAs(feed: Feed, one: UniqueValue): Listed[] {
  const change = changeShowing(feed, one.value);
  const [found] = change?.ids ?? [];
  return change && found ? [{ one, change, id: found.id }] : [];
}
