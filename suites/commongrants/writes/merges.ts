import { isObject, type JsonObject } from "../../../src/lib/json.ts";
import { endCase, type Evidence, Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Fixture, Probe } from "../../../src/probe/probe.ts";
import { describeReply, reception } from "../../../src/probe/reception.ts";
import { isSame, type Outcome, outcomesOf } from "../profile/compare.ts";
import { type Doing, drawAll, drawPatch } from "../profile/draw.ts";
import { PROFILE_NAMES, placeOf } from "../profile/members.ts";
import { type Revision, revisionIn } from "./revision.ts";
import {
  published,
  type Sent,
  sendNeeded,
  sendPatch,
  setBack,
  type View,
  view,
  WRITES,
} from "./send.ts";

/** An accepted edit, and what became of the profile. */
export interface Merge extends Sent {
  readonly before: View;
  readonly after: View;
  readonly revision: Revision | undefined;
  readonly outcomes: readonly Outcome[];
  /** The request, and the views before and after it. */
  readonly evidence: Evidence;
}

/** A row of edits of the primary organization, one after another. */
export interface Merges {
  /** In their order. The first one, which has every member that the suite writes, is not judged. */
  readonly edits: readonly Merge[];
  /** Whether the deployment stores the member at a place; see `placeOf`. */
  readonly stores: (place: string) => boolean;
  /** What the edits that were refused were answered. */
  readonly refused: readonly Sent[];
  /** The members that could not be set back. */
  readonly leftOver: readonly string[];
}

/** What is drawn, in this order. Each profile is what the edit before it left. */
const ROW: readonly Doing[] = ["set", "clear", "mixed", "set", "mixed", "clear", "mixed"];
/** To see something again, so many are enough. */
const FEW = 3;
/** So many edits that came out wrong show enough. */
const ENOUGH_WRONG = 3;

/** The edits that all rules about merging, revisions and the ledger look at. */
export const merges: Fixture<Merges> = {
  name: "merges",
  scope: "run",
  needs: [...WRITES, "operations.editOrganization.body"],
  async setup(probe): Promise<Merges> {
    const former = await view(probe);
    const { stored, first, now, refused } = await findStored(probe, former);
    const stores = (place: string): boolean => stored.has(place);
    const edits: Merge[] = first ? [first] : [];
    let profile = now;
    for (const [at, doing] of (probe.confirming ? ROW.slice(0, FEW) : ROW).entries()) {
      const drawing = { doing, profile: profile.profile, former: former.profile, stores };
      const patch = await drawPatch(probe.seed + at, drawing);
      if (Object.keys(patch).length === 0) continue;
      const name = `merge-${at + 1}`;
      const what = "the body is a merge patch of members that the deployment stores";
      const sent = await sendPatch(probe, "editOrganization", name, what, patch);
      if (!sent) break;
      if (reception(sent.reply) !== "accepted") {
        refused.push(sent);
        continue;
      }
      const merged = await seen(probe, profile, sent, stores);
      edits.push(merged);
      profile = merged.after;
      if (edits.slice(1).filter(isWrong).length >= ENOUGH_WRONG) break;
    }
    const leftOver = await setBack(probe, former);
    for (const { before, after } of edits) [before, after].forEach(({ reply }) => reply.keep());
    return { edits, stores, refused, leftOver };
  },
};

function isWrong({ outcomes }: Merge): boolean {
  return outcomes.some(({ isRight }) => !isRight);
}

/** Looks at the profile until it is what the patch makes of it, or the run's patience ends. */
async function seen(
  probe: Probe,
  before: View,
  sent: Sent,
  stores: Merges["stores"],
): Promise<Merge> {
  const look = async (): Promise<Pick<Merge, "after" | "outcomes">> => {
    const after = await view(probe);
    return { after, outcomes: outcomesOf(before.profile, sent.patch, after.profile, stores) };
  };
  const looked = await probe.eventually(look, ({ outcomes }) =>
    outcomes.every((one) => one.isRight),
  );
  const probes = [before.reply, sent.reply, looked.after.reply].map(({ exchange }) => exchange.id);
  return {
    ...sent,
    ...looked,
    before,
    revision: revisionIn(sent.reply),
    evidence: { ...sent.evidence, probes: [...new Set(probes)] },
  };
}

interface Stored {
  readonly stored: ReadonlySet<string>;
  /** The edit that has all members. Absent where the deployment refused it. */
  readonly first?: Merge;
  /** The profile after the last edit. */
  readonly now: View;
  readonly refused: Sent[];
}

/**
 * Finds out which members the deployment stores: those that a view shows as they were sent. All are sent together, or one by
 * one where the deployment refuses that.
 */
