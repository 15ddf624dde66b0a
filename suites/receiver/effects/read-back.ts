import { OPERATION_IDS, type OperationId, OPERATIONS } from "../../../src/contract/operations.ts";
import { optional } from "../../../src/probe/finding.ts";
import type { Probe } from "../../../src/probe/probe.ts";
import { searchable } from "../../../src/probe/read/texts.ts";
import { reception } from "../../../src/probe/reception.ts";
import type { UniqueValue } from "../../../src/probe/unique-value.ts";
import { acceptedWrites, viewed } from "../../../src/probe/write/unique-marker.ts";
import { readFeed } from "../../shared/feed.ts";

/** Something that a good token reads of an organization, in which a write would be visible. */
export interface Reading {
  /** A phrase: "the feed". */
  readonly where: string;
  readonly body: string;
  readonly exchange: string;
}

/**
 * Reads an organization and its feed with good tokens; of a long feed, the first and last pages.
 * Skips what is not offered or not accepted.
 * @param organization default: the primary one
 */
export async function readBack(probe: Probe, organization?: string): Promise<Reading[]> {
  const { viewOrganization, readChangesFeed } = probe.target.operations;
  const of = organization === undefined ? "" : ` of ${organization}`;
  const [view, feed] = await Promise.all([
    viewOrganization && optional(viewed(probe, organization)),
    readChangesFeed && optional(readFeed(probe, { organization })),
  ]);
  const readings: Reading[] = [];
  if (view && reception(view) === "accepted") {
    const { body, exchange } = view;
    readings.push({ where: organization ?? "the organization", body, exchange: exchange.id });
  }
  for (const { body, exchange } of feed?.pages ?? []) {
    readings.push({ where: `the feed${of}`, body, exchange: exchange.id });
  }
  return readings;
}

/** The first of the values that a reading shows, in any letter case, and that reading. */
export function findValue(
  readings: readonly Reading[],
  values: readonly UniqueValue[],
): { value: UniqueValue; reading: Reading } | undefined {
  // Many values are searched for in few readings, so each reading is converted once.
  const texts = readings.map((reading) => ({ reading, body: searchable(reading.body) }));
  for (const value of values) {
    const found = texts.find(({ body }) => body.includes(value.value.toLowerCase()));
    if (found) return { value, reading: found.reading };
  }
  return undefined;
}

/**
 * Whether any accepted write is visible in the readings. If none is, other writes would not be
 * visible either.
 * @param operations only writes of these; default: all
 */
export function showsWrites(
  probe: Probe,
  readings: readonly Reading[],
  operations: readonly OperationId[] = OPERATION_IDS,
): boolean {
  const writes = operations.filter((id) => OPERATIONS[id].writes);
  return writes.some((id) => findValue(readings, acceptedWrites(probe, id)) !== undefined);
}
