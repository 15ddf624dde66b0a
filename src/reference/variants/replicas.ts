import type { Call, Receiver } from "../model.ts";
import { Refusal } from "../refusal.ts";
import { feedOf } from "../routes.ts";
import type { Change, Organization } from "../store.ts";
import { feeding, isOld } from "./feed.ts";
import type { Variant } from "./variant.ts";

/** The delay of the second replica. */
const BEHIND_SECONDS = 1.3;

/** The number of reads that each receiver has answered. */
const READS = new WeakMap<Receiver, number>();

/** Freedoms of a deployment with more than one copy of its data. */
export const REPLICA_VARIANTS: readonly Variant[] = [
  {
    name: "two-replicas",
    title: "Two replicas answer reads in no fixed order, and one of them is 1.3 seconds behind",
    // An edit with the ETag of the delayed replica is refused.
    uses: ["edit"],
    patches: [
      feeding((items, call) =>
        isBehind(call) ? items.filter((change) => isKnown(change, call)) : items,
      ),
      {
        step: "readChange",
        patch: (original) => (call) => {
          const change = changesOf(call).find(({ id }) => String(id) === call.changeId);
          if (change && isBehind(call) && !isKnown(change, call)) {
            throw new Refusal(404, "There is no such change.");
          }
          return original(call);
        },
      },
      {
        step: "viewOrganization",
        patch: (original) => (call) =>
          original(isBehind(call) ? { ...call, organization: asKnown(call) } : call),
      },
    ],
  },
];

/** Whether the delayed replica answers this read. */
function isBehind({ receiver }: Call): boolean {
  const reads = READS.get(receiver) ?? 0;
  READS.set(receiver, reads + 1);
  return isHeads(reads + 1);
}

/** A pseudo-random bit for each number, the same in every run: one bit of an integer hash. */
function isHeads(number: number): boolean {
  const spread = Math.imul(number, 0x9e3779b9);
  return Math.imul(spread ^ (spread >>> 15), 0x85ebca6b) < 0;
}

function isKnown(change: Change, call: Call): boolean {
  return isOld(change, call, BEHIND_SECONDS);
}

/** The organization as the delayed replica has it. */
function asKnown(call: Call): Organization | undefined {
  const latest = changesOf(call).find((change) => change.snapshot && isKnown(change, call));
  return latest?.snapshot ?? call.organization;
}

function changesOf({ receiver, organization }: Call): readonly Change[] {
  return organization ? feedOf(receiver, organization) : [];
}
