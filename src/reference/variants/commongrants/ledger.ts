import { groupBy } from "../../../lib/group-by.ts";
import type { Call } from "../../model.ts";
import { perReceiver } from "../../per-receiver.ts";
import { ownFeed } from "../../routes.ts";
import type { Change, Status } from "../../store.ts";
import { changingFeed } from "../feed.ts";
import type { Variants } from "../variant.ts";

/** How often each change was shown. */
const shownOf = perReceiver(() => new Map<string, number>());

/** Freedoms in what becomes of submissions, and in what the feed keeps. */
export const LEDGER_VARIANTS: Variants = {
  "cg-submissions-accepted": {
    title: "A submission is accepted and applied at once",
    submitChange: (original) => (call) => {
      const { organization, receiver, body } = call;
      const answer = original(call);
      const [change] = ownFeed(call);
      if (!organization || !change) return answer;
      const snapshot = receiver.steps.merge(
        organization,
        body as Readonly<Record<string, unknown>>,
      );
      receiver.store.organizations.set(organization.id, snapshot);
      const data: Change = { ...change, status: { value: "accepted" }, snapshot };
      ownFeed(call)[0] = data;
      const { data: _, ...envelope } = answer.body as { readonly data: unknown };
      return { ...answer, headers: {}, body: { ...envelope, data } };
    },
  },
  "cg-submissions-denied": {
    title: "A submission is denied at once",
    revision: (original) => (change, call) =>
      ofSubmission(original(change, call), { value: "denied", description: "Not now." }),
  },
  "cg-submissions-custom": {
    title: "A submission gets a custom status",
    revision: (original) => (change, call) =>
      ofSubmission(original(change, call), { value: "custom", customValue: "escalated" }),
  },
  "cg-reviewed-in-steps": {
    title: "A pending change is escalated when it is read, and denied when it is read again",
    readChange: (original) => (call) => original(moved(call)),
    readChangesFeed: (original) => (call) => original(moved(call)),
  },
  "cg-feed-squashed": {
    title: "The feed keeps the latest accepted change, and those that are pending",
    ...changingFeed((items) => {
      const latest = items.find(({ status }) => status.value === "accepted");
      return items.filter(({ status, id }) => status.value !== "accepted" || id === latest?.id);
    }),
  },
  "cg-feed-of-one-second": {
    title: "The feed knows seconds, and has changes of one second in any order",
    ...changingFeed((items) => {
      const seconds = items.map((change) => ({ ...change, createdAt: second(change.createdAt) }));
      const groups = groupBy(seconds, ({ createdAt }) => createdAt);
      return [...groups.values()].flatMap((group) => group.toReversed());
    }),
    revision: (original) => (change, call) => {
      const whole = original(change, call);
      return { ...whole, createdAt: second(whole.createdAt) };
    },
  },
  "cg-feed-of-ids-and-times": {
    title: "The feed shows ids, statuses and times, and a change all",
    ...changingFeed((items) =>
      items.map(
        ({ id, status, createdAt, lastModifiedAt }) =>
          ({ id, status, createdAt, lastModifiedAt }) as Change,
      ),
    ),
  },
};

function ofSubmission(change: Change, status: Status): Change {
  return change.snapshot ? change : { ...change, status };
}

/** Moves pending changes of the organization on, as if they were reviewed between two readings. */
function moved(call: Call): Call {
  const feed = ownFeed(call);
  const shown = shownOf(call.receiver);
  for (const [at, change] of feed.entries()) {
    const { value } = change.status;
    if (value !== "pending" && value !== "custom") continue;
    const times = (shown.get(String(change.id)) ?? 0) + 1;
    shown.set(String(change.id), times);
    if (times === 2)
      feed[at] = { ...change, status: { value: "custom", customValue: "escalated" } };
    if (times === 3) feed[at] = { ...change, status: { value: "denied" } };
  }
  return call;
}

function second(time: string): string {
  return `${time.slice(0, 19)}Z`;
}
