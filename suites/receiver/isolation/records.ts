import type { OperationId } from "../../../src/contract/operations.ts";
import { UUIDS } from "../../../src/contract/uuid.ts";
import type { Reply } from "../../../src/http/exchange.ts";
import { atPointer } from "../../../src/lib/json-pointer.ts";
import { canonicalJson, isObject } from "../../../src/lib/json.ts";
import type { Probe } from "../../../src/probe/probe.ts";
import { findItems, shownOrganizations } from "../../../src/probe/read/items.ts";
import { ID_MEMBERS } from "../../../src/probe/read/keyed-records.ts";
import { exactJson, objectsWithin, organizationId } from "../../../src/probe/read/shapes.ts";
import { searchable } from "../../../src/probe/read/texts.ts";
import type { UniqueValue } from "../../../src/probe/unique-value.ts";
import { acceptedWrites, shows } from "../../../src/probe/write/unique-marker.ts";
import type { Facts } from "../../../src/profile/facts.ts";

// Tells whose data an answer shows. The contract defines no field for this but an organization's id.

/**
 * The records that an accepted answer to a read shows, as strings that are equal for equal records:
 * - the view and the list: ids of organizations, in lower case
 * - the feed and a change: each record as JSON with sorted members
 * @param listed an answer of the list that shows organizations. An empty list may have another shape.
 * @returns an empty array where no record can be recognised
 */
export function shownRecords(
  operation: OperationId,
  reply: Reply,
  listed: Reply,
  { operations }: Facts,
): string[] {
  const profile = operations[operation];
  const body = exactJson(reply);
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
 * The strings in a text that identify one record: UUIDs and values that the run has written, in lower
 * case. Numbers, words and times may be the same in two organizations.
 */
export function namesIn(text: string, written: readonly UniqueValue[]): string[] {
  const lower = searchable(text);
  const values = written.map(({ value }) => value.toLowerCase());
  return [...(lower.match(UUIDS) ?? []), ...values.filter((value) => lower.includes(value))];
}

/** Whether a record shows a change that the run submitted to another organization. */
export function isSubmittedElsewhere(
  record: string,
  own: string | undefined,
  probe: Pick<Probe, "seen">,
): boolean {
  return acceptedWrites(probe, "submitChange").some(
    ({ organization, value }) =>
      organization !== undefined &&
      organization.toLowerCase() !== own?.toLowerCase() &&
      shows({ body: record }, value),
  );
}
