import type { OperationId } from "../../contract/operations.ts";
import { UUIDS } from "../../contract/uuid.ts";
import { atPointer, pointerToken } from "../../lib/json-pointer.ts";
import { isObject } from "../../lib/json.ts";
import type { OperationProfile } from "../../profile/operation.ts";
import { Finding } from "../finding.ts";
import { phrase } from "../phrase.ts";
import { hasId, isKeyedById, recordsIn } from "./keyed-records.ts";
import { objectsWithin, organizationId, ROOT_DEPTH } from "./shapes.ts";
import { searchable } from "./texts.ts";

/** Finds the items of a list in answers whose shape the contract leaves open. */

/** The items that an answer lists, as far as they are recognised. */
export interface Items {
  readonly items: readonly unknown[];
  /** JSON Pointers of the arrays that hold them: one, or several with the same parent. */
  readonly at: readonly string[];
  /** Whether an object holds them, by their ids, instead of an array. They then have no order. */
  readonly keyed: boolean;
  /** Whether the items are a guess. A violation then becomes inconclusive; see `unlessGuessed`. */
  readonly guessed: boolean;
}

/** Member names that usually hold the items, with or without a prefix as in `hydra:member`. */
const ITEMS =
  /^(?:.*:)?(?:items?|data|results?|values?|records?|entry|entries|entities|contents?|list|rows|elements|resources|objects|documents|hits|edges|nodes|members?|organi[sz]ations?|orgs?|profiles?|changes?|feed|history|revisions|patches|snapshots|ids)$/i;
/** Member names that usually hold something else beside the items. */
const ASIDE =
  /^(?:_?links?|errors|warnings|messages|notices|included|meta|metadata|facets|filters|sort|actions|breadcrumbs|columns|fields|class|tags|curies)$/i;

/** The content of an array; a greater number is more likely to be the items. */
const HOLDS = { values: 0, nothing: 1, objects: 2, ids: 3 } as const;

interface Candidate {
  readonly array: readonly unknown[];
  readonly keyed: boolean;
  readonly at: string;
  readonly parent: unknown;
  readonly depth: number;
  /** 2 for a name of items, 0 for a name of something beside them, 1 for any other. */
  readonly named: 0 | 1 | 2;
  readonly holds: number;
}

/**
 * Finds the items of an answer: where the profile points, or else the array that looks most like
 * items: by its name, then by its content, then by its depth. Arrays beside it that look the same are
 * included, such as patches and snapshots. Where no array looks like items, an object whose member names
 * are ids is taken for one. `undefined` when there is none.
 */
export function locateItems(
  body: unknown,
  profile: OperationProfile | undefined,
): Items | undefined {
  if (profile?.items !== undefined) {
    const found = atPointer(body, profile.items);
    const items = recordsIn(found);
    const keyed = isObject(found);
    return items && { items, at: [profile.items], keyed, guessed: false };
  }
  const found = candidates(body);
  const arrays = found.filter(({ keyed }) => !keyed);
  const all = arrays.some(looksLikeItems) ? arrays : found;
  const [best] = all.toSorted((a, b) => b.named - a.named || b.holds - a.holds);
  if (!best) return undefined;
  const same = all.filter((one) => one === best || isAlike(one, best));
  const alike = new Set(same);
  const items = same.length > 1 ? same.flatMap(({ array }) => array) : best.array;
  return {
    items,
    at: same.map(({ at }) => at),
    keyed: same.some(({ keyed }) => keyed),
    guessed:
      same.length > 1 ||
      best.named === 0 ||
      items.some((item) => Array.isArray(item) || isGroup(item)) ||
      all.some((one) => !alike.has(one) && rivals(one, best)),
  };
}

/** The items of an answer, guessed or not; see `locateItems`. */
export function findItems(
  body: unknown,
  profile: OperationProfile | undefined,
): readonly unknown[] | undefined {
  return locateItems(body, profile)?.items;
}

/** Turns a violation into an inconclusive finding where the items are a guess. */
export function unlessGuessed(
  finding: Finding,
  operation: OperationId,
  { guessed }: Pick<Items, "guessed">,
): Finding {
  if (!guessed || finding.kind !== "fail") return finding;
  const { actual, evidence } = finding;
  const reason = phrase`${actual}; but the array that holds the items was guessed; set \`operations.${operation}.items\` to its JSON Pointer`;
  return Finding.inconclusive(reason, evidence);
}

