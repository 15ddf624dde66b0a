import { UUIDS } from "../../contract/uuid.ts";
import type { OperationProfile } from "../../profile/operation.ts";
import { locateItems } from "./items.ts";
import { organizationId } from "./shapes.ts";
import { searchable } from "./texts.ts";

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
