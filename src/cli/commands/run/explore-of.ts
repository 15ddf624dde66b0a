import type { ExploreChoices } from "../../../certify.ts";
import type { RunFlags } from "./flags.ts";

/** What the flags say of exploration; `undefined` where nothing is explored. */
export function exploreOf({
  explore: seconds,
  exploreRequests: requests,
  exploreOnly: only = false,
}: RunFlags): ExploreChoices | undefined {
  if (seconds === undefined && requests === undefined && !only) return undefined;
  return { seconds, requests, only };
}
