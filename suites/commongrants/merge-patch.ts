import { isDeepStrictEqual } from "node:util";

import { onOperation } from "../../src/probe/cases.ts";
import { Finding, ofAll } from "../../src/probe/finding.ts";
import { countFact, listFact, type Part, phrase, valueFact } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule, type RuleCase } from "../../src/probe/rule.ts";
import type { Duty, Outcome } from "./profile/compare.ts";
import { type Merge, merges } from "./writes/merges.ts";
import { withoutView } from "./writes/needs.ts";
import {
  emptyPatch,
  nameNull,
  partlyInvalid,
  partlyInvalidSubmission,
  sentId,
  sentServerMembers,
} from "./writes/odd-edits.ts";
import { mediaTypeOf, MERGE_PATCH, withMediaType, type WriteOperation } from "./writes/send.ts";

const operation = "editOrganization";

/** What each case looks at, with the requirement that it verifies. */
const DUTIES: readonly (Pick<RuleCase, "title" | "requirement"> & {
  readonly id: string;
  readonly duties: readonly Duty[];
  readonly expected: string;
})[] = [
  {
    id: "set",
    title: "members that drawn patches set, at every depth",
    requirement: "commongrants.merge.set",
    duties: ["set"],
    expected: "every member that a patch sets has the value of the patch",
  },
  {
    id: "kept",
    title: "members that drawn patches do not name",
    requirement: "commongrants.merge.set",
    duties: ["kept"],
    expected: "every member that a patch does not name stays as it was",
  },
  {
    id: "merged",
    title: "members of an object of which drawn patches name others",
    requirement: "commongrants.merge.objects",
    duties: ["merged"],
    expected: "an object is merged member by member, so what a patch does not name in it stays",
  },
  {
    id: "array",
    title: "arrays in drawn patches",
    requirement: "commongrants.merge.objects",
    duties: ["array"],
    expected: "an array is replaced as a whole",
  },
  {
    id: "removed",
    title: "members for which drawn patches have null",
    requirement: "commongrants.merge.null",
    duties: ["removed"],
    expected: "a member for which a patch has null is absent or null in the view",
  },
  {
    id: "entries",
    title: "entries of records for which drawn patches have null",
    requirement: "commongrants.merge.records",
    duties: ["entry"],
    expected: "an entry of a record for which a patch has null is gone, and the others stay",
  },
];

const drawn: readonly RuleCase[] = DUTIES.map(({ duties, expected, ...one }) => ({
  ...one,
  id: `${one.id}@${operation}`,
  operation,
  judge: (probe: Probe) => judgeDuties(probe, duties, expected),
}));

const mediaTypes: readonly RuleCase[] = (["editOrganization", "submitChange"] as const).flatMap(
  (id) =>
    onOperation<RuleCase>(id, [
      {
        id: "media-type",
        title: `a good body as ${MERGE_PATCH}`,
        requirement: "commongrants.merge.media-type",
        judge: (probe) => takesMergePatch(probe, id),
      },
      {
        id: "media-type-json",
        title: "whether application/json is taken beside it",
        level: "OBSERVE",
        requirement: "commongrants.merge.media-type",
        judge: (probe) => takesJson(probe, id),
      },
    ]),
);

const others = onOperation<RuleCase>(operation, [
  {
    id: "id",
    title: "a patch with another `id`",
    requirement: "commongrants.merge.id",
    judge: sentId,
  },
  {
    id: "server-members",
    title: "a patch with other values for times and versions that the view shows",
    level: "SHOULD",
    requirement: "commongrants.merge.server-members",
    judge: sentServerMembers,
  },
  {
    id: "name-null",
    title: "a patch with null for the name, which is required",
    level: "SHOULD",
    requirement: "commongrants.merge.name",
    judge: async (probe) => (await probe.use(nameNull)).refused,
  },
  {
    id: "name-null-kept",
    title: "the profile after such a patch was refused",
    requirement: "commongrants.merge.refused",
    judge: async (probe) => (await probe.use(nameNull)).unchanged,
  },
  {
    id: "empty",
    title: "a patch without members",
    level: "SHOULD",
    requirement: "commongrants.merge.empty",
    judge: async (probe) => (await probe.use(emptyPatch)).accepted,
  },
  {
    id: "empty-changes-nothing",
    title: "the profile after a patch without members",
    requirement: "commongrants.merge.empty",
    judge: async (probe) => (await probe.use(emptyPatch)).unchanged,
  },
  {
    id: "refused-in-part",
    title: "the profile after a patch was refused of which a part is valid",
    requirement: "commongrants.merge.refused",
    grounds: { why: "a PATCH is applied as a whole, or not at all", source: "RFC 5789 §2" },
    judge: partlyInvalid,
  },
  {
    id: "normalised",
    title: "values that the view shows in another form than they were sent",
    level: "OBSERVE",
    requirement: "commongrants.merge.set",
    judge: normalised,
  },
  {
    id: "restored",
    title: "whether the profile has its former values after the edits",
    level: "OBSERVE",
    requirement: "commongrants.merge.set",
    judge: async (probe) => {
      const { edits, leftOver } = await probe.use(merges);
      const left = phrase`not restored: ${listFact(leftOver)}`;
      return Finding.observed(
        leftOver.length === 0 ? phrase`restored` : left,
        ofAll(edits.map(({ evidence }) => evidence)),
      );
    },
  },
]);

