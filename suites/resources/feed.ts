import { endCase, optional, together } from "../../src/probe/case-end.ts";
import { type CaseWith, judgedWith } from "../../src/probe/cases.ts";
import type { Evidence, Finding } from "../../src/probe/finding.ts";
import { type Phrase, phrase } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import type { FoundId } from "../../src/probe/read/change-ids.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import type { Feed } from "../shared/feed.ts";
import { filledFeed } from "../shared/filled-feed.ts";
import { readChange, submission } from "../shared/submission.ts";
import { listedEdit } from "./changes/listed-edit.ts";
import { noneLeftOut } from "./changes/lost-submissions.ts";
import { sharesNoId } from "./changes/shared-ids.ts";

const operation = "readChangesFeed";

const MOST_BETWEEN = 4;

const cases: readonly CaseWith<Feed>[] = [
  {
    id: `first@${operation}`,
    title: "the first change that the feed lists, read by its id",
    operation,
    judge: ofListed(({ changes }) => changes[0]?.ids ?? endCase(NONE_LISTED)),
  },
  {
    id: `last@${operation}`,
    title: "the last change that the feed lists, read by its id",
    operation,
    judge: ofListed(({ changes }) =>
      changes.length === 1
        ? notThere(phrase`the feed lists one change only`)
        : (changes.at(-1)?.ids ?? endCase(NONE_LISTED)),
    ),
  },
  {
    id: `between@${operation}`,
    title: "some changes that the feed lists between the first and the last, each read by its id",
    operation,
    sends: MOST_BETWEEN,
    judge: areReadable,
  },
  {
    id: `submitted@${operation}`,
    title: "a submitted change that the feed lists, read by its id there",
    operation,
    writes: { of: "submitChange" },
    judge: ofListed(pickSubmitted),
  },
  {
    id: `edited@${operation}`,
    title: "a change that the feed lists for an edit, read by its id there",
    operation,
    writes: { of: "editOrganization" },
    judge: ofListed(pickEdited),
  },
  {
    id: `shared-id@${operation}`,
    title: "submitted changes that the feed lists apart, of which one id shows only one",
    operation,
    writes: { of: "submitChange" },
    judge: sharesNoId,
  },
  {
    id: `none-left-out@${operation}`,
    title: "submitted changes that can be read by their ids, looked for in the feed",
    operation,
    level: "SHOULD",
    writes: { of: "submitChange" },
    judge: noneLeftOut,
  },
];

const NONE_LISTED: Finding = {
  kind: "observed",
  value: phrase`the feed lists no change with an id`,
};

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
    if (!feed.items) {
      const reason = phrase`no list is recognised in the feed`;
      return { kind: "inconclusive", reason, evidence: feed.evidence };
    }
    return isReadable(probe, await pick(feed, probe), feed);
  };
}

/** The second one, and others at equal distances. */
async function areReadable(probe: Probe, feed: Feed): Promise<Finding> {
  const between = feed.changes.slice(1, -1).filter(({ ids }) => ids.length > 0);
  const step = Math.max(1, Math.ceil(between.length / MOST_BETWEEN));
  const chosen = between.filter((_change, at) => at % step === 0);
  const findings = await together(chosen.map(({ ids }) => isReadable(probe, ids, feed)));
  const read: Evidence[] = [];
  for (const finding of findings) {
    if (finding.kind !== "pass") return finding;
    if (finding.evidence) read.push(finding.evidence);
  }
  const [first] = read;
  if (!first) return notThere(phrase`the feed lists no change between two others`);
  const probes = new Set(read.flatMap((one) => one.probes));
  return { kind: "pass", evidence: { ...first, probes: [...probes] } };
}

async function isReadable(probe: Probe, ids: readonly FoundId[], feed: Feed): Promise<Finding> {
  const tokenOf = await otherToken(probe);
  const { reply, evidence: read } = await readChange(probe, ids, { tokenOf });
  const evidence = { ...read, probes: [...feed.evidence.probes, ...read.probes] };
  const actual = describeReply(reply);
  const received = reception(reply);
  // A token that only the feed is known to accept may be refused here for other reasons.
  if (received === "unclear" || (tokenOf && received !== "accepted" && reply.status !== 404)) {
    return { kind: "inconclusive", reason: actual, evidence };
  }
  if (received === "accepted") return { kind: "pass", evidence };
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

function pickEdited(feed: Feed, probe: Probe): readonly FoundId[] {
  return listedEdit(feed, probe)?.ids ?? notThere(phrase`the feed lists no edit with an id`);
}

async function pickSubmitted(_feed: Feed, probe: Probe): Promise<readonly FoundId[]> {
  const submitted = await optional(probe.use(submission));
  if (!submitted) return notThere(phrase`no change could be submitted`);
  const listed = submitted.listed ?? notThere(phrase`the feed does not list it`);
  return listed.length > 0 ? listed : endCase(NONE_LISTED);
}

function notThere(reason: Phrase): never {
  return endCase({ kind: "not-applicable", reason });
}
