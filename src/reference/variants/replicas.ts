import type { Call } from "../model.ts";
import { perReceiver } from "../per-receiver.ts";
import { Refusal } from "../refusal.ts";
import { ownFeed } from "../routes.ts";
import { changeNamed, type Change, type Organization } from "../store.ts";
import { changingFeed, isOld } from "./feed.ts";
import type { Variants } from "./variant.ts";

/** The delay of the second replica. */
const BEHIND_SECONDS = 1.3;

/** The reads that a receiver has answered. */
const readsOf = perReceiver(() => ({ count: 0 }));

/** Freedoms of a deployment with more than one copy of its data. */
export const REPLICA_VARIANTS: Variants = {
  "two-replicas": {
    title: "Two replicas answer reads in no fixed order, and one of them is 1.3 seconds behind",
    // An edit with the ETag of the delayed replica is refused.
    uses: ["edit"],
    ...changingFeed((items, call) =>
      isBehind(call) ? items.filter((change) => isKnown(change, call)) : items,
    ),
    readChange: (original) => (call) => {
      const change = changeNamed(ownFeed(call), call.changeId);
      if (change && isBehind(call) && !isKnown(change, call)) {
        throw new Refusal(404, "There is no such change.");
      }
      return original(call);
    },
    viewOrganization: (original) => (call) =>
      original(isBehind(call) ? { ...call, organization: asKnown(call) } : call),
  },
};

/** Whether the delayed replica answers this read. */
function isBehind({ receiver }: Call): boolean {
  const reads = readsOf(receiver);
  reads.count += 1;
  return isHeads(reads.count);
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
  const latest = ownFeed(call).find((change) => change.snapshot && isKnown(change, call));
  return latest?.snapshot ?? call.organization;
}
