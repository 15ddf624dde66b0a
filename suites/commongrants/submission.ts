import { onOperation } from "../../src/probe/cases.ts";
import { Finding } from "../../src/probe/finding.ts";
import { listFact, phrase, valueFact } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule, type RuleCase } from "../../src/probe/rule.ts";
import { plainEdit } from "../shared/edit.ts";
import { without, withoutView } from "./writes/needs.ts";
import { idOf, revisionIn } from "./writes/revision.ts";
import { type Submitted, submitted } from "./writes/submission.ts";

const edits = onOperation<RuleCase>("editOrganization", [
  {
    id: "shown",
    title: "an edit that was accepted, looked for in the view",
    judge: editShown,
  },
]);

const submissions = onOperation<RuleCase>("submitChange", [
  {
    id: "accepted-shown",
    title: "a submission that was accepted at once, looked for in the view",
    judge: acceptedShown,
  },
  {
    id: "accepted-merged",
    title: "a submission that was accepted at once, as a merge patch",
    requirement: "commongrants.merge.set",
    judge: acceptedMerged,
  },
  {
    id: "pending-hidden",
    title: "a submission that waits for its review, looked for in the view",
    level: "SHOULD",
    requirement: "commongrants.submission.pending",
    judge: pendingHidden,
  },
]);

const ofLocation: RuleCase = {
  id: "location@submitChange",
  title: "`Location` of a submission that waits for its review",
  operation: "submitChange",
  level: "SHOULD",
  requirement: "commongrants.submission.location",
  judge: leadsToChange,
};

export const rule: Rule = defineRule({
  id: "commongrants.submission",
  title: "What is accepted shows in the view, and what is pending does not",
  level: "MUST",
  verifies: [
    "commongrants.submission.accepted",
    "commongrants.submission.pending",
    "commongrants.submission.location",
    "commongrants.merge.set",
  ],
  dependsOn: ["commongrants.revision/id"],
  phase: "state",
  cases: (facts) => [
    ...withoutView(facts, [...edits, ...submissions]),
    ...without(facts, ["readChange"], [ofLocation]),
  ],
});

async function editShown(probe: Probe): Promise<Finding> {
  const { seen, value, status, evidence } = await probe.use(plainEdit);
  if (seen) return Finding.pass(evidence);
  return {
    kind: "fail",
    expected: phrase`the view shows an edit that is answered ${status}`,
    actual: phrase`it does not show ${valueFact(value)}, however often it was asked`,
    evidence,
  };
}

/** @returns the finding where the submission was not accepted at once */
function unlessAccepted({ status, evidence, views }: Submitted): Finding | undefined {
  if (!views) return Finding.inconclusive(phrase`the organization could not be viewed`, evidence);
  return status === "accepted"
    ? undefined
    : Finding.notApplicable(phrase`the submission is ${status ?? "of an unknown status"}`);
}

async function acceptedShown(probe: Probe): Promise<Finding> {
  const one = await probe.use(submitted);
  const open = unlessAccepted(one);
  if (open) return open;
  const sets = one.outcomes.filter(({ duty }) => duty === "set");
  if (sets.length === 0) return Finding.notApplicable(phrase`no member of it is stored`);
  if (sets.some(({ isRight }) => isRight)) return Finding.pass(one.evidence);
  return {
    kind: "fail",
    expected: phrase`the view shows a submission that is answered as accepted`,
    actual: phrase`it does not show ${listFact(sets.map(({ path }) => path.join(".")))}, however often it was asked`,
    evidence: one.evidence,
  };
}

async function acceptedMerged(probe: Probe): Promise<Finding> {
  const one = await probe.use(submitted);
  const open = unlessAccepted(one);
  if (open) return open;
  const wrong = one.outcomes.filter(({ isRight }) => !isRight);
  const sets = one.outcomes.filter(({ duty }) => duty === "set");
  if (wrong.length === 0) return Finding.pass(one.evidence);
  if (sets.length > 0 && sets.every(({ isRight }) => !isRight))
    return Finding.notApplicable(phrase`the submission is seen nowhere`);
  return {
    kind: "fail",
    expected: phrase`a submission that is accepted is merged as RFC 7396 says`,
    actual: phrase`it is otherwise: ${listFact(wrong.map(({ path }) => path.join(".")))}`,
    evidence: one.evidence,
  };
}

async function pendingHidden(probe: Probe): Promise<Finding> {
  const { status, later, outcomes, evidence, views } = await probe.use(submitted);
  if (status !== "pending")
    return Finding.notApplicable(phrase`the submission is ${status ?? "of an unknown status"}`);
  if (!views) return Finding.inconclusive(phrase`the organization could not be viewed`, evidence);
  const shown = outcomes.filter(({ duty, isRight }) => duty === "set" && isRight);
  if (shown.length === 0) return Finding.pass(evidence);
  if (later !== "pending") {
    const now = later === undefined ? phrase`cannot be read` : phrase`is ${later}`;
    return Finding.observed(phrase`the view shows it, and the change ${now} after that`, evidence);
  }
  return {
    kind: "fail",
    expected: phrase`the view does not show a change that is pending`,
    actual: phrase`it shows ${listFact(shown.map(({ path }) => path.join(".")))}, and the change is pending before and after that`,
    evidence,
  };
}

async function leadsToChange(probe: Probe): Promise<Finding> {
  const { status, reply, revision, evidence } = await probe.use(submitted);
  if (status !== "pending")
    return Finding.notApplicable(phrase`the submission is ${status ?? "of an unknown status"}`);
  const expected = phrase`Location of a pending submission leads to its change`;
  const failed = (actual: ReturnType<typeof phrase>, more: readonly string[] = []): Finding => ({
    kind: "fail",
    expected,
    actual,
    evidence: { ...evidence, probes: [reply.exchange.id, ...more] },
  });
  const location = reply.headers["location"];
  if (location === undefined) return failed(phrase`there is no Location`);
  if (!URL.canParse(location, reply.exchange.request.url))
    return failed(phrase`${valueFact(location)} is no URL`);
  const url = new URL(location, reply.exchange.request.url);
  if (url.origin !== new URL(probe.target.baseUrl).origin)
    return failed(phrase`${valueFact(location)} is on another host`);
  const control = await probe.control("readChange");
  const { reply: led, evidence: read } = await probe.attempt(
    {
      name: "location",
      what: "the path is that of Location",
      request: (spec) => ({ ...spec, path: url.pathname + url.search }),
    },
    { operation: "readChange" },
  );
  const probes = read.probes;
  switch (reception(led)) {
    case "unclear":
      return Finding.inconclusive(describeReply(led), { ...read, controls: [control.exchange] });
    case "accepted": {
      const [own, there] = [idOf(revision), idOf(revisionIn(led))];
      if (own === undefined) return Finding.notApplicable(phrase`the answer has no id`);
      return own === there
        ? Finding.pass({ ...evidence, probes: [reply.exchange.id, ...probes] })
        : failed(
            phrase`it leads to ${valueFact(there ?? "no id")}, not to ${valueFact(own)}`,
            probes,
          );
    }
    default:
      return failed(phrase`${valueFact(location)}: ${describeReply(led)}`, probes);
  }
}
