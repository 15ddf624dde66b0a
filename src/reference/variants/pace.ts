import { setTimeout as sleep } from "node:timers/promises";

import { OPERATIONS } from "../../contract/operations.ts";
import type { Call } from "../model.ts";
import { changingAnswers } from "../patches.ts";
import { perReceiver } from "../per-receiver.ts";
import { Refusal } from "../refusal.ts";
import type { Patch } from "../steps.ts";
import type { Variants } from "./variant.ts";

/** Which answer is slow, and by how much. */
const SLOW = { every: 20, ms: 200 };
/** The number of requests that are accepted in a second. */
const QUOTA = 300;

/** The minimum duration of a write, so that others arrive in the meantime. */
const WRITE_MS = 5;

/** The shortest time of a request where the number of concurrent requests is limited. */
const CROWDED_MS = 2;

/**
 * Limits the number of concurrent requests with the same key. A request without a key is always served.
 * @param limit the greatest number, the status of further requests, and the minimum duration of each
 */
function limitingConcurrency(
  keyOf: (call: Call) => string | undefined,
  limit: { readonly most: number; readonly status: 409 | 503; readonly ms: number },
): Patch {
  const servedBy = perReceiver(() => new Map<Call, string>());
  return {
    readCredentials: (original) => async (call) => {
      const key = keyOf(call);
      const calls = servedBy(call.receiver);
      const others = [...calls.values()].filter((other) => other === key);
      if (key !== undefined) {
        if (others.length >= limit.most) {
          throw new Refusal(limit.status, "Too many requests at once.");
        }
        calls.set(call, key);
        await sleep(limit.ms);
      }
      return original(call);
    },
    ...changingAnswers((answer, call, receiver) => {
      if (call) servedBy(receiver).delete(call);
      return answer;
    }),
  };
}

export const PACE_VARIANTS: Variants = {
  "slow-answers": {
    title: "Every twentieth answer takes 0.2 seconds",
    documented: true,
    readCredentials: (original) => {
      let calls = 0;
      return async (call) => {
        calls += 1;
        if (calls % SLOW.every === 0) await sleep(SLOW.ms);
        return original(call);
      };
    },
  },
  "rate-limited": {
    title: "Requests above 300 in a second are answered with 429 and a Retry-After of one second",
    documented: true,
    readCredentials: (original) => {
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
  "writes-locked": {
    title:
      "A write to an organization during another write to it is answered with 409, whatever its token",
    ...limitingConcurrency(
      ({ operation, orgId = "" }) => (OPERATIONS[operation].writes ? orgId : undefined),
      { most: 1, status: 409, ms: WRITE_MS },
    ),
  },
  "reads-locked-by-token": {
    title: "A read is answered with 409 while another read with the same token is under way",
    ...limitingConcurrency(
      ({ authorization, operation }) =>
        OPERATIONS[operation].writes ? undefined : authorization.join(),
      { most: 1, status: 409, ms: CROWDED_MS },
    ),
  },
  overloaded: {
    title: "Requests above four at once are answered with 503, without Retry-After",
    ...limitingConcurrency(() => "all", { most: 4, status: 503, ms: CROWDED_MS }),
  },
};