const inFeed: RuleCase = {
  id: "refused-in-part@submitChange",
  title: "the feed after a submission was refused of which a part is valid",
  operation: "submitChange",
  level: "SHOULD",
  requirement: "commongrants.merge.refused",
  judge: partlyInvalidSubmission,
};

export const rule: Rule = defineRule({
  id: "commongrants.merge-patch",
  title: "A write is a JSON merge patch",
  level: "MUST",
  verifies: [
    "commongrants.merge.set",
    "commongrants.merge.media-type",
    "commongrants.merge.null",
    "commongrants.merge.objects",
    "commongrants.merge.records",
    "commongrants.merge.id",
    "commongrants.merge.server-members",
    "commongrants.merge.name",
    "commongrants.merge.empty",
    "commongrants.merge.refused",
  ],
  phase: "state",
  cases: (facts) => [...mediaTypes, ...withoutView(facts, [...drawn, ...others]), inFeed],
});

async function takesMergePatch(probe: Probe, id: WriteOperation): Promise<Finding> {
  const { reply, evidence, isPlain } = await probe.use(mediaTypeOf(id));
  const actual = describeReply(reply);
  const received = reception(reply);
  if (received === "accepted") return Finding.pass(evidence);
  if (received === "unclear" || (!isPlain && reply.status !== 415))
    return Finding.inconclusive(actual, evidence);
  return {
    kind: "fail",
    expected: phrase`a body of ${MERGE_PATCH} is taken`,
    actual,
    evidence,
    comparative: true,
  };
}

/** The control shows it where the profile says that the deployment takes JSON. */
async function takesJson(probe: Probe, id: WriteOperation): Promise<Finding> {
  const { contentType = "application/json" } = probe.target.operations[id] ?? {};
  const control = await probe.control(id);
  if (/^application\/json\b/i.test(contentType))
    return Finding.observed(describeReply(control.reply), { probes: [control.exchange] });
  const tried = await probe.tryAttempt(
    {
      name: "json",
      what: "the media type is application/json",
      request: (spec) => withMediaType(spec, "application/json"),
    },
    { operation: id, purpose: "further" },
  );
  if ("finding" in tried) return tried.finding;
  const { reply, evidence } = tried.attempt;
  return Finding.observed(describeReply(reply), evidence);
}

async function judgeDuties(
  probe: Probe,
  duties: readonly Duty[],
  expected: string,
): Promise<Finding> {
  const { edits, refused } = await probe.use(merges);
  const judged = edits
    .map((edit) => ({ edit, own: edit.outcomes.filter(({ duty }) => duties.includes(duty)) }))
    .filter(({ own }) => own.length > 0);
  const wrong = judged.filter(({ own }) => own.some(({ isRight }) => !isRight));
  const evidence = ofAll((wrong.length > 0 ? wrong : judged).map(({ edit }) => edit.evidence));
  const [first] = wrong;
  if (!first) {
    if (judged.length > 0) return Finding.pass(evidence);
    const why = refused.length > 0 ? "such patches are refused" : "no such member is stored";
    return Finding.notApplicable(phrase`${why}`);
  }
  if (edits.slice(1).every(isUnseen)) {
    const reason = phrase`the edit is seen nowhere, which commongrants.submission reports`;
    return Finding.inconclusive(reason, evidence);
  }
  const members = first.own.filter(({ isRight }) => !isRight);
  const more =
    members.length > MOST_NAMED ? phrase`, and ${members.length - MOST_NAMED} more` : phrase``;
  return {
    kind: "fail",
    expected: phrase`${expected}`,
    actual: phrase`after ${countFact(wrong.length, "edit")} of ${edits.length} it is otherwise: ${listFact(members.slice(0, MOST_NAMED).map(inWordsOf), "; ")}${more}`,
    evidence,
    ...(wrong.length > 1 && { certainty: "many" as const }),
  };
}

const MOST_NAMED = 5;
const LONGEST_VALUE = 60;

function inWordsOf({ path, expected, actual }: Outcome): Part {
  return phrase`${valueFact(path.join("."))} is ${valueFact(shortJson(actual))}, not ${valueFact(shortJson(expected))}`;
}

function shortJson(value: unknown): string {
  if (value === undefined) return "absent";
  const json = JSON.stringify(value);
  return json.length > LONGEST_VALUE ? `${json.slice(0, LONGEST_VALUE)}…` : json;
}

/** Whether nothing of an edit that changes something shows. */
function isUnseen({ before, after, outcomes }: Merge): boolean {
  return (
    isDeepStrictEqual(before.profile, after.profile) &&
    outcomes.every(({ duty, isRight }) => duty === "kept" || duty === "merged" || !isRight)
  );
}

async function normalised(probe: Probe): Promise<Finding> {
  const { edits } = await probe.use(merges);
  const otherwise = edits
    .flatMap(({ outcomes }) => outcomes)
    .filter(
      ({ isRight, expected, actual, duty }) =>
        isRight && (duty === "set" || duty === "array") && !isDeepStrictEqual(expected, actual),
    );
  const evidence = ofAll(edits.map((edit) => edit.evidence));
  if (otherwise.length === 0) return Finding.observed(phrase`none`, evidence);
  return Finding.observed(
    phrase`${listFact(otherwise.slice(0, MOST_NAMED).map(inWordsOf), "; ")}`,
    evidence,
  );
}
