import { reject } from "../checks.ts";
import type { Answer, Steps } from "../model.ts";
import type { Patch } from "../steps.ts";
import type { Faults } from "./fault.ts";

/** How long a refusal is kept for its URL, in milliseconds. */
const KEPT_MS = 250;

const cachedByUrl =
  "A proxy stores answers for some tenths of a second against bursts. Its key is the URL, and refusals are stored too.";

/** Faults of something that a receiver keeps between requests, so that good tokens are refused for what came before. */
export const STATEFUL_FAULTS: Faults = {
  "credentials-by-global-pattern": {
    title: "Refuses every second good token",
    rule: "routes.reachable",
    how: "The header is matched by a regular expression with the flag `g`, which begins at the end of the last match.",
    readCredentials: (original) => {
      const pattern = /^Bearer +\S+$/gi;
      return (call) => {
        const [value = ""] = call.authorization;
        if (value !== "" && !pattern.test(value)) {
          throw reject(call, "readCredentials", "An access token is required.");
        }
        return original(call);
      };
    },
  },
  "replays-by-issue-time": {
    title: "Takes a token for a replay if it was issued to the same subject in the same second",
    rule: "routes.reachable",
    how: "A replay cache uses `jti` as its key, and falls back to `sub` and `iat` where a token has none.",
    checkRequiredClaims: (original) => {
      const used = new Set<string>();
      return async (call) => {
        await original(call);
        const { sub, iat, jti } = call.claims;
        const key = JSON.stringify(jti ?? [sub, iat]);
        if (used.has(key)) {
          throw reject(call, "checkRequiredClaims", "The access token was used already.");
        }
        used.add(key);
      };
    },
  },
  "refusals-cached-by-url": {
    title:
      "Answers a good request for a feed with the refusal of the one before, if the URL is the same",
    shows: "Refuses a good request for a feed after it refused another one with the same URL",
    rule: "receiver.isolation",
    how: cachedByUrl,
    finish: keepingRefusals(({ headers, ...answer }, now) => ({
      ...answer,
      // As if the receiver had answered.
      headers: { ...headers, date: now },
    })),
  },
  "refusals-cached-with-age": {
    title:
      "Answers a good request for a feed with the stored refusal of another one, as its `Age` says",
    rule: "receiver.isolation",
    how: cachedByUrl,
    finish: keepingRefusals(({ headers, ...answer }) => ({
      ...answer,
      headers: { ...headers, age: "0" },
    })),
  },
};

/**
 * A cache of feeds that gives a refusal again for its URL, whoever asks.
 * @param again the stored answer as it is given again, at a date
 */
function keepingRefusals(
  again: (stored: Answer, now: string) => Answer,
): NonNullable<Patch["finish"]> {
  return (original: Steps["finish"]) => {
    const stored = new Map<string, { readonly answer: Answer; readonly untilMs: number }>();
    return (answer, receiver, call) => {
      const whole = original(answer, receiver, call);
      if (call?.operation !== "readChangesFeed") return whole;
      const known = stored.get(call.url);
      const nowMs = performance.now();
      if (known && nowMs < known.untilMs) return again(known.answer, new Date().toUTCString());
      if (whole.status === 401 || whole.status === 403) {
        stored.set(call.url, { answer: whole, untilMs: nowMs + KEPT_MS });
      }
      return whole;
    };
  };
}
