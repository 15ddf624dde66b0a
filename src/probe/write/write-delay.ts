import type { OperationId } from "../../contract/operations.ts";
import { optional } from "../case-end.ts";
import type { Fixture } from "../probe.ts";
import type { Probe } from "../probe.ts";
import { findValue, type Reading, readBack, showsWrites } from "../read/read-back.ts";
import { reception } from "../reception.ts";
import type { UniqueValue } from "../session.ts";
import { plainEdit } from "./edit.ts";
import { submission } from "./submission.ts";

/** The writes that a run makes anyway, for other rules. */
const WRITING: readonly (readonly [OperationId, Fixture<unknown>])[] = [
  ["editOrganization", plainEdit],
  ["submitChange", submission],
];

/**
 * Milliseconds from sending an accepted write until readings show it, measured with one write of each
 * offered kind; 0 where no write ever becomes visible.
 */
export async function writeLagMs(probe: Probe): Promise<number> {
  let longest = 0;
  for (const [operation, write] of WRITING) {
    if (!probe.target.operations[operation]) continue;
    const earlier = acceptedWrites(probe, operation);
    await optional(probe.use(write));
    const own = acceptedWrites(probe, operation).filter((one) => !earlier.includes(one));
    if (own.length === 0) continue;
    const all = [...earlier, ...own];
    const caughtUp = (readings: readonly Reading[]): boolean =>
      showsWrites(probe, readings) &&
      placesShowing(readings, all).every((place) => placesShowing(readings, own).includes(place));
    const { began, readings } = await probe.eventually(
      async () => ({ began: performance.now(), readings: await readBack(probe) }),
      (look) => caughtUp(look.readings),
    );
    // If nothing has become visible by now, there is nothing to wait for.
    if (!showsWrites(probe, readings)) return 0;
    longest = Math.max(longest, began - Math.min(...own.map(({ sentMs }) => sentMs)));
  }
  return longest;
}

/** The places where writes are visible. A feed is one place, however many pages it has. */
function placesShowing(readings: readonly Reading[], values: readonly UniqueValue[]): string[] {
  const places = new Set(readings.map(({ where }) => where));
  return [...places].filter((place) =>
    findValue(
      readings.filter(({ where }) => where === place),
      values,
    ),
  );
}

function acceptedWrites({ uniqueValues }: Probe, operation: OperationId): UniqueValue[] {
  return uniqueValues.filter((one) => one.operation === operation && reception(one) === "accepted");
}
