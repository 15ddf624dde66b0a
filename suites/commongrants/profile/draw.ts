import type * as FastCheck from "fast-check";

import { isObject, type JsonObject } from "../../../src/lib/json.ts";
import { type Fc, type Member, placeOf, PROFILE } from "./members.ts";
import { isEmpty } from "./merge.ts";

/**
 * What a drawn patch does:
 * - `set`: it sets about half of the members, and names no other
 * - `clear`: it clears about half of those that null clears
 * - `mixed`: both, also null for members of new objects, which says nothing there
 */
export type Doing = "set" | "clear" | "mixed";

/** From what a patch is drawn. */
export interface Drawing {
  readonly doing: Doing;
  /** The profile that it is for. */
  readonly profile: JsonObject;
  /** The profile before the suite changed it. What was there is not cleared as a whole. */
  readonly former: JsonObject;
  /** Whether the deployment stores the member at this place; see `placeOf`. */
  readonly stores: (place: string) => boolean;
}

type Arbitrary = FastCheck.Arbitrary<unknown>;
/** Stands for a member that a patch does not name. */
const ABSENT = Symbol("absent");

/** So many are drawn, of which the largest is taken. */
const DRAWN = 8;

/** Draws a patch with many members, at every depth. The same seed and profile give the same one. */
export async function drawPatch(seed: number, drawing: Drawing): Promise<JsonObject> {
  // Imported late, so that the first request of a run does not wait for it.
  const fc = await import("fast-check");
  const arbitrary = patchOf(fc, PROFILE, [], drawing.profile, drawing.former, drawing);
  const drawn = fc.sample(arbitrary, { seed, numRuns: DRAWN }).filter(isObject);
  // The first ones are small.
  return drawn.reduce<JsonObject>((a, b) => (sizeOf(b) > sizeOf(a) ? b : a), {});
}

/** A value for every member of the profile, to see which of them the deployment stores. */
export async function drawAll(seed: number): Promise<JsonObject> {
  const fc = await import("fast-check");
  const all = wholeOf(fc, PROFILE, [], () => true, false) ?? fc.constant({});
  return withBoth((fc.sample(all, { seed, numRuns: 1 })[0] ?? {}) as JsonObject);
}

/** The same with each flag the opposite of the one before, so that both values are sent. */
function withBoth(all: JsonObject): JsonObject {
  let next: boolean | undefined;
  const turned = (value: unknown): unknown => {
    if (typeof value === "boolean") {
      const own = next ?? value;
      next = !own;
      return own;
    }
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, turned(one)]));
  };
  return turned(all) as JsonObject;
}

function patchOf(
  fc: Fc,
  member: Member,
  path: readonly string[],
  now: unknown,
  former: unknown,
  drawing: Drawing,
): Arbitrary {
  const { doing, stores } = drawing;
  const absent = fc.constant(ABSENT);
  const clears = doing !== "set" && member.clearable === true;
  if (member.kind === "value") {
    if (!stores(placeOf(path))) return absent;
    const sets = doing === "clear" ? [] : [member.values(fc)];
    // Nothing is cleared that is not there.
    const nulls = clears && !isEmpty(now) ? [fc.constant(null)] : [];
    return fc.oneof(absent, ...sets, ...nulls);
  }
  if (!isObject(now)) {
    const whole = wholeOf(fc, member, path, stores, doing === "mixed");
    return doing === "clear" || whole === undefined ? absent : fc.oneof(absent, whole);
  }
  const members = member.kind === "record" ? entriesOf(member) : member.members;
  const parts = Object.entries(members).map(([name, one]) => {
    const at = [...path, name];
    const inside = patchOf(
      fc,
      one,
      at,
      now[name],
      isObject(former) ? former[name] : undefined,
      drawing,
    );
    const removes = member.kind === "record" && doing !== "set" && isObject(now[name]);
    return [name, removes ? fc.oneof(inside, fc.constant(null)) : inside] as const;
  });
  const patch = membersOf(fc, parts).map((drawn) =>
    isBare(drawn) && path.length > 0 ? ABSENT : drawn,
  );
  const isOwn = isEmpty(former) && !isEmpty(now) && path.length > 0;
  return clears && isOwn
    ? fc.oneof({ arbitrary: patch, weight: 5 }, { arbitrary: fc.constant(null), weight: 1 })
    : patch;
}

/**
 * A whole value of a member, with all that is stored.
 * @param withNulls whether optional members may be null instead
 * @returns `undefined` where something is not stored that it cannot be without
 */
function wholeOf(
  fc: Fc,
  member: Member,
  path: readonly string[],
  stores: Drawing["stores"],
  withNulls: boolean,
): Arbitrary | undefined {
  if (member.kind === "value") return stores(placeOf(path)) ? member.values(fc) : undefined;
  const members = member.kind === "record" ? entriesOf(member) : member.members;
  const parts: (readonly [string, Arbitrary])[] = [];
  for (const [name, one] of Object.entries(members)) {
    const whole = wholeOf(fc, one, [...path, name], stores, withNulls);
    const isRequired = member.kind === "object" && member.required.includes(name);
    if (whole === undefined && isRequired) return undefined;
    if (whole === undefined) continue;
    parts.push([
      name,
      withNulls && !isRequired && one.clearable ? fc.oneof(whole, fc.constant(null)) : whole,
    ]);
  }
  return parts.length === 0 ? undefined : membersOf(fc, parts);
}

function entriesOf(member: Extract<Member, { kind: "record" }>): Readonly<Record<string, Member>> {
  return Object.fromEntries(member.keys.map((key) => [key, member.entry(key)]));
}

function membersOf(fc: Fc, parts: readonly (readonly [string, Arbitrary])[]): Arbitrary {
  return fc
    .tuple(...parts.map(([, arbitrary]) => arbitrary))
    .map((values) =>
      Object.fromEntries(
        parts.flatMap(([name], at) => (values[at] === ABSENT ? [] : [[name, values[at]] as const])),
      ),
    );
}

function isBare(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

function sizeOf(value: unknown): number {
  return isObject(value) ? Object.values(value).reduce<number>((n, one) => n + sizeOf(one), 1) : 1;
}
