import { isObject } from "../../lib/json.ts";
import type { Call } from "../model.ts";
import { Refusal } from "../refusal.ts";
import { feedOf, ownFeed, submitChange } from "../routes.ts";
import type { Patch } from "../steps.ts";
import {
  type Change,
  changeNamed,
  OTHER,
  PARTNER,
  PRIMARY,
  serialUuid,
  SUBJECT,
} from "../store.ts";
import { isChange } from "./shape.ts";
import { withOperation, type Variants } from "./variant.ts";

const LAG_SECONDS = 0.3;
/** The number of requests between two writes of another client. */
const OTHERS_PAUSE = 100;

/** Freedoms in the content and the delay of the changes feed. */
export const FEED_VARIANTS: Variants = {
  "feed-lags": {
    title: "A change is in the feed and can be read by its id only a moment after it was made",
    ...changingFeed((items, call) => items.filter((change) => isOld(change, call))),
    readChange: (original) => (call) => {
      const change = changeNamed(ownFeed(call), call.changeId);
      if (change && !isOld(change, call)) throw new Refusal(404, "There is no such change.");
      return original(call);
    },
  },
  "feed-oldest-first": {
    title: "The feed begins with the oldest change",
    ...changingFeed((items) => items.toReversed()),
  },
  "feed-starts-empty": {
    title: "The feed is empty before the first write, and the profile names no change",
    // A variant without pages replaces the step that leaves the change out.
    uses: ["pages"],
    ...changingFeed((items) => items.filter(({ source }) => source !== "import")),
    readChange: (original) => (call) => {
      const imported = ownFeed(call).find(({ source }) => source === "import");
      if (String(imported?.id) !== call.changeId) return original(call);
      throw new Refusal(404, "There is no such change.");
    },
    describe: (profile) => withOperation(profile, "readChange", () => ({})),
  },
  "feed-by-subject": {
    title:
      "A second subject is shown a part of the changes of an organization, in pages and totals of its own",
    readChangesFeed: (original) => (call) => {
      lengthen(call);
      return original(call);
    },
    ...changingFeed((items, call) => items.filter((change) => maySee(call.claims["sub"], change))),
  },
  "feed-without-ids": {
    title: "Changes in the feed have no id",
    shape: (original) => (content) =>
      original("items" in content ? { ...content, items: content.items.map(unnamed) } : content),
  },
  "others-write": {
    title: "Another client also submits changes from time to time",
    applyPolicy: (original) => {
      let calls = 0;
      return (call) => {
        calls += 1;
        const organization = call.receiver.store.organizations.get(PRIMARY);
        if (calls % OTHERS_PAUSE === 0) {
          const body = { mission: `Other ${calls}.` };
          submitChange({ ...call, organization, body, claims: { sub: `${SUBJECT}-2` } });
        }
        return original(call);
      };
    },
  },
};

/** Changes which changes the feed lists, or their order. */
export function changingFeed(
  list: (items: readonly Change[], call: Call) => readonly Change[],
): Patch {
  return {
    paginate: (original) => (call, items) => {
      if (call.operation !== "readChangesFeed") return original(call, items);
      const changes = items as readonly unknown[] as readonly Change[];
      return original(call, list(changes, call) as readonly unknown[] as typeof items);
    },
  };
}

const INTERNAL = "internal";
/** Who made the oldest changes of the second organization, the newest of these first. */
const OLDER = [INTERNAL, "archive", INTERNAL, "archive", "archive"];

function lengthen({ organization, receiver }: Call): void {
  if (organization?.id !== OTHER) return;
  const feed = feedOf(receiver, organization);
  const oldest = feed.at(-1);
  if (!oldest || oldest.source === OLDER.at(-1)) return;
  feed.push(
    ...OLDER.map((source, at) => ({ ...oldest, source, id: serialUuid("a2c417e5", at + 1) })),
  );
}

/** Whether a subject is shown a change: a second one sees none that are internal. */
function maySee(subject: unknown, { source }: Change): boolean {
  return subject !== PARTNER || source !== INTERNAL;
}

/** Whether a change was made at least this many seconds ago. */
export function isOld(
  { source, createdAt }: Change,
  { receiver: { steps } }: Call,
  seconds: number = LAG_SECONDS,
): boolean {
  return source === "import" || Date.parse(createdAt) / 1000 <= steps.now() - seconds;
}

function unnamed(item: unknown): unknown {
  if (!isObject(item) || !isChange(item)) return item;
  const { id: _, ...change } = item;
  return change;
}
