import { isDeepStrictEqual } from "node:util";

import { isSameUuid } from "../../src/contract/uuid.ts";
import { deniedSubject } from "../../src/mutations/token/policy.ts";
import type { CaseWith } from "../../src/probe/cases.ts";
import { Finding, optional } from "../../src/probe/finding.ts";
import { countFact, phrase, valueFact } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import type { WritePurpose } from "../../src/probe/write/purposes.ts";
import { acceptedWrites, isRecognisable } from "../../src/probe/write/unique-marker.ts";
import type { Facts } from "../../src/profile/facts.ts";
import { type Feed, pageShowing, readFeed } from "../shared/feed.ts";
import { requireKind } from "../shared/kind.ts";
import { filledFeed, submission } from "../shared/submission.ts";
import {
  askedForElsewhere,
  editAskedForElsewhere,
  isEditedToo,
  namesOnly,
  othersAskedForHere,
} from "./changes/change-elsewhere.ts";

/** Its judge gets the id of the other organization. */
interface IsolationCase extends CaseWith<string> {
  readonly operation: "readChange" | "readChangesFeed";
  readonly control: { readonly bound: boolean };
}

const BOUND = {
  control: { bound: true },
  needs: ["organizations.other", "claimsNamespace"],
} as const;

/** There is no consent to writes in the other organization, so its changes have no value that is known. */
const ofOther: readonly IsolationCase[] = [
  {
    ...BOUND,
    id: "of-other@readChangesFeed",
    title:
      "GET /orgs/{primary}/changes, token bound to {primary}: no change that names {other} alone",
    operation: "readChangesFeed",
    judge: listedBesideOwn,
  },
  {
    ...BOUND,
    id: "of-other@readChange",
    title:
      "GET /orgs/{primary}/changes/{a change that names other alone}, token bound to {primary}",
    operation: "readChange",
    judge: othersAskedForHere,
  },
];

/** Why edits are sent that change nothing but the primary organization. */
const PLAIN: ReadonlySet<WritePurpose> = new Set(["control", "further"]);

/** Edits may be kept apart from submissions, and looked up in another way. */
const ofEdit: IsolationCase = {
  ...BOUND,
  id: "edited@readChange",
  title: "GET /orgs/{other}/changes/{an edit of primary}, token bound to {other}",
  operation: "readChange",
  writes: { of: "editOrganization" },
  judge: editAskedForElsewhere,
};

/**
 * A receiver may apply its policy to the organization in the path, and find the change by its id alone. Where an unbound
 * token gets it, nothing else keeps it from a subject that may not act on its organization.
 */
const byDenied: IsolationCase = {
  id: "denied@readChange",
  title:
    "GET /orgs/{other}/changes/{a change of primary}, unbound token of a subject that may act on {other} alone",
  operation: "readChange",
  control: { bound: false },
  mutation: [deniedSubject],
  needs: ["organizations.other", "denied"],
  judge: (probe, other) => askedForElsewhere(probe, other, false, deniedSubject),
};

const inPrimary: readonly IsolationCase[] = (["readChange", "readChangesFeed"] as const).flatMap(
  (operation) =>
    [true, false].map((bound): IsolationCase => ({
      id: `${bound ? "bound" : "unbound"}@${operation}`,
      title:
        operation === "readChange"
          ? `GET /orgs/{other}/changes/{a change of primary}, ${bound ? "token bound to {other}" : "unbound token"}`
          : `GET /orgs/{other}/changes, ${bound ? "token bound to {other}" : "unbound token"}: no change of {primary}`,
      operation,
      control: { bound },
      needs: ["organizations.other", ...(bound ? (["claimsNamespace"] as const) : [])],
      ...(!bound && { level: "SHOULD" }),
      judge: (probe, other) =>
        operation === "readChange"
          ? askedForElsewhere(probe, other, bound)
          : listedElsewhere(probe, other, bound),
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
  cases: (facts) =>
    [...inPrimary, { ...byDenied, inapplicable: whyNobodyIsDenied(facts) }, ...ofOther, ofEdit].map(
      ({ judge, ...one }) => ({
        ...one,
        judge: async (probe) => {
          const other = await probe.organization("other");
          await requireKind(probe, one.operation, one.control.bound);
          return judge(probe, other);
        },
      }),
    ),
});

/** Why no second subject may act on the other organization and not on the primary one. */
function whyNobodyIsDenied({ denied, subject, organizations }: Facts): string | undefined {
  return denied === undefined ||
    (denied.subject !== subject && isSameUuid(denied.organization, organizations.primary))
    ? undefined
    : "the denied subject or the denied organization is another one";
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
      return Finding.inconclusive(reason, evidence);
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
  if (own?.listed) return Finding.pass(evidence);
  // If the feeds do not show the submission yet, look for other changes that are in both.
  const primary = await probe.use(filledFeed);
  if (edits.some((value) => pageShowing(primary, value))) return Finding.pass(evidence);
  if (!feed.items || !primary.items) {
    return Finding.inconclusive(phrase`no list can be found in the feed`, evidence);
  }
  return shareChanges(feed, primary)
    ? Finding.inconclusive(phrase`both feeds list a change of the same content`, evidence)
    : Finding.pass(evidence, phrase`the feeds do not have their changes in common`);
}

/**
 * Values of plain edits of the primary organization; at least one if edits can be recognised. The further ones of
 * `resources.edit` are among them, because a feed may show the latest change of another organization alone.
 */
async function edited(probe: Probe): Promise<string[]> {
  if (!probe.target.writes || !isRecognisable(probe.target, "editOrganization")) return [];
  await probe.tryControl("editOrganization");
  return acceptedWrites(probe, "editOrganization")
    .filter(({ purpose, isInBody }) => PLAIN.has(purpose) && isInBody)
    .map(({ value }) => value);
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
  const named = (theirs.items ?? []).filter((item) => namesOnly(item, other, primary));
  if (named.length === 0) {
    return Finding.notApplicable(phrase`the feed of ${other} lists no change that names it`);
  }
  const own = await readFeed(probe, { bound: true });
  const evidence = {
    probes: own.evidence.probes,
    controls: [...(own.evidence.controls ?? []), ...theirs.evidence.probes],
  };
  const isTheirs = (item: unknown): boolean => named.some((one) => isDeepStrictEqual(item, one));
  const strangers = (own.items ?? []).filter((item) => isTheirs(item)).length;
  if (strangers === 0) return Finding.pass(evidence);
  return {
    kind: "fail",
    expected: phrase`the feed of ${primary} shows no change of another organization`,
    actual: phrase`it lists ${countFact(strangers, "change")} as the feed of ${other} does; it names that organization, and not ${primary}`,
    evidence,
  };
}
