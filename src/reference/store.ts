import { SuiteError } from "../lib/errors.ts";

/** An organization profile. It is immutable: an edit stores a new object. */
export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly [field: string]: unknown;
}

/** One entry of an organization's change feed. */
export interface Change {
  readonly id: string | number;
  readonly status: Status;
  /** The subject that made the change. */
  readonly source: string;
  /** The RFC 7396 merge patch of the request. */
  readonly patch: Readonly<Record<string, unknown>>;
  /** The organization after the patch; absent while the change is pending. */
  readonly snapshot?: Organization;
  readonly createdAt: string;
  /** When its status became what it is. */
  readonly lastModifiedAt: string;
}

/** Where a change stands. */
export interface Status {
  readonly value: "pending" | "accepted" | "denied" | "superseded" | "custom";
  /** The status in the receiver's own words, where the value is `custom`. */
  readonly customValue?: string;
  readonly description?: string;
}

/** The change that a path names. */
export function changeNamed(
  changes: readonly Change[] | undefined,
  changeId: string | undefined,
): Change | undefined {
  return changes?.find(({ id }) => String(id) === changeId);
}

/** All state of a receiver, in memory. */
export interface Store {
  readonly organizations: Map<string, Organization>;
  /** Feeds by organization, newest change first. A feed is created at its first use. */
  readonly feeds: Map<string, Change[]>;
  /** Cache of `accessibleIds` by subject; organizations are never added or removed. */
  readonly accessible: Map<string, readonly string[]>;
  /** Number of changes that have an id. */
  changes: number;
}

/** The `sub` that may act on every organization except `DENIED`. */
export const SUBJECT = "svc-conformance";
/** Its address, in tokens that have one. */
export const EMAIL = "conformance@example.com";
/** A `sub` that may act on every organization except `PRIMARY` and `DENIED`. */
export const PARTNER = "svc-partner";

export const PRIMARY = "3f6c1d52-8a0e-4b7d-9c41-5e2a7f90b813";
export const OTHER = "b81e4a07-26d9-4f35-8e6b-0c9d3a5f7214";
export const DENIED = "95d07be3-41fc-4c28-a7b6-e8130f5d2c69";

/** The registry in which every organization has an identifier of nine digits. */
const EIN = "org:us:ein";
const FIRST_EIN = 120_000_001;

/** Bounds for the number of organizations. The first three have roles of their own. */
const ORGANIZATIONS = { least: 3, most: 100_000 };

/** The access list: who may act on every organization without a denial. Others may act on nothing. */
const SUBJECTS: ReadonlySet<unknown> = new Set([SUBJECT, PARTNER]);

/** Pairs that local policy forbids, whatever the access list says. */
const DENIALS: readonly (readonly [subject: string, organization: string])[] = [
  [SUBJECT, DENIED],
  [PARTNER, DENIED],
  [PARTNER, PRIMARY],
];

/**
 * A store with `count` organizations, whose ids are the same at every start.
 * @throws SuiteError when `count` is not an integer from 3 to 100,000
 */
export function seededStore(count: number): Store {
  if (!Number.isInteger(count) || count < ORGANIZATIONS.least || count > ORGANIZATIONS.most) {
    throw new SuiteError(
      "ERR_FLAG",
      `The reference receiver cannot hold ${count} organizations: ${ORGANIZATIONS.least} to ${ORGANIZATIONS.most} are possible.`,
    );
  }
  const organizations = new Map<string, Organization>();
  for (let index = 0; index < count; index += 1) {
    const id = [PRIMARY, OTHER, DENIED][index] ?? serialUuid("5eedc0de", index);
    organizations.set(id, {
      id,
      name: `Organization ${index + 1}`,
      mission: "To be kept in step everywhere.",
      identifiers: { [EIN]: { registry: { code: EIN }, id: String(FIRST_EIN + index) } },
      socials: { website: `https://organization-${index + 1}.example.org` },
    });
  }
  return { organizations, feeds: new Map(), accessible: new Map(), changes: 0 };
}

/** A UUID in the form of version 4, made of eight hexadecimal digits and a serial number. */
export function serialUuid(prefix: string, serial: number): string {
  return `${prefix}-0000-4000-8000-${serial.toString(16).padStart(12, "0")}`;
}

/** Whether local policy lets `subject` act on an organization, check 7 of the contract. */
export function mayAccess(subject: unknown, organization: string): boolean {
  const denied = DENIALS.some(([who, what]) => who === subject && what === organization);
  return SUBJECTS.has(subject) && !denied;
}

/** Ids of the organizations that `subject` may act on, in the store's order; cached by subject. */
export function accessibleIds(store: Store, subject: unknown): readonly string[] {
  if (typeof subject !== "string" || !SUBJECTS.has(subject)) return [];
  let ids = store.accessible.get(subject);
  if (!ids) {
    ids = [...store.organizations.keys()].filter((id) => mayAccess(subject, id));
    store.accessible.set(subject, ids);
  }
  return ids;
}
