import { isObject } from "../lib/json.ts";
import { bindingOf, isBound } from "./checks.ts";
import type { Answer, Call, Content, Page, Receiver } from "./model.ts";
import { Refusal, type FieldError } from "./refusal.ts";
import {
  accessibleIds,
  changeNamed,
  mayAccess,
  serialUuid,
  type Change,
  type Organization,
} from "./store.ts";

/** Bounds of `page` and `pageSize`, contract clause "Limits". */
const GREATEST_INTEGER = 2_147_483_647;

/** A good answer: a page of a collection, or one object under `data`. */
export function good(call: Call, content: Content, status: 200 | 202 = 200): Answer {
  const message = status === 202 ? "Accepted" : "Success";
  return { status, body: call.receiver.steps.shape({ status, message, ...content }) };
}

/**
 * Answers with the organizations that the subject and the token permit, those with an identifier where the query has one, paginated.
 * @param item what is shown of each; default: all of it
 */
export function listOrganizations(
  call: Call,
  item: (organization: Organization) => unknown = (organization) => organization,
): Answer {
  const { steps, store } = call.receiver;
  const { registry, id, ...query } = call.query;
  const visible = steps.visibleOrganizations(call);
  const ids =
    registry === undefined && id === undefined
      ? visible
      : visible.filter((one) => steps.isIdentified(store.organizations.get(one), { registry, id }));
  const page = steps.paginate({ ...call, query }, ids);
  const organizations = page.items.flatMap((one) => store.organizations.get(one) ?? []);
  return good(call, { ...page, items: organizations.map((one) => item(one)) });
}

/** Answers with the organization of the path, now or at the time that the query asks for. */
export function viewOrganization(call: Call): Answer {
  const { at } = call.query;
  return good(call, { data: at === undefined ? call.organization : organizationAt(call, at) });
}

/** Applies the edit, and records it as an accepted change with a snapshot of the result. */
export function editOrganization(call: Call): Answer {
  const organization = target(call);
  const patch = readPatch(call, organization);
  const snapshot = call.receiver.steps.merge(organization, patch);
  call.receiver.store.organizations.set(organization.id, snapshot);
  const data = record(call, organization, { status: { value: "accepted" }, patch, snapshot });
  return good(call, { data });
}

/** Records the patch as a pending change; the organization stays as it is. */
export function submitChange(call: Call): Answer {
  const organization = target(call);
  const patch = readPatch(call, organization);
  const data = record(call, organization, { status: { value: "pending" }, patch });
  const location = `${call.receiver.baseUrl}/orgs/${organization.id}/changes/${data.id}`;
  return { ...good(call, { data }, 202), headers: { location } };
}

/**
 * Answers with changes, paginated.
 * @param changes default: those of the organization, newest first
 */
export function readChangesFeed(
  call: Call,
  changes: readonly unknown[] = feedOf(call.receiver, target(call)),
): Answer {
  return good(call, call.receiver.steps.paginate(call, changes));
}

/**
 * Answers with one change of the organization.
 * @throws Refusal when the organization has no such change
 */
export function readChange(call: Call): Answer {
  const data = changeNamed(feedOf(call.receiver, target(call)), call.changeId);
  if (!data) throw new Refusal(404, "There is no such change.");
  return good(call, { data });
}

/** Ids of the organizations in the list: those that the subject may act on and the token is for. */
export function visibleOrganizations(call: Call): readonly string[] {
  const { store } = call.receiver;
  const { sub } = call.claims;
  if (!isBound(call)) return accessibleIds(store, sub);
  const bound = bindingOf(call);
  const visible =
    typeof bound === "string" && store.organizations.has(bound) && mayAccess(sub, bound);
  return visible ? [bound] : [];
}

/**
 * The page of `items` that the query asks for, by the contract's PaginatedQueryParams.
 * @throws Refusal 400 for a value outside the bounds, and for any other query parameter.
 */
export function paginate<Item>(call: Call, items: readonly Item[]): Page<Item> {
  const errors: FieldError[] = Object.keys(call.query)
    .filter((name) => name !== "page" && name !== "pageSize")
    .map((field) => ({ field, message: "is not a parameter of this route" }));
  const page = readInteger(call, "page", 1, errors);
  const pageSize = readInteger(call, "pageSize", 100, errors);
  if (errors.length > 0) throw new Refusal(400, "The query parameters are not valid.", { errors });
  const start = (page - 1) * pageSize;
  const totalItems = items.length;
  const totalPages = Math.ceil(totalItems / pageSize);
  return {
    items: items.slice(start, start + pageSize),
    paginationInfo: { page, pageSize, totalItems, totalPages },
  };
}

