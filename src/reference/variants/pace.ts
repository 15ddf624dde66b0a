import { setTimeout as sleep } from "node:timers/promises";

import { OPERATIONS } from "../../contract/operations.ts";
import type { Call, Receiver } from "../model.ts";
import { Refusal } from "../refusal.ts";
import type { Variant } from "./variant.ts";

/** Which answer is slow, and by how much. */
const SLOW = { every: 20, ms: 200 };
/** How many requests are taken in a second. */
const QUOTA = 300;

/** How long a write takes at the least, so that others come meanwhile. */
const WRITE_MS = 5;

/** The organizations that are written to, and by which request. */
const LOCKS = new WeakMap<Receiver, Map<string, Call>>();

function locksOf(receiver: Receiver): Map<string, Call> {
  const locks = LOCKS.get(receiver) ?? new Map<string, Call>();
  LOCKS.set(receiver, locks);
  return locks;
}

/** Freedoms in how fast answers come, and how many. */
export const PACE_VARIANTS: readonly Variant[] = [
  {
    name: "slow-answers",
    title: "Every twentieth answer takes a fifth of a second",
    documented: true,
    patches: [
      {
        step: "readCredentials",
        patch: (original) => {
          let calls = 0;
          return async (call) => {
            calls += 1;
            if (calls % SLOW.every === 0) await sleep(SLOW.ms);
            return original(call);
          };
        },
      },
    ],
  },
  {
    name: "rate-limited",
    title:
      "Of more than 300 requests in a second the rest are told 429 and to come back in a second",
    documented: true,
    patches: [
      {
        step: "readCredentials",
        patch: (original) => {
          const began = Date.now();
          const taken = new Map<number, number>();
          return (call) => {
            const second = Math.floor((Date.now() - began) / 1000);
            const before = taken.get(second) ?? 0;
            taken.set(second, before + 1);
            if (before < QUOTA) return original(call);
            throw new Refusal(429, "Too many requests.", { headers: { "retry-after": "1" } });
          };
        },
      },
    ],
  },
  {
    name: "writes-locked",
    title:
      "A write to an organization that another request is just writing to is answered 409, whatever its token",
    patches: [
      {
        step: "readCredentials",
        patch: (original) => async (call) => {
          const { receiver, operation, orgId = "" } = call;
          if (OPERATIONS[operation].writes) {
            const locks = locksOf(receiver);
            if (locks.has(orgId)) throw new Refusal(409, "Somebody else is writing.");
            locks.set(orgId, call);
            await sleep(WRITE_MS);
          }
          return original(call);
        },
      },
      {
        step: "finish",
        patch: (original) => (answer, receiver, call) => {
          const locks = locksOf(receiver);
          const held = call?.orgId ?? "";
          if (call && locks.get(held) === call) locks.delete(held);
          return original(answer, receiver, call);
        },
      },
    ],
  },
];
