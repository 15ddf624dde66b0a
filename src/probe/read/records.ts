import type { OperationId } from "../../contract/operations.ts";
import type { Reply } from "../../http/exchange.ts";
import { atPointer } from "../../lib/json-pointer.ts";
import { canonicalJson, isObject } from "../../lib/json.ts";
import type { Target } from "../../profile/target.ts";
import { reception } from "../reception.ts";
import type { UniqueValue } from "../session.ts";
import { shows } from "../write/unique-marker.ts";
import { findItems } from "./items.ts";
import { shownOrganizations, UUIDS } from "./listed.ts";
import { objectsWithin, organizationId } from "./shapes.ts";

/** Telling whose data an answer shows, by what it shows: the contract shows no field but an organization's id. */

/** Names that a record of a change may have its id under. */
const ID_MEMBERS = ["changeId", "change_id", "id"];

/**
 * What an accepted answer to a read shows, as texts that are equal where the same thing is shown:
 * - the view and the list: ids of organizations, in lower case
 * - the feed and a change: each record as JSON with its members in order
 * None where nothing can be recognised.
 * @param listed an answer in which the list's organizations can be recognised, where an empty one has another shape
 */
export function shownRecords(
  operation: OperationId,
  reply: Reply,
  listed: Reply,
  { operations }: Target,
): string[] {
  const profile = operations[operation];
  const body = reply.json();
  switch (operation) {
    case "viewOrganization": {
      const pointer = profile?.organization;
      const id = organizationId(pointer === undefined ? body : atPointer(body, pointer));
      return id === undefined ? [] : [id];
    }
    case "listOrganizations":
      return [...(shownOrganizations(reply, listed, profile) ?? [])];
    case "readChangesFeed":
      return (findItems(body, profile) ?? []).filter(isObject).map(canonicalJson);
    case "readChange": {
      const record = objectsWithin(body).find((object) =>
        ID_MEMBERS.some((name) => Object.hasOwn(object, name)),
      );
      return record ? [canonicalJson(record)] : [];
    }
    default:
      return [];
  }
}

/**
 * What in a text belongs to one thing alone: UUIDs in lower case, and values that the run has written. Numbers, words and
 * times may well be the same in two organizations.
 */
export function namesIn(text: string, written: readonly UniqueValue[]): string[] {
  const lower = text.toLowerCase();
  const values = written.map(({ value }) => value.toLowerCase());
  return [...(lower.match(UUIDS) ?? []), ...values.filter((value) => lower.includes(value))];
}

/** Whether a record shows what the run has submitted to an organization other than this one. */
export function isSubmittedElsewhere(
  record: string,
  organization: string | undefined,
  written: readonly UniqueValue[],
): boolean {
  return written.some(
    (one) =>
      one.operation === "submitChange" &&
      reception(one) === "accepted" &&
      one.organization !== undefined &&
      one.organization.toLowerCase() !== organization?.toLowerCase() &&
      shows({ body: record }, one.value),
  );
}
