import { isDeepStrictEqual } from "node:util";

import type { Mutation } from "../../../src/mutations/mutation.ts";
import { type Evidence, Finding, optional } from "../../../src/probe/finding.ts";
import { phrase, valueFact } from "../../../src/probe/phrase.ts";
import type { Probe } from "../../../src/probe/probe.ts";
import { describeReply, reception } from "../../../src/probe/reception.ts";
import { acceptedWrites, reading, shows, viewed } from "../../../src/probe/write/unique-marker.ts";
import { type Feed, readFeed } from "../../shared/feed.ts";
import { unknownChange } from "../../shared/mutations/requests.ts";
import {
  filledFeed,
  type KnownChange,
  type ReadChange,
  readChange,
  readElsewhere,
  submission,
} from "../../shared/submission.ts";

/** Judges whether one organization shows a change of another that is asked for by its id. */

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

/** Asks for a change of the primary organization under the other one. */
export async function askedForElsewhere(
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
    return Finding.inconclusive(
      phrase`under its own organization: ${describeReply(control)}`,
      read,
    );
  }
  const options = { organization: other, changeId: id.id, bound };
  const { reply, evidence } = await probe.attempt(by, options);
  const finding = await unlessShown(probe, reply, evidence, other, bound);
  if (finding) return finding;
  const { value } = change;
  if (value !== undefined && shows(control, value)) {
    return shows(reply, value)
      ? leaked(other, { id, reply, evidence })
      : Finding.pass(evidence, phrase`it has another change of that id`);
  }
  return isDeepStrictEqual(reply.json(), control.json())
    ? Finding.inconclusive(phrase`both have a change of that id and that content`, evidence)
    : Finding.pass(evidence, phrase`it has another change of that id`);
}

/** The finding where a change that was asked for under an organization is not shown there. */
async function unlessShown(
  probe: Probe,
  reply: ReadChange["reply"],
  evidence: Evidence,
  organization: string,
  bound = true,
): Promise<Finding | undefined> {
  const received = reception(reply);
  if (received === "rejected") return Finding.pass(evidence, describeReply(reply));
  if (received === "accepted") return undefined;
  if (received === "broken") {
    // The rule `errors.not-found` judges the answer for a change that does not exist.
    const options = { organization, changeId: probe.uuid("nowhere"), bound };
    const unknown = await probe.attempt(unknownChange, options);
    const reason = phrase`${describeReply(reply)}, as for a change that does not exist`;
    if (unknown.reply.status === reply.status) return Finding.pass(evidence, reason);
  }
  return Finding.inconclusive(describeReply(reply), evidence);
}

function leaked(
  other: string,
  { id, reply, evidence }: ReadChange,
  what = "what was submitted to another organization",
): Finding {
  return {
    kind: "fail",
    expected: phrase`4xx: the change belongs to another organization than ${other}`,
    actual: phrase`${describeReply(reply)}, with ${what} as ${valueFact(id.id)}`,
    evidence,
    // No other change has the value that it was submitted with, so one answer is proof.
    certainty: "proof",
  };
}

/** Asks for the change that the feed lists for an edit of the primary organization under the other one. */
export async function editAskedForElsewhere(probe: Probe, other: string): Promise<Finding> {
  await probe.tryControl("editOrganization");
  const { ids = [], value } = listedEdit(await probe.use(filledFeed), probe) ?? {};
  if (value === undefined || ids.length === 0) {
    return Finding.notApplicable(phrase`the feed lists no edit with an id`);
  }
  const { id, reply: own } = await readChange(probe, ids);
  if (reception(own) !== "accepted" || !shows(own, value)) {
    return Finding.notApplicable(phrase`under its own organization: ${describeReply(own)}`);
  }
  const { reply, evidence } = await probe.attempt(reading, {
    organization: other,
    changeId: id.id,
    bound: true,
  });
  const finding = await unlessShown(probe, reply, evidence, other);
  if (finding) return finding;
  if (!shows(reply, value)) return Finding.pass(evidence, phrase`it has another change of that id`);
  if (!(await isEditedToo(probe, other))) {
    return leaked(other, { id, reply, evidence }, "an edit of another organization");
  }
  const reason = phrase`edits of another organization are also made to ${other}, which resources.edit reports`;
  return Finding.inconclusive(reason, evidence);
}

/**
 * Asks for a change of the other organization under the primary one. It must name that organization, and not the primary one:
 * two organizations may have changes of the same id and content.
 */
export async function othersAskedForHere(probe: Probe, other: string): Promise<Finding> {
  const { primary = "" } = await probe.organizations();
  const feed = await readFeed(probe, { organization: other, bound: true });
  const [id] = feed.changes.find(({ item }) => namesOnly(item, other, primary))?.ids ?? [];
  if (!id) {
    return Finding.notApplicable(
      phrase`the feed of ${other} lists no change with an id that names it`,
    );
  }
  const options = { changeId: id.id, bound: true };
  const own = await probe.attempt(reading, { ...options, organization: other });
  const theirs: unknown = own.reply.json();
  if (reception(own.reply) !== "accepted" || !namesOnly(theirs, other, primary)) {
    return Finding.notApplicable(phrase`under its own organization: ${describeReply(own.reply)}`);
  }
  const { reply, evidence: asked } = await probe.attempt(reading, options);
  const probes = [feed, own, { evidence: asked }].flatMap((one) => one.evidence.probes);
  const evidence = { ...asked, probes };
  const finding = await unlessShown(probe, reply, evidence, primary);
  if (finding) return finding;
  if (!isDeepStrictEqual(reply.json(), theirs)) {
    return Finding.pass(evidence, phrase`it has another change of that id`);
  }
  return {
    kind: "fail",
    expected: phrase`4xx: the change belongs to another organization than ${primary}`,
    actual: phrase`${describeReply(reply)}, with the change ${valueFact(id.id)} as ${other} shows it; it names that organization, and not ${primary}`,
    evidence,
  };
}

/** Whether the view of the other organization shows an edit too, which `resources.edit` judges. */
export async function isEditedToo(probe: Probe, other: string): Promise<boolean> {
  const view = await optional(viewed(probe, other));
  if (!view) return false;
  return acceptedWrites(probe, "editOrganization").some(({ value }) => shows(view, value));
}

/** Whether a change mentions the one organization, and not the other. */
export function namesOnly(change: unknown, one: string, other: string): boolean {
  const text = JSON.stringify(change ?? null).toLowerCase();
  return text.includes(one.toLowerCase()) && !text.includes(other.toLowerCase());
}

/** The first change of a feed that shows an accepted edit of this run. A deployment may treat edits differently from submissions. */
export function listedEdit({ changes }: Feed, probe: Probe): KnownChange | undefined {
  const edited = acceptedWrites(probe, "editOrganization");
  for (const { item, ids } of changes) {
    const body = JSON.stringify(item);
    const edit = edited.find(({ value }) => shows({ body }, value));
    if (edit) return { ids, value: edit.value };
  }
  return undefined;
}
