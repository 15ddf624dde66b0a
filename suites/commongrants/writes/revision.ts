import { isUuid } from "../../../src/contract/uuid.ts";
import type { Reply } from "../../../src/http/exchange.ts";
import { isObject, type JsonObject } from "../../../src/lib/json.ts";
import { objectsWithin } from "../../../src/probe/read/shapes.ts";

/** A revision as an answer shows it. */
export type Revision = JsonObject;

/** What a revision may be in, and its members. */
const MEMBERS = ["status", "patch", "snapshot", "createdAt", "source"];

/** The revision in an answer: under `data`, or else the object that is most like one. */
export function revisionIn(reply: Pick<Reply, "json">): Revision | undefined {
  const body = reply.json();
  const data = isObject(body) ? body["data"] : undefined;
  if (isObject(data)) return data;
  return objectsWithin(body).find((one) => isRevision(one));
}

/** Whether an object has two members of a revision. */
export function isRevision(value: unknown): value is Revision {
  return isObject(value) && MEMBERS.filter((name) => Object.hasOwn(value, name)).length >= 2;
}

/** The id of a revision as it goes into a path. */
export function writtenId(revision: Revision | undefined): string | undefined {
  const id = revision?.["id"];
  return typeof id === "string" || typeof id === "number" ? String(id) : undefined;
}

/** The id of a revision for comparisons: a UUID in lower case. */
export function idOf(revision: Revision | undefined): string | undefined {
  const id = writtenId(revision);
  return isUuid(id) ? id.toLowerCase() : id;
}

/** `status.value`, or the status itself where it is a text. */
export function statusOf(revision: Revision | undefined): string | undefined {
  const status = revision?.["status"];
  const value = isObject(status) ? status["value"] : status;
  return typeof value === "string" ? value : undefined;
}

/** A time that no clock of today shows, which the suite claims in bodies. */
export const CLAIMED_TIME = "2001-02-03T04:05:06Z";

/** The published values of `status.value`. */
export const STATUSES: readonly string[] = [
  "pending",
  "accepted",
  "denied",
  "superseded",
  "custom",
];
/** Those after which nothing changes any more. */
export const TERMINAL: ReadonlySet<string> = new Set(["accepted", "denied", "superseded"]);
