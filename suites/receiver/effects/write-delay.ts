import type { OperationId } from "../../../src/contract/operations.ts";
import { optional } from "../../../src/probe/finding.ts";
import type { Probe } from "../../../src/probe/probe.ts";
import type { UniqueValue } from "../../../src/probe/unique-value.ts";
import { acceptedWrites } from "../../../src/probe/write/unique-marker.ts";
import { plainEdit } from "../../shared/edit.ts";
import { submission } from "../../shared/submission.ts";
import { findValue, readBack, type Reading, showsWrites } from "./read-back.ts";

/** Makes the writes that a run makes anyway, for other rules. True where one was looked for in vain, for as long as it may take to show. */
const WRITING: readonly (readonly [OperationId, (probe: Probe) => Promise<boolean>])[] = [
  ["editOrganization", async (probe) => !(await probe.use(plainEdit)).seen],
  [
    "submitChange",
    async (probe) => {
      await probe.use(submission);
      return false;
    },
  ],
];

/** The run's writes of one operation: the latest one, and all. */
interface Written {
  readonly own: readonly UniqueValue[];
  readonly all: readonly UniqueValue[];
}

/**
 * Milliseconds from sending an accepted write until readings show it, measured with one write of each offered kind. A
 * write that does not show in time has no part in it. 0 where none becomes visible.
 */
export async function writeLagMs(probe: Probe): Promise<number> {
  const late = new Set<Written>();
  for (const [operation, write] of WRITING) {
    if (!probe.target.operations[operation]) continue;
    const earlier = acceptedWrites(probe, operation);
    const isInVain = await optional(write(probe));
    const own = acceptedWrites(probe, operation).filter((one) => !earlier.includes(one));
    if (own.length > 0 && !isInVain) late.add({ own, all: [...earlier, ...own] });
  }
  if (late.size === 0) return 0;
  let longest = 0;
  // They are looked for together, because each look reads all places.
  await probe.eventually(
    async () => {
      const began = performance.now();
      const readings = await readBack(probe);
      if (!showsWrites(probe, readings)) return;
      for (const one of late) {
        if (!isShown(readings, one)) continue;
        late.delete(one);
        longest = Math.max(longest, began - Math.min(...one.own.map(({ sentMs }) => sentMs)));
      }
    },
    () => late.size === 0,
  );
  return longest;
}

/** Whether every place that shows writes of an operation shows the latest one. */
function isShown(readings: readonly Reading[], { own, all }: Written): boolean {
  const showing = placesShowing(readings, own);
  return placesShowing(readings, all).every((place) => showing.includes(place));
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
