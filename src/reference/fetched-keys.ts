import { type Keys, readKeys } from "./keys.ts";
import type { Receiver, Steps } from "./model.ts";

/**
 * The keys of one receiver that are fetched from the URL where a run publishes them.
 * @param keptMs cache lifetime in milliseconds
 * @param join combines fetched keys with those known before; default: the new ones replace them
 */
export function fetchedKeys(
  keptMs: number,
  join: (before: Keys | undefined, now: Keys) => Keys | Promise<Keys> = (_before, now) => now,
): Steps["issuerKeys"] {
  let last: { readonly at: number; readonly keys: Keys } | undefined;
  return async ({ keysUrl = "", keys, fetch }) => {
    if (last && performance.now() - last.at < keptMs) return last.keys;
    const fetched = await fetchKeys(keysUrl, fetch);
    // If nothing publishes keys now, the initial keys are used.
    if (!fetched) return last?.keys ?? keys;
    const current = await join(last?.keys, fetched);
    last = { at: performance.now(), keys: current };
    return current;
  };
}

async function fetchKeys(url: string, fetch: Receiver["fetch"]): Promise<Keys | undefined> {
  try {
    const answer = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(5000) });
    return await readKeys((await answer.json()) as Parameters<typeof readKeys>[0]);
  } catch {
    return undefined;
  }
}
