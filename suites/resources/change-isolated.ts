import { isDeepStrictEqual } from "node:util";

import { controlId } from "../../src/contract/ids.ts";
import { isSameUuid } from "../../src/contract/uuid.ts";
import type { Mutation } from "../../src/mutations/mutation.ts";
import { unknownChange } from "../../src/mutations/request/requests.ts";
import { deniedSubject } from "../../src/mutations/token/policy.ts";
import { optional } from "../../src/probe/case-end.ts";
import type { Finding } from "../../src/probe/finding.ts";
import { countFact, phrase, valueFact } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { type Feed, pageShowing, readFeed } from "../../src/probe/read/feed.ts";
import { filledFeed } from "../../src/probe/read/filled-feed.ts";
import { requireKind } from "../../src/probe/read/kind.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import type { RuleCase } from "../../src/probe/rule-case.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import {
  type KnownChange,
  type ReadChange,
  readChange,
  readElsewhere,
  submission,
} from "../../src/probe/write/submission.ts";
import {
  acceptedWrites,
  isRecognisable,
  reading,
  shows,
  viewed,
} from "../../src/probe/write/unique-marker.ts";
import type { Target } from "../../src/profile/target.ts";

interface IsolationCase extends RuleCase {
  readonly operation: "readChange" | "readChangesFeed";
  readonly bound: boolean;
  /** Whether the other organization's changes are looked for. Default: those of the primary one. */
  readonly ofOther?: boolean;
  /** Who asks. Default: the subject of the profile. */
  readonly by?: Mutation;
}

/** There is no consent to writes in the other organization, so its changes have no value that is known. */
const ofOther: IsolationCase = {
  id: "of-other@readChangesFeed",
  title:
    "changes that name another organization alone, looked for in the feed with a token bound to its own",
  operation: "readChangesFeed",
  bound: true,
  ofOther: true,
  needs: ["organizations.other", "claimsNamespace"],
};

/**
 * A receiver may apply its policy to the organization in the path, and find the change by its id alone. Where an unbound
 * token gets it, nothing else keeps it from a subject that may not act on its organization.
 */
const byDenied: IsolationCase = {
  id: "denied@readChange",
  title:
    "a change of one organization, asked for under another with an unbound token of a subject that may act on that one alone",
  operation: "readChange",
  bound: false,
  by: deniedSubject,
  mutations: [deniedSubject],
  needs: ["organizations.other", "denied"],
};

const inPrimary: readonly IsolationCase[] = (["readChange", "readChangesFeed"] as const).flatMap(
  (operation) =>
    [true, false].map((bound): IsolationCase => ({
      id: `${bound ? "bound" : "unbound"}@${operation}`,
      title:
        operation === "readChange"
          ? `a change of one organization, asked for under another with ${bound ? "a token bound to that" : "an unbound token"}`
          : `changes of one organization, looked for in the feed of another with ${bound ? "a token bound to that" : "an unbound token"}`,
      operation,
      bound,
      needs: ["organizations.other", ...(bound ? (["claimsNamespace"] as const) : [])],
      ...(!bound && { level: "SHOULD" }),
    })),
);

export const rule: Rule = defineRule({
  id: "resources.change-isolated",
  title: "A change of one organization does not appear under another",
  level: "MUST",
  verifies: [
    "binding.present",
    "change.identified-in-paths",
    "endpoints.change-id",
    "checks.binding",
    "checks.local-policy",
  ],
  dependsOn: ["receiver.isolation"],
  phase: "state",
  cases: (target) => [
    ...inPrimary,
    { ...byDenied, inapplicable: whyNobodyIsDenied(target) },
    ofOther,
  ],
  async probe(probe, { operation, bound, ofOther: isOfOther, by }): Promise<Finding> {
    const other = await probe.organization("other");
    await requireKind(probe, operation, bound);
    if (isOfOther) return listedBesideOwn(probe, other);
    return operation === "readChange"
      ? askedForElsewhere(probe, other, bound, by)
      : listedElsewhere(probe, other, bound);
  },
});