function readInteger(call: Call, field: string, fallback: number, errors: FieldError[]): number {
  const text = call.query[field];
  if (text === undefined) return fallback;
  const value = typeof text === "string" && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= GREATEST_INTEGER) return value;
  errors.push({ field, message: `must be one integer from 1 to ${GREATEST_INTEGER}` });
  return fallback;
}

/** The changes of an organization, newest first. A feed starts with the import of the profile. */
export function feedOf(receiver: Receiver, organization: Organization): Change[] {
  const known = receiver.store.feeds.get(organization.id);
  if (known) return known;
  const feed: Change[] = [];
  receiver.store.feeds.set(organization.id, feed);
  const { id: _, ...patch } = organization;
  append(receiver, feed, {
    status: { value: "accepted" },
    source: "import",
    patch,
    snapshot: organization,
  });
  return feed;
}

/** The changes of the organization that a call is about, newest first; none if it is about none. */
export function ownFeed({ organization, receiver }: Call): Change[] {
  return organization ? feedOf(receiver, organization) : [];
}

function record(
  call: Call,
  organization: Organization,
  change: Pick<Change, "status" | "patch" | "snapshot">,
): Change {
  const { sub } = call.claims;
  const source = typeof sub === "string" ? sub : "unknown";
  const { receiver } = call;
  return append(receiver, feedOf(receiver, organization), { source, ...change }, (complete) =>
    receiver.steps.revision(complete, call),
  );
}

function append(
  receiver: Receiver,
  feed: Change[],
  change: Omit<Change, "id" | "createdAt" | "lastModifiedAt">,
  as: (complete: Change) => Change = (complete) => complete,
): Change {
  const { steps, store } = receiver;
  const now = new Date(steps.now() * 1000).toISOString();
  const id = steps.newChangeId(store, feed);
  const complete = as({ id, createdAt: now, lastModifiedAt: now, ...change });
  feed.unshift(complete);
  return complete;
}

/**
 * The organization after its latest accepted change at that time. Before its first one it was as that left it.
 * @throws Refusal 400 unless `at` is a time
 */
function organizationAt(call: Call, at: unknown): Organization {
  const time = typeof at === "string" ? Date.parse(at) : Number.NaN;
  if (Number.isNaN(time)) {
    const errors = [{ field: "at", message: "must be a date and time" }];
    throw new Refusal(400, "The query parameters are not valid.", { errors });
  }
  const organization = target(call);
  const snapshots = feedOf(call.receiver, organization).filter(({ snapshot }) => snapshot);
  const change =
    snapshots.find(({ createdAt }) => Date.parse(createdAt) <= time) ?? snapshots.at(-1);
  return change?.snapshot ?? organization;
}

/**
 * Whether an organization has the identifier that a query asks for, in the registry that it names; every organization where it
 * asks for none.
 */
export function isIdentified(
  organization: Organization | undefined,
  { registry, id }: Readonly<Record<"registry" | "id", unknown>>,
): boolean {
  const { otherIds, ...named } = asObject(organization?.["identifiers"]);
  return Object.entries({ ...asObject(otherIds), ...named }).some(
    ([code, identifier]) =>
      (registry === undefined || registry === code) &&
      (id === undefined || id === asObject(identifier)["id"]),
  );
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return isObject(value) ? value : {};
}

/** An id that no other change of this receiver has. */
export function newChangeId(store: { changes: number }): string | number {
  store.changes += 1;
  return serialUuid("c4a9e5ed", store.changes);
}

function readPatch(call: Call, organization: Organization): Readonly<Record<string, unknown>> {
  const errors = call.receiver.steps.patchErrors(call.body, organization.id);
  if (errors.length > 0 || !isObject(call.body)) {
    throw new Refusal(400, "The patch of the organization is not valid.", { errors });
  }
  return call.body;
}

function target(call: Call): Organization {
  if (!call.organization) throw new Refusal(404, "There is no such organization.");
  return call.organization;
}
