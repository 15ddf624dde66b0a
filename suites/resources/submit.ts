import { type CaseWith, judgedWith, onOperation } from "../../src/probe/cases.ts";
import { type Evidence, Finding } from "../../src/probe/finding.ts";
import { listFact, type Phrase, phrase, valueFact } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { type FoundId, sameId } from "../../src/probe/read/change-ids.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { unrecognisable } from "../../src/probe/write/unique-marker.ts";
import { UNBOUND_NAMES_OTHER, namesOtherInBody } from "../shared/named-in-body.ts";
import { readChange, readElsewhere, type Submission, submission } from "../shared/submission.ts";
import { noneLost } from "./changes/submissions.ts";
import { refusedInFeed } from "./edits/partial-write.ts";

const operation = "submitChange";

const cases = onOperation<CaseWith<Submission>>(operation, [
  {
    id: "readable",
    title: "a submitted change, read by its id",
    judge: isReadable,
  },
  {
    id: "none-lost",
    title: "all submissions of the run, looked for in the feed, or read by their ids",
    judge: (probe) => noneLost(probe),
  },
  {
    id: "id",
    title: "where the answer to a submission names the change",
    level: "OBSERVE",
    judge: (_probe, { answered, reply, evidence }) =>
      Finding.observed(
        answered.length === 0
          ? phrase`nowhere`
          : phrase`${listFact(answered.map((id) => place(id, reply)))}`,
        evidence,
      ),
  },
  {
    id: "in-feed",
    title: "whether a submitted change is in the feed before a review",
    level: "OBSERVE",
    judge: (_probe, submitted) => ({
      ...Finding.observed(phrase`${inFeed(submitted)}`, submitted.evidence),
      isUnread: !submitted.feedRead,
    }),
  },
  {
    id: "applied",
    title: "whether a submitted change is visible in the view before a review",
    level: "OBSERVE",
    judge: (_probe, submitted) => ({
      ...Finding.observed(phrase`${applied(submitted)}`, submitted.evidence),
      isUnread: submitted.applied === undefined,
    }),
  },
]);

const refusedInPart: CaseWith<Submission> = {
  id: `refused-in-part@${operation}`,
  title: "whether a submission that was refused because a part of it is invalid is in the feed",
  operation,
  level: "OBSERVE",
  needs: [`operations.${operation}.invalidBody`, `\${unique} in operations.${operation}.body`],
  judge: refusedInFeed,
};

export const rule: Rule = defineRule({
  id: "resources.submit",
  title: "A submitted change is readable by its id",
  level: "SHOULD",
  verifies: ["endpoints.submit-change", "service.submit"],
  phase: "state",
  cases: (facts) => [
    ...judgedWith(
      [
        // They share one submission, and only read after it.
        ...cases.map((one) => ({ ...one, writes: "beside" as const })),
        refusedInPart,
      ],
      (probe) => probe.use(submission),
    ),
    namesOtherInBody(facts, operation, UNBOUND_NAMES_OTHER),
  ],
});

async function isReadable(probe: Probe, submitted: Submission): Promise<Finding> {
  const { ids, evidence } = submitted;
  if (ids.length === 0) return Finding.inconclusive(whyNoId(probe, submitted), evidence);
  const { reply, evidence: read } = await readChange(probe, ids);
  const probes = [...evidence.probes, ...read.probes];
  const actual = describeReply(reply);
  switch (reception(reply)) {
    case "accepted":
      return Finding.pass({ ...read, probes });
    case "unclear":
      return Finding.inconclusive(actual, { ...read, probes });
    default:
      if (await isElsewhere(probe, submitted)) {
        const reason = phrase`${actual}; it is under the other organization, which resources.change-isolated reports`;
        return Finding.inconclusive(reason, { ...read, probes });
      }
      return (
        (await ofAnotherThing(probe, submitted, { ...read, probes })) ?? {
          kind: "fail",
          expected: phrase`a submitted change is readable by the id in the answer to its submission`,
          actual,
          evidence: { ...read, probes },
        }
      );
  }
}

/**
 * What is found where the ids in the answer may be those of another thing, such as of a task that makes the change: the profile
 * does not say that one is the change's, and the feed lists the change with others, or `Location` names no change.
 */
async function ofAnotherThing(
  probe: Probe,
  { ids, listed = [], reply }: Submission,
  evidence: Evidence,
): Promise<Finding | undefined> {
  if (probe.target.operations[operation]?.id !== undefined) return undefined;
  const others = listed.filter((one) => !ids.some(({ id }) => sameId(id, one.id)));
  if (others.length > 0) {
    const { reply: shown, evidence: read } = await readChange(probe, others);
    if (reception(shown) === "accepted") {
      const probes = [...evidence.probes, ...read.probes];
      return Finding.pass({ ...read, probes }, phrase`it is readable by the id in the feed`);
    }
  }
  if (reply.headers["location"] === undefined || ids.some(({ at }) => at === "Location")) {
    return undefined;
  }
  const reason = phrase`Location names no change, and no change has an id of the answer; if the answer has one of the change, set \`operations.submitChange.id\` to its JSON Pointer`;
  return Finding.inconclusive(reason, evidence);
}

/** Why no id of the change is known, and what to do about it. A JSON Pointer helps only where there is something to point to. */
function whyNoId(probe: Probe, submitted: Submission): Phrase {
  const { reply } = submitted;
  const pointer = probe.target.operations[operation]?.id;
  const body = reply.json();
  if (typeof body !== "object" || body === null || Object.keys(body).length === 0) {
    return phrase`${describeReply(reply)} names no change: it has no Location of one, and no JSON in which an id could be; ${unlisted(submitted)}; to have this judged, let the answer or the feed name the change`;
  }
  const unnamed = pointer
    ? phrase`\`operations.submitChange.id\`, ${valueFact(pointer)}, points to no id in the answer`
    : phrase`no id of the change was recognised in the answer`;
  return phrase`${unnamed}; ${unlisted(submitted)}; if the answer has one, set \`operations.submitChange.id\` to its JSON Pointer`;
}

/** Why the feed names no change either. */
function unlisted({ value, feedRead, listed }: Submission): string {
  if (listed) return "the feed lists it without an id";
  if (value === undefined) return unrecognisable(operation);
  return feedRead ? "the feed does not list it" : "no feed could be read";
}

/** The rule `resources.change-isolated` judges under which organization it is kept. */
async function isElsewhere(probe: Probe, submitted: Submission): Promise<boolean> {
  const { other } = await probe.organizations();
  return (
    other !== undefined &&
    (await readElsewhere(probe, submitted, { organization: other })) !== undefined
  );
}

function place({ at }: FoundId, { headers }: Submission["reply"]): string {
  if (at !== "Location") return at === "" ? "the body itself" : at;
  return /^[a-z][a-z\d+.-]*:/i.test(headers["location"] ?? "")
    ? "Location, absolute"
    : "Location, relative";
}

function inFeed({ value, feedRead, listed }: Submission): string {
  if (value === undefined) return unrecognisable(operation);
  if (!feedRead) return "no feed could be read";
  if (!listed) return "not in the feed";
  return listed.length > 0 ? "in the feed, with an id" : "in the feed, without an id";
}

function applied(submitted: Submission): string {
  if (submitted.value === undefined) return unrecognisable(operation);
  if (submitted.applied === undefined) return "the organization could not be viewed";
  return submitted.applied ? "applied at once" : "not applied yet";
}
