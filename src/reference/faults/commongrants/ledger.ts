import { isObject, type JsonObject } from "../../../lib/json.ts";
import { revisions } from "../../commongrants.ts";
import { mergePatch } from "../../merge-patch.ts";
import type { Patch } from "../../steps.ts";
import type { Change } from "../../store.ts";
import { changingFeed } from "../../variants/feed.ts";
import { type Faults, ownedBy } from "../fault.ts";

const HOUR_MS = 3_600_000;

/** Faults in the feed, in single changes, and in what both show. */
export const LEDGER_FAULTS: Faults = ownedBy("commongrants.ledger", {
  "cg-feed-oldest-first": {
    title: "Lists the oldest change first",
    how: "The query is sorted by the key.",
    ...changingFeed((items) => items.toReversed()),
  },
  "cg-feed-by-status": {
    title: "Sorts the feed by status, and then by time",
    how: "Reviewers want to see what is pending first.",
    ...changingFeed((items) => [
      ...items.filter(({ status }) => status.value === "pending"),
      ...items.filter(({ status }) => status.value !== "pending"),
    ]),
  },
  "cg-feed-latest-last": {
    title: "Lists the latest change last",
    how: "The newest row is added to a list that was read before.",
    ...changingFeed((items) => [...items.slice(1), ...items.slice(0, 1)]),
  },
  "cg-feed-without-edits": {
    title: "Lists submissions alone",
    how: "Edits are not recorded in the table of changes.",
    ...changingFeed((items) =>
      items.filter(({ snapshot, source }) => snapshot === undefined || source === "import"),
    ),
  },
  "cg-feed-without-submissions": {
    title: "Lists edits alone",
    how: "Submissions are in the table of another service.",
    ...changingFeed((items) => items.filter(({ snapshot }) => snapshot !== undefined)),
  },
  "cg-feed-other-patch": {
    title: "Lists changes with what was there before in place of the patch",
    how: "The patch is computed, and the wrong way round.",
    ...changingFeed((items) =>
      items.map((change) => ({ ...change, patch: { mission: "Before." } })),
    ),
  },
  "cg-feed-other-source": {
    title: "Lists changes with another source than it answered them with",
    how: "The feed shows the service that wrote the row.",
    ...changingFeed((items) => items.map((change) => ({ ...change, source: "ledger-writer" }))),
  },
  "cg-status-restated": {
    title: "Restates an accepted edit as superseded when the next one comes",
    how: "Only the latest change counts as accepted.",
    ...changingFeed((items) => {
      const latest = items.findIndex(({ status }) => status.value === "accepted");
      return items.map((change, at) =>
        at > latest && change.status.value === "accepted"
          ? { ...change, status: { value: "superseded" } }
          : change,
      );
    }),
  },
  "cg-status-restated-in-change": {
    title: "Shows an accepted edit as denied when it is read as one change",
    how: "The status is joined from a table of reviews, and there is no row.",
    ...revisions(denied, ["readChange"]),
  },
  "cg-created-moves": {
    title: "Lists changes with another createdAt than it answered them with",
    how: "The column is local time, and the answer is not.",
    ...changingFeed((items) =>
      items.map((change) => ({
        ...change,
        createdAt: new Date(Date.parse(change.createdAt) - HOUR_MS).toISOString(),
      })),
    ),
  },
  "cg-source-in-change-other": {
    title: "Shows one change with another source than the feed",
    how: "The view of one change shows who asks for it.",
    ...revisions((revision) => ({ ...revision, source: "reader" }), ["readChange"]),
  },
  "cg-change-snapshot-of-today": {
    title: "Shows one change with the profile of today as its snapshot",
    how: "The snapshot is read when it is asked for.",
    ...revisions(
      (revision, { organization }) =>
        revision["snapshot"] === undefined ? revision : { ...revision, snapshot: organization },
      ["readChange"],
    ),
  },
  "cg-change-snapshot-elsewhere": {
    title: "Shows one change with the profile of another organization as its snapshot",
    how: "The join is by the number of the version, which each organization counts from one.",
    ...revisions(
      (revision, { organization, receiver }) => {
        const others = [...receiver.store.organizations.values()];
        const snapshot = others.find(({ id }) => id !== organization?.id);
        return revision["snapshot"] === undefined ? revision : { ...revision, snapshot };
      },
      ["readChange"],
    ),
  },
  "cg-snapshot-before": {
    title: "Takes the snapshot of an edit before it is applied",
    how: "The row is read before the update.",
    revision: (original) => (change, call) => {
      const whole = original(change, call);
      return whole.snapshot && call.organization
        ? { ...whole, snapshot: call.organization }
        : whole;
    },
  },
  "cg-snapshot-of-patch": {
    title: "Has the patch in the snapshot, and nothing else",
    how: "The snapshot is made of what was sent.",
    revision: snapshotting(({ patch }, { id, name }) => ({ id, name, ...patch })),
  },
  "cg-snapshot-shallow": {
    title: "Merges the first level for the snapshot, and replaces what is deeper",
    how: "The snapshot is made by assigning members, and the profile by merging them.",
    revision: snapshotting(({ patch }, before) => ({
      ...before,
      ...(Object.fromEntries(
        Object.entries(patch).map(([name, value]) => [name, mergePatch({}, value)]),
      ) as object),
    })),
  },
  "cg-snapshot-with-cleared": {
    title: "Keeps in the snapshot what an edit clears",
    how: "Members that are null are not serialized.",
    revision: snapshotting(({ patch }, before) => mergePatch(before, withoutNulls(patch))),
  },
});

function denied(revision: JsonObject): JsonObject {
  const { status } = revision;
  return isObject(status) && status["value"] === "accepted"
    ? { ...revision, status: { value: "denied" } }
    : revision;
}

/** Makes another snapshot of an edit. */
function snapshotting(
  make: (change: Change, before: NonNullable<Change["snapshot"]>) => unknown,
): NonNullable<Patch["revision"]> {
  return (original) => (change, call) => {
    const whole = original(change, call);
    const { organization } = call;
    return whole.snapshot && organization
      ? { ...whole, snapshot: make(whole, organization) as NonNullable<Change["snapshot"]> }
      : whole;
  };
}

function withoutNulls(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) =>
      one === null ? [] : [[name, withoutNulls(one)] as const],
    ),
  );
}