/** Whether an answer has objects with ids in another array than the items' one before. */
export function hasItemsElsewhere(
  body: unknown,
  profile: OperationProfile | undefined,
  itemsAt: string,
): boolean {
  const { at = [] } = locateItems(body, profile) ?? {};
  const others = at.filter((pointer) => pointer !== itemsAt);
  return others.some((pointer) => held(recordsIn(atPointer(body, pointer)) ?? []) === HOLDS.ids);
}

/** The arrays of an answer, and objects keyed by id, that are in no other, nearest first. */
function candidates(body: unknown): Candidate[] {
  const found: Candidate[] = [];
  let level: [name: string, value: unknown, at: string, parent: unknown][] = [
    ["items", body, "", undefined],
  ];
  for (let depth = 0; depth <= ROOT_DEPTH && level.length > 0; depth++) {
    const members: typeof level = [];
    for (const [name, value, at, parent] of level) {
      const named = ASIDE.test(name) ? 0 : ITEMS.test(name) ? 2 : 1;
      if (Array.isArray(value) || isKeyedById(value) || (named === 2 && isEmpty(value))) {
        const array = recordsIn(value) ?? [];
        const keyed = !Array.isArray(value);
        found.push({ array, keyed, at, parent, depth, named, holds: held(array) });
      } else if (isObject(value) && named > 0) {
        for (const [key, member] of Object.entries(value)) {
          members.push([key, member, `${at}/${pointerToken(key)}`, value]);
        }
      }
    }
    level = members;
  }
  return found;
}

/** An object without members. Under a name of items it is a list by ids without items. */
function isEmpty(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

function looksLikeItems({ named, holds }: Candidate): boolean {
  return named === 2 || (named === 1 && holds >= HOLDS.objects);
}

function held(array: readonly unknown[]): number {
  if (array.length === 0) return HOLDS.nothing;
  if (!array.some(isObject)) return HOLDS.values;
  return array.some((item) => objectsWithin(item).some(hasId)) ? HOLDS.ids : HOLDS.objects;
}

/** Whether an array beside the best one may be part of the same list. It may be empty. */
function isAlike(one: Candidate, best: Candidate): boolean {
  return (
    one.parent === best.parent &&
    one.named === best.named &&
    best.named > 0 &&
    best.holds !== HOLDS.values &&
    (one.holds === best.holds || one.holds === HOLDS.nothing)
  );
}

/** Whether another array is as likely to be the items as the best one. */
function rivals(one: Candidate, best: Candidate): boolean {
  if (one.named === 0) return false;
  const equal = one.named === best.named && one.holds === best.holds;
  return (
    (equal && one.depth <= best.depth) || (one.holds > best.holds && best.holds !== HOLDS.nothing)
  );
}

/** Whether an item groups others, as by day: an object without id around objects with ids. */
function isGroup(item: unknown): boolean {
  if (!isObject(item) || hasId(item)) return false;
  const members = Object.values(item);
  return (
    !members.some((member) => isObject(member) && hasId(member)) &&
    members.some(
      (member) => Array.isArray(member) && member.some((one) => isObject(one) && hasId(one)),
    )
  );
}

/**
 * The ids of the organizations in a list, in lower case; `undefined` when none is recognised or the
 * items are a guess. An empty list gives an empty array.
 */
export function listedOrganizations(
  body: unknown,
  profile: OperationProfile | undefined,
): readonly string[] | undefined {
  const { items, guessed } = locateItems(body, profile) ?? {};
  if (!items || guessed) return undefined;
  const ids = items.map(organizationId).filter((id) => id !== undefined);
  return ids.length > 0 || items.length === 0 ? ids : undefined;
}

/**
 * The ids of the organizations in a list. Where the list has no recognisable items, because an empty
 * list may have another shape, the organizations of another list that it mentions.
 * @param other a list in which organizations are recognised
 */
export function shownOrganizations(
  list: { json(): unknown; readonly body: string },
  other: { json(): unknown },
  profile: OperationProfile | undefined,
): readonly string[] | undefined {
  const listed = listedOrganizations(list.json(), profile);
  if (listed) return listed;
  const known = listedOrganizations(other.json(), profile) ?? [];
  if (known.length === 0) return undefined;
  const mentioned = new Set(searchable(list.body).match(UUIDS));
  return known.filter((id) => mentioned.has(id));
}
