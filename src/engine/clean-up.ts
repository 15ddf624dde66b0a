import { isDeepStrictEqual } from "node:util";

import type { OperationId } from "../contract/operations.ts";
import { Interrupted } from "../http/client.ts";
import type { Reply } from "../http/exchange.ts";
import { isObject } from "../lib/json.ts";
import type { Controls } from "../probe/controls/controls.ts";
import { createProbe } from "../probe/create-probe.ts";
import { inWords, listFact, phrase } from "../probe/phrase.ts";
import type { Probe } from "../probe/probe.ts";
import { organizationOf } from "../probe/read/shapes.ts";
import { describeReply, reception } from "../probe/reception.ts";
import type { Session } from "../probe/session.ts";
import {
  addedMembers,
  lostMembers,
  type Leaf,
  leavesOf,
  priorValue,
  restoringBody,
  type View,
} from "../probe/write/restore.ts";
import { acceptedWrites, reading } from "../probe/write/unique-marker.ts";
import type { Observation } from "./events.ts";

const WRITES: readonly (readonly [operation: OperationId, plural: string])[] = [
  ["editOrganization", "edits"],
  ["submitChange", "submitted changes"],
];

const NOTHING_TO_REMOVE = "nothing was added";

/**
 * Restores the members that the run edited to the values that the view showed before the first edit,
 * with one more edit. Sends nothing where nothing was edited.
 * @returns an observation of what the run leaves behind; empty where it leaves nothing
 * @throws Interrupted only before anything was written
 */
export async function cleanUp(session: Session, controls: Controls): Promise<Observation[]> {
  const { primary } = await controls.organizations();
  const wasEdited = acceptedWrites(session, "editOrganization").some(
    ({ organization }) => organization === primary,
  );
  const left = wasEdited ? await setMembersBack(session, controls, primary) : [];
  for (const [operation, plural] of WRITES) {
    const written = acceptedWrites(session, operation);
    const here = written.filter(({ organization }) => organization === primary).length;
    if (here > 0) left.push(`${plural} of ${primary}, ${here} in number`);
    for (const { organization, value } of written) {
      if (organization !== primary) left.push(`one of the ${plural} of ${organization}: ${value}`);
    }
  }
  const id = "resources.edit/left-behind";
  if (left.length === 0) return [];
  return [{ id, title: "What the run left behind", value: phrase`${listFact(left, "; ")}` }];
}

/**
 * Sets the edited members of an organization back to what the view showed before the first edit.
 * @returns the members that still differ, each with the reason; empty where all have their former value
 * @throws Interrupted only before anything was written
 */
export async function setMembersBack(
  session: Session,
  controls: Controls,
  primary: string | undefined,
): Promise<string[]> {
  const { editOrganization, viewOrganization } = session.target.operations;
  const leaves = leavesOf(editOrganization?.body);
  if (leaves.length === 0) return ["what the edits changed: their body is not a JSON object"];
  const told = (members: readonly Leaf[], why?: string): string[] => [
    `${members.map(({ path }) => path.join(".")).join(", ")} of ${primary}, not restored${why === undefined ? "" : `: ${why}`}`,
  ];
  const original = await controls.original();
  if (!original) return told(leaves, "there was no view of it");
  const view = (reply: Reply): View => ({
    body: reply.json(),
    profile: viewOrganization,
    asked: primary,
  });
  const before = view(original);
  const { probe } = createProbe(session, controls, "resources.edit/set-back", { id: "" });
  try {
    const look = (): Promise<Difference> => differing(probe, leaves, before, view);
    const further = session.target.otherWrites ? (await look()).added : [];
    const removed = Object.fromEntries(further.map((name) => [name, null]));
    const removing =
      further.length > 0 ? await sendBack(probe, before, removed) : NOTHING_TO_REMOVE;
    const refused = removing && (await sendBack(probe, before));
    const { changed, lost, added } = await probe.eventually(
      look,
      (now) => now.changed.length === 0 || refused !== undefined,
    );
    return [
      ...(changed.length === 0 ? [] : told(changed, refused)),
      ...(added.length === 0 ? [] : [`${added.join(", ")} of ${primary}, added and not removed`]),
      ...(lost.length === 0 ? [] : [`${lost.join(", ")} of ${primary}, which no edit named`]),
    ];
  } catch (error) {
    if (error instanceof Interrupted) return told(leaves, "the run was interrupted");
    throw error;
  }
}

/**
 * @param more further members to set
 * @returns why no restoring edit was sent or accepted; `undefined` where one was accepted
 */
async function sendBack(
  probe: Probe,
  before: View,
  more: Readonly<Record<string, null>> = {},
): Promise<string | undefined> {
  const { body, contentType } = probe.target.operations.editOrganization ?? {};
  const restoring = restoringBody(body, contentType, before);
  if (restoring === undefined) return "the view did not show it";
  const result = await probe.tryAttempt(
    {
      name: "set-back",
      what: "the body restores what was edited",
      request: (spec) => ({ ...spec, body: JSON.stringify({ ...restoring, ...more }) }),
    },
    { operation: "editOrganization", purpose: "control" },
  );
  if ("finding" in result) {
    return "reason" in result.finding && result.finding.reason
      ? inWords(result.finding.reason)
      : "no good request is known";
  }
  const { reply } = result.attempt;
  return reception(reply) === "accepted" ? undefined : inWords(describeReply(reply));
}

/** What an organization lacks of its state before the edits. */
interface Difference {
  /** The edited members that the view shows with another value than before, or all where there is no view. */
  readonly changed: readonly Leaf[];
  /** Further members that have no value any more, because an edit has replaced the whole organization. */
  readonly lost: readonly string[];
  /** Members that it did not have, and that name the other organization, as only edits of the suite do. */
  readonly added: readonly string[];
}

async function differing(
  probe: Probe,
  leaves: readonly Leaf[],
  before: View,
  view: (reply: Reply) => View,
): Promise<Difference> {
  const result = await probe.tryAttempt(reading, { operation: "viewOrganization" });
  if ("finding" in result || reception(result.attempt.reply) !== "accepted") {
    return { changed: leaves, lost: [], added: [] };
  }
  const now = view(result.attempt.reply);
  return {
    changed: leaves.filter(
      (leaf) => !isDeepStrictEqual(priorValue(now, leaf), priorValue(before, leaf)),
    ),
    lost: (lostMembers(before, now) ?? []).filter(
      (name) => !leaves.some(({ path }) => path.includes(name)),
    ),
    added: namingAnother(before, now, probe.target.organizations.other),
  };
}

/** The members that an organization did not have before, and that name another one. */
function namingAnother(before: View, now: View, other: string | undefined): string[] {
  if (other === undefined) return [];
  const [then, after] = [before, now].map(({ body, profile, asked }) =>
    organizationOf(body, profile, asked),
  );
  if (!isObject(after)) return [];
  const names = (name: string): boolean =>
    (JSON.stringify(after[name]) ?? "").toLowerCase().includes(other.toLowerCase());
  return addedMembers(then, after).filter(names);
}
