import { isObject, type JsonObject } from "../../../lib/json.ts";
import { revisions } from "../../commongrants.ts";
import type { Change } from "../../store.ts";
import { type Faults, ownedBy } from "../fault.ts";

const HOUR_MS = 3_600_000;

/** Faults in what a revision says of itself. */
export const REVISION_FAULTS: Faults = ownedBy("commongrants.revision", {
  "cg-revision-id-of-organization": {
    title: "Answers an edit with the id of the organization in place of the revision's",
    how: "The handler returns the key of the row that it wrote.",
    ...revisions((revision, { orgId }) => ({ ...revision, id: orgId }), ["editOrganization"]),
  },
  "cg-revision-id-of-organization-on-submission": {
    title: "Answers a submission with the id of the organization in place of the change's",
    how: "The handler returns the key of the row that it locked.",
    ...revisions((revision, { orgId }) => ({ ...revision, id: orgId }), ["submitChange"]),
  },
  "cg-revision-id-serial": {
    title: "Gives changes serial numbers",
    how: "The table has a serial key.",
    newChangeId: () => (store) => (store.changes += 1),
  },
  "cg-revision-id-prefixed": {
    title: "Shows ids of changes with a prefix",
    how: "Ids say what they identify.",
    ...revisions((revision) => ({ ...revision, id: `chg_${String(revision["id"])}` })),
  },
  "cg-revision-ids-repeated": {
    title: "Answers two edits in a row with one id",
    how: "The id is made of the time, and edits come faster than the clock ticks.",
    finish: (original) => {
      let edits = 0;
      let known: unknown;
      return (answer, receiver, call) => {
        const { body } = answer;
        if (call?.operation !== "editOrganization" || answer.status !== 200 || !isObject(body))
          return original(answer, receiver, call);
        const data = body["data"] as JsonObject;
        edits += 1;
        if (edits % 2 === 1) known = data["id"];
        return original(
          { ...answer, body: { ...body, data: { ...data, id: known } } },
          receiver,
          call,
        );
      };
    },
  },
  "cg-edit-pending": {
    title: "Answers an edit as pending, and has applied it",
    how: "Every write gets the status with which a submission begins.",
    revision: (original) => (change, call) => ({
      ...original(change, call),
      status: { value: "pending" },
    }),
  },
  "cg-edit-superseded": {
    title: "Answers an edit as superseded",
    how: "The statuses are numbers, and the list was sorted.",
    revision: (original) => (change, call) =>
      ofEdit(original(change, call), { value: "superseded" }),
  },
  "cg-edit-custom": {
    title: "Answers an edit with a custom status",
    how: "The receiver has a status of its own for what is applied.",
    revision: (original) => (change, call) =>
      ofEdit(original(change, call), { value: "custom", customValue: "applied" }),
  },
  "cg-status-unknown": {
    title: "Shows pending changes as in_review",
    how: "The status is named as in the receiver's own process.",
    ...revisions((revision) => withStatus(revision, "pending", "in_review")),
  },
  "cg-status-upper-case": {
    title: "Shows the status of changes in upper case in the feed",
    how: "The names of the enumeration are written in one of two serializers.",
    ...revisions((revision) => withStatus(revision, "accepted", "ACCEPTED"), ["readChangesFeed"]),
  },
  "cg-status-empty": {
    title: "Answers an edit with a status without a value",
    how: "The value is set by a job that comes later.",
    ...revisions(
      (revision) => ({ ...revision, status: { description: "Applied." } }),
      ["submitChange"],
    ),
  },
  "cg-times-local": {
    title: "Shows times of changes as people write them",
    how: "The default format of the language is used.",
    ...revisions((revision) => ({
      ...revision,
      createdAt: new Date(String(revision["createdAt"])).toUTCString(),
    })),
  },
  "cg-times-number": {
    title: "Shows times of changes as seconds",
    how: "The serializer writes timestamps.",
    ...revisions((revision) => ({
      ...revision,
      lastModifiedAt: Math.floor(Date.parse(String(revision["lastModifiedAt"])) / 1000),
    })),
  },
  "cg-modified-before-created": {
    title: "Shows changes as modified before they were created",
    how: "One time is local, and the other one is not.",
    ...revisions((revision) => ({
      ...revision,
      lastModifiedAt: new Date(Date.parse(String(revision["createdAt"])) - HOUR_MS).toISOString(),
    })),
  },
});

/** The change of an edit with another status; other changes as they are. */
function ofEdit(change: Change, status: Change["status"]): Change {
  return change.snapshot ? { ...change, status } : change;
}

function withStatus(revision: JsonObject, from: string, to: string): JsonObject {
  const { status } = revision;
  return isObject(status) && status["value"] === from
    ? { ...revision, status: { ...status, value: to } }
    : revision;
}