/** Why no second subject may act on the other organization and not on the primary one. */
function whyNobodyIsDenied({ denied, subject, organizations }: Target): string | undefined {
  return denied === undefined ||
    (denied.subject !== subject && isSameUuid(denied.organization, organizations.primary))
    ? undefined
    : "the denied subject or the denied organization is another one";
}

/** A change of the primary organization, preferably one that can be recognised. */
async function pickChange(probe: Probe): Promise<KnownChange> {
  if (probe.target.writes) {
    const submitted = await optional(probe.use(submission));
    for (const candidates of [submitted?.ids ?? [], submitted?.listed ?? []]) {
      if (candidates.length === 0) continue;
      const read = await optional(readChange(probe, candidates));
      if (read && reception(read.reply) === "accepted") {
        return { ids: [read.id], value: submitted?.value };
      }
    }
  }
  const found = await probe.tryControl("readChange");
  const id = "control" in found ? found.control.place.changeId : undefined;
  return { ids: id === undefined ? [] : [{ id, at: "" }] };
}

async function askedForElsewhere(
  probe: Probe,
  other: string,
  bound: boolean,
  by: Mutation = reading,
): Promise<Finding> {
  const change = await pickChange(probe);
  if (change.value === undefined && probe.target.writes && by === reading) {
    // A change that its own organization does not show may belong to another one.
    const submitted = await optional(probe.use(submission));
    const shown =
      submitted && (await readElsewhere(probe, submitted, { organization: other, bound }));
    if (shown) return leaked(other, shown);
  }
  const { id, reply: control, evidence: read } = await readChange(probe, change.ids);
  if (reception(control) !== "accepted") {
    const reason = phrase`under its own organization: ${describeReply(control)}`;
    return { kind: "inconclusive", reason, evidence: read };
  }
  const options = { organization: other, changeId: id.id, bound };
  const { reply, evidence } = await probe.attempt(by, options);
  const received = reception(reply);
  if (received === "rejected") return { kind: "pass", reason: describeReply(reply), evidence };
  if (received === "broken" && (await isAnsweredAlike(probe, reply.status, other, bound))) {
    const reason = phrase`${describeReply(reply)}, as for a change that does not exist`;
    return { kind: "pass", reason, evidence };
  }
  if (received !== "accepted") {
    return { kind: "inconclusive", reason: describeReply(reply), evidence };
  }
  const { value } = change;
  if (value !== undefined && shows(control, value)) {
    return shows(reply, value)
      ? leaked(other, { id, reply, evidence })
      : { kind: "pass", reason: phrase`it has another change of that id`, evidence };
  }
  return isDeepStrictEqual(reply.json(), control.json())
    ? {
        kind: "inconclusive",
        reason: phrase`both have a change of that id and that content`,
        evidence,
      }
    : { kind: "pass", reason: phrase`it has another change of that id`, evidence };
}

/** Whether a change that does not exist is answered with the same status, which `errors.not-found` judges. */
async function isAnsweredAlike(
  probe: Probe,
  status: number,
  organization: string,
  bound: boolean,
): Promise<boolean> {
  const options = { organization, changeId: probe.uuid("nowhere"), bound };
  const { reply } = await probe.attempt(unknownChange, options);
  return reply.status === status;
}

function leaked(other: string, { id, reply, evidence }: ReadChange): Finding {
  return {
    kind: "fail",
    expected: phrase`the organization ${other} shows no change of another`,
    actual: phrase`${describeReply(reply)}, with what was submitted elsewhere as ${valueFact(id.id)}`,
    evidence,
    // No other change has the value that it was submitted with, so one answer is proof.
    certainty: "proof",
  };
}