async function findStored(probe: Probe, former: View): Promise<Stored> {
  const all = await drawAll(probe.seed);
  const what = "the body has the members of a published profile";
  const together = await sendNeeded(probe, "editOrganization", "all-members", what, all);
  const stored = new Set<string>();
  if (reception(together.reply) === "accepted") {
    const first = await shownAs(probe, former, together);
    addPlaces(all, first.after.profile, [], stored);
    for (const place of shownByChance(all, first.after.profile)) stored.delete(place);
    return { stored, ...(await triedAlone(probe, all, first, stored)), refused: [] };
  }
  const refused = [together];
  let now = former;
  for (const name of PROFILE_NAMES) {
    const patch = { [name]: all[name] };
    const alone = `the body has ${name} alone`;
    const sent = await sendPatch(probe, "editOrganization", `member-${name}`, alone, patch);
    if (!sent) break;
    if (reception(sent.reply) !== "accepted") {
      refused.push(sent);
      continue;
    }
    now = (await shownAs(probe, now, sent)).after;
    addPlaces(patch, now.profile, [], stored);
    for (const place of shownByChance(patch, now.profile)) stored.delete(place);
  }
  if (stored.size === 0) {
    const evidence = {
      ...together.evidence,
      probes: refused.map(({ reply }) => reply.exchange.id),
    };
    const reason = phrase`no edit of a member of the published profile was accepted and shown; the first was answered ${describeReply(together.reply)}`;
    return endCase(Finding.inconclusive(reason, evidence));
  }
  return { stored, now, refused };
}

/**
 * Sends a member alone that a view does not show though it was sent beside others. Where the view then shows it, the edit with all
 * members has lost it.
 */
async function triedAlone(
  probe: Probe,
  all: JsonObject,
  first: Merge,
  stored: ReadonlySet<string>,
): Promise<Pick<Stored, "now"> & { readonly first: Merge }> {
  const places = [...stored];
  const missing = PROFILE_NAMES.find(
    (name) => !places.some((place) => place === name || place.startsWith(`${name}.`)),
  );
  if (missing === undefined) return { first, now: first.after };
  const patch = { [missing]: all[missing] };
  const what = `the body has ${missing} alone`;
  const sent = await sendPatch(probe, "editOrganization", `member-${missing}`, what, patch);
  if (!sent || reception(sent.reply) !== "accepted") return { first, now: first.after };
  const alone = await shownAs(probe, first.after, sent);
  const shown = new Set<string>();
  addPlaces(patch, alone.after.profile, [], shown);
  const outcome: Outcome = {
    path: [missing],
    duty: "set",
    expected: all[missing],
    actual: first.after.profile[missing],
    isRight: shown.size === 0,
  };
  return { first: { ...first, outcomes: [outcome] }, now: alone.after };
}

/** Waits until a view shows an edit, or some of it where the deployment does not store the rest. */
async function shownAs(probe: Probe, former: View, sent: Sent): Promise<Merge> {
  const merged = await seen(probe, former, sent, () => true);
  return { ...merged, outcomes: [] };
}

/** Adds the places of the members that a profile shows as they were sent. */
function addPlaces(
  sent: JsonObject,
  profile: JsonObject,
  path: readonly string[],
  stored: Set<string>,
): void {
  for (const [name, value] of Object.entries(sent)) {
    const at = [...path, name];
    const shown = Object.hasOwn(profile, name) ? profile[name] : undefined;
    if (isObject(value) && isObject(shown)) addPlaces(value, shown, at, stored);
    else if (shown !== undefined && isSame(value, shown)) stored.add(placeOf(at));
  }
}

/**
 * Places of members that are true or false. A deployment that works them out shows half of them as they were sent, so they count as
 * stored only where both values were sent to members of the same name, and none is shown as its opposite.
 */
function shownByChance(sent: JsonObject, profile: JsonObject): string[] {
  const found = flagsIn(sent, profile, []);
  return found
    .filter(({ name }) => {
      const alike = found.filter((one) => one.name === name);
      return (
        alike.some(({ isOpposite }) => isOpposite) || new Set(alike.map((one) => one.is)).size < 2
      );
    })
    .map(({ place }) => place);
}

interface Flag {
  readonly name: string;
  readonly place: string;
  readonly is: boolean;
  /** Whether the profile shows the other value. */
  readonly isOpposite: boolean;
}

function flagsIn(sent: JsonObject, shown: unknown, path: readonly string[]): Flag[] {
  return Object.entries(sent).flatMap(([name, value]): Flag[] => {
    const at = [...path, name];
    const there = isObject(shown) && Object.hasOwn(shown, name) ? shown[name] : undefined;
    if (isObject(value)) return flagsIn(value, there, at);
    if (typeof value !== "boolean") return [];
    return [{ name, place: placeOf(at), is: value, isOpposite: there === !value }];
  });
}

/** The published members that an edit left as they were; see `published`. */
export function isUnchanged(before: View, after: View): boolean {
  return isSame(published(before.profile), published(after.profile));
}
