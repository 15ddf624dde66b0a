import type { OperationId } from "../contract/operations.ts";
import type { Reply } from "../http/exchange.ts";
import { listedChanges } from "../probe/read/change-ids.ts";
import { reception } from "../probe/reception.ts";
import type { Target } from "../profile/target.ts";
import type { Seen } from "./contract.ts";
import { readChanges } from "./good-request.ts";

/** Changes that are tried, of the record and of the feed each. */
const MOST_TRIED = 3;

/**
 * A change that can be read now: one that the run has read, or else one that the feed lists. The deployment may have others than at
 * the time of the run. Where the profile names one, nothing is sent.
 * @param read sends a good request; `undefined` where that is not possible
 */
export async function existingChange(
  target: Target,
  seen: Seen,
  read: (operation: OperationId, change?: string) => Promise<Reply | undefined>,
): Promise<string | undefined> {
  const { readChange, readChangesFeed } = target.operations;
  const organization = target.organizations.primary;
  if (readChange?.changeId !== undefined) return readChange.changeId;
  const firstRead = async (ids: readonly string[]): Promise<string | undefined> => {
    for (const id of ids.slice(0, MOST_TRIED)) {
      const reply = await read("readChange", id);
      if (reply && reception(reply) === "accepted") return id;
    }
    return undefined;
  };
  const known = await firstRead(readChanges(seen, organization).toReversed());
  if (known !== undefined || !readChangesFeed) return known;
  const feed = await read("readChangesFeed");
  if (!feed || reception(feed) !== "accepted") return undefined;
  const listed = listedChanges(feed, readChangesFeed, organization) ?? [];
  return firstRead(listed.flatMap(({ ids }) => ids.slice(0, 1).map(({ id }) => id)));
}
