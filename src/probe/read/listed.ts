import type { OperationProfile } from "../../profile/operation.ts";
import { locateItems } from "./items.ts";
import { organizationId } from "./shapes.ts";

/** Every UUID in a text in lower case. */
export const UUIDS: RegExp = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

/**
 * The organizations that a list shows, or `undefined` when none can be recognised in it, or it is a
 * guess that these are listed. An empty list shows none, which is an answer.
 */
export function listedOrganizations(
  body: unknown,
  profile?: OperationProfile,
): readonly string[] | undefined {
  const { items, guessed } = locateItems(body, profile) ?? {};
  if (!items || guessed) return undefined;
  const ids = items.map(organizationId).filter((id) => id !== undefined);
  return ids.length > 0 || items.length === 0 ? ids : undefined;
}

/**
 * The organizations that a list shows; where no items can be recognised in it, because an empty list
 * has another shape, those of another list's that it mentions at all.
 * @param other a list in which organizations can be recognised
 */
export function shownOrganizations(
  list: { json(): unknown; readonly body: string },
  other: { json(): unknown },
  profile?: OperationProfile,
): readonly string[] | undefined {
  const listed = listedOrganizations(list.json(), profile);
  if (listed) return listed;
  const known = listedOrganizations(other.json(), profile) ?? [];
  if (known.length === 0) return undefined;
  const mentioned = new Set(list.body.toLowerCase().match(UUIDS));
  return known.filter((id) => mentioned.has(id));
}
