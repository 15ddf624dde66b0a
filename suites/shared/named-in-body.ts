import type { OperationId } from "../../src/contract/operations.ts";
import { isObject } from "../../src/lib/json.ts";
import { Finding, ofAll, optional, type Evidence } from "../../src/probe/finding.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Attempt, Probe } from "../../src/probe/probe.ts";
import { distinct, submittedChangeIds } from "../../src/probe/read/change-ids.ts";
import { organizationOf } from "../../src/probe/read/shapes.ts";
import { describeReply, isUnclear, reception } from "../../src/probe/reception.ts";
import type { Grounds, RuleCase } from "../../src/probe/rule.ts";
import { addedMembers } from "../../src/probe/write/restore.ts";
import {
  isRecognisable,
  shows,
  unrecognisable,
  valueOf,
  viewed,
} from "../../src/probe/write/unique-marker.ts";
import type { Facts } from "../../src/profile/facts.ts";
import { plainEdit, unseen } from "./edit.ts";
import { pageShowing, readFeed } from "./feed.ts";
import { requireKind } from "./kind.ts";
import { IN_BODY, naming, namings } from "./organization-forms.ts";
import { setBack } from "./set-back.ts";
import { readElsewhere, submission } from "./submission.ts";

/**
 * Writes whose path names the primary organization, and whose body names the other one. The other one is written if the
 * handler prefers the body, so the profile has to consent to that: `organizations.other.writes`.
 */

const NO_CONSENT =
  "the profile does not consent to writes in the other organization, with `organizations.other.writes: true` beside `writes: true`";

/** What a rule says of such a case. */
interface About {
  readonly id: string;
  readonly title: string;
  /** Whether the token is bound to the primary organization. Otherwise it is unbound. */
  readonly bound: boolean;
  readonly grounds: Grounds;
  readonly dependsOn?: readonly string[];
}

/** The case with a token that the organization of the body would accept too. */
export const UNBOUND_NAMES_OTHER: About = {
  id: "unbound-names-other",
  title: "an unbound token, and members of the body that name the other organization",
  bound: false,
  grounds: { why: "the path names the organization that a write is about", source: "CWE-639" },
  dependsOn: ["receiver.binding/other-in-body"],
};

/** The case on one operation. */
export function namesOtherInBody(
  facts: Facts,
  operation: "editOrganization" | "submitChange",
  { bound, ...about }: About,
): RuleCase {
  return {
    ...about,
    id: `${about.id}@${operation}`,
    operation,
    control: { bound, bracket: "before" },
    // Nothing removes a submission, so the one that only a SHOULD wants comes after all that cases of a MUST need.
    phase: bound || operation === "editOrganization" ? "state" : "quiet",
    sends: 2,
    needs: bound ? ["organizations.other", "claimsNamespace"] : ["organizations.other"],
    inapplicable: facts.otherWrites ? whyNotWritten(facts, operation) : NO_CONSENT,
    judge: (probe) => judgeNamed(probe, operation, bound),
  };
}

function whyNotWritten(facts: Facts, operation: OperationId): string | undefined {
  const { [operation]: profile, viewOrganization, readChangesFeed } = facts.operations;
  if (!isObject(profile?.body)) return "the body is no JSON object";
  if (!isRecognisable(facts, operation)) return unrecognisable(operation);
  // Where only single changes are read, each good submission stands for reads that other cases need.
  const reader = operation === "editOrganization" ? viewOrganization : readChangesFeed;
  return reader ? undefined : "no operation is offered that could show the write";
}

/** How a kind of write is found again and undone. */
interface Trace {
  /** Whether a plain write of this kind was seen, so that it is worth waiting for. */
  readonly isSeen: boolean;
  /** Whether the organization of its path shows a plain write of this kind. */
  readonly isInPlace: () => Promise<boolean>;
  /** @returns the id of the exchange in which an organization shows the write */
  readonly find: (
    attempt: Attempt,
    value: string,
    organization: string,
  ) => Promise<string | undefined>;
  /** Undoes it in the other organization. Returns what stays, as the end of a sentence. */
  readonly undo: (other: string) => Promise<string>;
}