async function listedElsewhere(probe: Probe, other: string, bound: boolean): Promise<Finding> {
  const own = probe.target.writes ? await optional(probe.use(submission)) : undefined;
  const submissions = [own?.value, own?.earlier.value].filter((value) => value !== undefined);
  const edits = await edited(probe);
  const feed = await readFeed(probe, { organization: other, bound });
  const { evidence } = feed;
  const found = [...submissions, ...edits].find((value) => pageShowing(feed, value));
  if (found !== undefined) {
    if (edits.includes(found) && (await isEditedToo(probe, other))) {
      const reason = phrase`edits of another organization are also made to ${other}, which resources.edit reports`;
      return { kind: "inconclusive", reason, evidence };
    }
    return {
      kind: "fail",
      expected: phrase`the feed of ${other} shows no change of another organization`,
      actual: phrase`it shows ${valueFact(found)}, which was ${edits.includes(found) ? "an edit of" : "submitted to"} another`,
      evidence,
      // One answer is proof, except for an edit: whether it was made to both may show later than the edit.
      ...(submissions.includes(found) && { certainty: "proof" as const }),
    };
  }
  if (own?.listed) return { kind: "pass", evidence };
  // If the feeds do not show the submission yet, look for other changes that are in both.
  const primary = await probe.use(filledFeed);
  if (edits.some((value) => pageShowing(primary, value))) return { kind: "pass", evidence };
  if (!feed.items || !primary.items) {
    return { kind: "inconclusive", reason: phrase`no list can be found in the feed`, evidence };
  }
  return shareChanges(feed, primary)
    ? {
        kind: "inconclusive",
        reason: phrase`both feeds list a change of the same content`,
        evidence,
      }
    : { kind: "pass", reason: phrase`the feeds do not have their changes in common`, evidence };
}

/** Values of plain edits of the primary organization; at least one if edits can be recognised. */
async function edited(probe: Probe): Promise<string[]> {
  if (!probe.target.writes || !isRecognisable(probe.target, "editOrganization")) return [];
  await probe.tryControl("editOrganization");
  return acceptedWrites(probe, "editOrganization")
    .filter((one) => one.caseId === controlId("editOrganization"))
    .map(({ value }) => value);
}

/** Whether the view of the other organization shows an edit too, which `resources.edit` judges. */
async function isEditedToo(probe: Probe, other: string): Promise<boolean> {
  const view = await optional(viewed(probe, other));
  if (!view) return false;
  return acceptedWrites(probe, "editOrganization").some(({ value }) => shows(view, value));
}

/** Bare ids may repeat, so one common id proves nothing, but equal lists do. */
function shareChanges({ items: others = [] }: Feed, { items = [] }: Feed): boolean {
  const isShared = (item: unknown): boolean => others.some((one) => isDeepStrictEqual(item, one));
  return items.every((item) => typeof item !== "object")
    ? items.every(isShared)
    : items.some(isShared);
}

/**
 * Whether the feed lists a change exactly as the other organization's feed does. It must name that organization, and not its
 * own: two organizations may have changes of the same id and content.
 */
async function listedBesideOwn(probe: Probe, other: string): Promise<Finding> {
  const { primary = "" } = await probe.organizations();
  const theirs = await readFeed(probe, { organization: other, bound: true });
  const named = (theirs.items ?? []).filter(
    (item) => mentions(item, other) && !mentions(item, primary),
  );
  if (named.length === 0) {
    const reason = phrase`the feed of ${other} lists no change that names it`;
    return { kind: "not-applicable", reason };
  }
  const own = await readFeed(probe, { bound: true });
  const evidence = {
    probes: own.evidence.probes,
    controls: [...(own.evidence.controls ?? []), ...theirs.evidence.probes],
  };
  const isTheirs = (item: unknown): boolean => named.some((one) => isDeepStrictEqual(item, one));
  const strangers = (own.items ?? []).filter((item) => isTheirs(item)).length;
  if (strangers === 0) return { kind: "pass", evidence };
  return {
    kind: "fail",
    expected: phrase`the feed of ${primary} shows no change of another organization`,
    actual: phrase`it lists ${countFact(strangers, "change")} as the feed of ${other} does; it names that organization, and not ${primary}`,
    evidence,
  };
}

function mentions(item: unknown, organization: string): boolean {
  return JSON.stringify(item).toLowerCase().includes(organization.toLowerCase());
}
