import { setTimeout as sleep } from "node:timers/promises";

import { OPERATIONS } from "../../contract/operations.ts";
import type { Call } from "../model.ts";
import { changingAnswers } from "../patches.ts";
import { perReceiver } from "../per-receiver.ts";
import { Refusal } from "../refusal.ts";
import type { Variant } from "./variant.ts";

/** Which answer is slow, and by how much. */
const SLOW = { every: 20, ms: 200 };
/** The number of requests that are accepted in a second. */
const QUOTA = 300;

/** The minimum duration of a write, so that others arrive in the meantime. */
const WRITE_MS = 5;

/** The organizations with a write in progress, each with its request. */
const locksOf = perReceiver(() => new Map<string, Call>());

/** The shortest time of a request where the number of concurrent requests is limited. */
const CROWDED_MS = 2;

/** Limits the number of concurrent requests with the same key. A request without a key is always served. */
function limitingConcurrency(
  name: string,
  title: string,
  keyOf: (call: Call) => string | undefined,
  { most, status }: { readonly most: number; readonly status: 409 | 503 },
): Variant {
  const servedBy = perReceiver(() => new Map<Call, string>());
  return {
    name,
    title,
    readCredentials: (original) => async (call) => {
      const key = keyOf(call);
      const calls = servedBy(call.receiver);
      const others = [...calls.values()].filter((other) => other === key);
      if (key !== undefined) {
        if (others.length >= most) throw new Refusal(status, "Too many requests at once.");
        calls.set(call, key);
        await sleep(CROWDED_MS);
      }
      return original(call);
    },
    ...changingAnswers((answer, call, receiver) => {
      if (call) servedBy(receiver).delete(call);
      return answer;
    }),
  };
}

export const PACE_VARIANTS: readonly Variant[] = [
  {
    name: "slow-answers",
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
  {
    name: "rate-limited",
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
  {
    name: "writes-locked",
    title:
      "A write to an organization during another write to it is answered with 409, whatever its token",
    readCredentials: (original) => async (call) => {
      const { receiver, operation, orgId = "" } = call;
      if (OPERATIONS[operation].writes) {
        const locks = locksOf(receiver);
        if (locks.has(orgId)) throw new Refusal(409, "Somebody else is writing.");
        locks.set(orgId, call);
        await sleep(WRITE_MS);
      }
      return original(call);
    },
    ...changingAnswers((answer, call, receiver) => {
      const locks = locksOf(receiver);
      const held = call?.orgId ?? "";
      if (call && locks.get(held) === call) locks.delete(held);
      return answer;
    }),
  },
  limitingConcurrency(
    "reads-locked-by-token",
    "A read is answered with 409 while another read with the same token is under way",
    ({ authorization, operation }) =>
      OPERATIONS[operation].writes ? undefined : authorization.join(),
    { most: 1, status: 409 },
  ),
  limitingConcurrency(
    "overloaded",
    "Requests above four at once are answered with 503, without Retry-After",
    () => "all",
    { most: 4, status: 503 },
  ),
];