async function judgeNamed(probe: Probe, operation: OperationId, bound: boolean): Promise<Finding> {
  await requireKind(probe, operation, bound);
  const primary = await probe.organization("primary");
  const other = await probe.organization("other");
  const trace = operation === "editOrganization" ? await ofEdits(probe) : await ofChanges(probe);
  if ("kind" in trace) return trace;
  const sent: Evidence[] = [];
  for (const names of namings(IN_BODY)) {
    const mutation = naming("body", IN_BODY, names, other);
    const attempt = await probe.attempt(mutation, { operation, bound, purpose: "needed" });
    const { reply, evidence } = attempt;
    sent.push(evidence);
    const received = reception(reply);
    if (isUnclear(reply)) {
      return Finding.inconclusive(describeReply(reply), evidence);
    }
    const value = valueOf(probe, reply);
    if (value === undefined || received === "rejected" || received === "redirected") continue;
    const look = async (): Promise<{ there?: string; here?: string }> => {
      const there = await trace.find(attempt, value, other);
      const here = there ?? (await trace.find(attempt, value, primary));
      return { ...(there !== undefined && { there }), ...(here !== undefined && { here }) };
    };
    const seen = await probe.eventually(
      look,
      ({ here }) => here !== undefined || received !== "accepted" || !trace.isSeen,
    );
    if (seen.there !== undefined) {
      // Where plain writes are not in the organization of their path either, the body is not what decides.
      if (!(await trace.isInPlace())) {
        return Finding.inconclusive(
          phrase`${describeReply(reply)}, and the write is seen in ${other}, but a plain one is not seen in the organization of its path${await trace.undo(other)}`,
          ofAll(sent),
        );
      }
      // A write that every organization shows does not follow its body.
      const isEverywhere = (await trace.find(attempt, value, primary)) !== undefined;
      if (isEverywhere) {
        return Finding.observed(
          phrase`${describeReply(reply)}, and the write is seen in both organizations${await trace.undo(other)}`,
          ofAll(sent),
        );
      }
      return {
        kind: "fail",
        expected: phrase`a write is about the organization of its path${bound ? ", to which its token is bound" : ""}, whatever its body names`,
        actual: phrase`${describeReply(reply)}, and what was written is in ${other}, which ${names.join(", ")} in the body name${await trace.undo(other)}`,
        evidence: { ...evidence, probes: [...evidence.probes, seen.there] },
        certainty: "proof",
      };
    }
    if (received !== "accepted") continue;
    if (seen.here === undefined) {
      return Finding.observed(
        phrase`${describeReply(reply)}, and the write is seen in neither organization`,
        ofAll(sent),
      );
    }
    const probes = [...evidence.probes, seen.here];
    return Finding.pass({ ...evidence, probes }, phrase`the organization of the path is written`);
  }
  return Finding.pass(ofAll(sent), phrase`refused`);
}

/** An edit is looked for in the view. What it has set in the primary organization is set back at the end of the run. */
async function ofEdits(probe: Probe): Promise<Trace | Finding> {
  const edit = await probe.use(plainEdit);
  if (!edit.seen) return unseen(edit);
  const before = edit.elsewhere?.json();
  let after: unknown;
  return {
    isSeen: true,
    isInPlace: () => Promise.resolve(true),
    async find(_attempt, value, organization) {
      const view = await viewed(probe, organization);
      after = view.json();
      return shows(view, value) ? view.exchange.id : undefined;
    },
    async undo(other) {
      const profile = probe.target.operations.viewOrganization;
      const [then, now] = [before, after].map((body) => organizationOf(body, profile, other));
      const added = addedMembers(then, now).filter((name) => IN_BODY.names.includes(name));
      const removed = Object.fromEntries(added.map((name) => [name, null]));
      return (await setBack(probe, other, before, removed)) ? "" : ", which could not be restored";
    },
  };
}

/** A change is looked for in the feed, and then by its id. It cannot be taken back. */
async function ofChanges(probe: Probe): Promise<Trace> {
  const { listed, ids, value: plain } = await probe.use(submission);
  const { readChange, submitChange } = probe.target.operations;
  return {
    isSeen: listed !== undefined || ids.length > 0,
    async isInPlace() {
      if (listed) return true;
      const known = { ids, value: plain };
      const organization = await probe.organization("primary");
      return (await readElsewhere(probe, known, { organization })) !== undefined;
    },
    async find({ reply }, value, organization) {
      const feed = await optional(readFeed(probe, { organization }));
      const page = feed && pageShowing(feed, value);
      if (page) return page.exchange.id;
      if (!readChange || listed) return undefined;
      const known = { ids: distinct(submittedChangeIds(reply, submitChange, organization)), value };
      return (await readElsewhere(probe, known, { organization }))?.reply.exchange.id;
    },
    undo: () => Promise.resolve("; the change stays there"),
  };
}
