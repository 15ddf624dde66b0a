import { isUuid } from "../../contract/uuid.ts";
import type { Call, Check, Handler } from "../model.ts";
import { onlyOn } from "../patches.ts";
import { ownFeed, readChangesFeed } from "../routes.ts";
import type { Organization } from "../store.ts";
import { unlessRefused } from "./answering.ts";
import { type Faults, ofEach, ownedBy } from "./fault.ts";
import { isAlwaysTrue } from "./patterns.ts";

/** Faults in answers to requests for something that does not exist. */
export const NOT_FOUND_FAULTS: Faults = ownedBy("errors.not-found", {
  "unknown-organization-null": {
    title: "Answers null for an organization that does not exist",
    shows: "Answers with success for an organization that does not exist",
    how: "The code serializes the result of the query without checking whether there is one.",
    findOrganization: onlyOn("viewOrganization", () => lookUp),
  },
  "unknown-organization-empty-feed": {
    title: "Answers with an empty feed for an organization that does not exist",
    shows: "Answers with success for the feed of an organization that does not exist",
    how: "The query selects changes by organization, and an empty result is not an error.",
    findOrganization: onlyOn("readChangesFeed", () => lookUp),
    readChangesFeed: (original) => (call) =>
      call.organization ? original(call) : readChangesFeed(call, []),
  },
  "unknown-organization-created": {
    title: "Creates an organization that does not exist when it is edited",
    shows: "Answers with success if an organization that does not exist is edited",
    how: "The edit is an upsert.",
    findOrganization: onlyOn("editOrganization", (original) => (call) => {
      const { orgId: id = "", receiver } = call;
      if (receiver.store.organizations.has(id)) return original(call);
      const created: Organization = { id, name: "New" };
      receiver.store.organizations.set(id, created);
      call.organization = created;
    }),
  },
  "unknown-organization-500-on-readChangesFeed": {
    title: "Fails with an internal error on readChangesFeed if the organization does not exist",
    how: "The code reads a field of a record that was not found.",
    findOrganization: onlyOn("readChangesFeed", () => (call) => {
      lookUp(call);
      if (!call.organization) throw new TypeError("Cannot read properties of undefined");
    }),
  },
  "malformed-organization-500": {
    title: "Fails with an internal error on an organization id that is not a UUID",
    how: "The database rejects the id, and no code has checked it before.",
    findOrganization: (original) => (call) =>
      call.orgId === undefined || isUuid(call.orgId) ? original(call) : invalidSyntax(),
  },
  "unknown-change-null": {
    title: "Answers null for a change that does not exist",
    shows: "Answers with success for a change that does not exist",
    how: "The code serializes the result of the query without checking whether there is one.",
    readChange: (original) => (call) =>
      unlessRefused(
        () => original(call),
        () => ({ status: 200, body: { data: null } }),
      ),
  },
  "unknown-change-500": {
    title: "Fails with an internal error on a change that does not exist",
    how: "The result of the query is unwrapped without checking whether there is one: `orElseThrow()`.",
    readChange: (original) => (call) =>
      unlessRefused(
        () => original(call),
        () => {
          throw new Error("no value present");
        },
      ),
  },
  "malformed-change-500": {
    title: "Fails with an internal error on a change id that is not a UUID",
    how: "The database rejects the id, and no code has checked it before.",
    readChange: (original) => (call) => (isUuid(call.changeId) ? original(call) : invalidSyntax()),
  },
  "change-by-prefix": {
    title: "Ignores text after a change id",
    how: "A parser reads the id from the path and stops at the first unexpected character.",
    readChange: (original) => (call) =>
      original({ ...call, changeId: /^[\da-f-]{36}/.exec(call.changeId ?? "")?.[0] }),
  },
});

/** Looks up the organization without checking whether it exists. */
function lookUp(call: Call): void {
  call.organization = call.receiver.store.organizations.get(call.orgId ?? "");
}

/** The error of a database for a text that is not an id. */
function invalidSyntax(): never {
  throw new Error("invalid input syntax for type uuid");
}

const UUID_LENGTH = 36;

/** Looks up the organization by another id than the path has. */
function lookedUpBy(idFor: (asked: string, call: Call) => string): (original: Check) => Check {
  return (original) => async (call) => {
    if (call.orgId === undefined) return original(call);
    const other = { ...call, orgId: idFor(call.orgId, call) };
    await original(other);
    call.organization = other.organization;
  };
}

/** The first id that a pattern of SQL's LIKE matches, or the pattern if it matches none. `%` has no meaning here. */
function matching(pattern: string, ids: Iterable<string>): string {
  const text = pattern.replaceAll(/[^\w]/g, String.raw`\$&`).replaceAll("_", ".");
  const expression = new RegExp(`^${text}$`);
  return [...ids].find((id) => expression.test(id)) ?? pattern;
}

/** Faults that find a record by an id that it does not have. */
export const OTHER_ID_FAULTS: Faults = ownedBy("errors.not-found", {
  "organization-by-pattern": {
    title: "Takes an organization id for a pattern, in which an underscore matches any character",
    how: "The query compares with LIKE.",
    findOrganization: lookedUpBy((asked, { receiver }) =>
      matching(asked, receiver.store.organizations.keys()),
    ),
  },
  ...ofEach(["'", '"'] as const, (quote) => ({
    [`organization-in-sql${quote === "'" ? "" : "-double"}`]: {
      title: `Puts the organization id into a statement of SQL, in ${quote === "'" ? "quotes" : "double quotes"}`,
      how: "The statement is made by concatenation, and its first row is shown.",
      source: "CWE-89",
      findOrganization: lookedUpBy((asked: string, { receiver }: Call) =>
        isAlwaysTrue(asked, quote) ? ([...receiver.store.organizations.keys()][0] ?? asked) : asked,
      ),
    },
    [`change-in-sql${quote === "'" ? "" : "-double"}`]: {
      title: `Puts the change id into a statement of SQL, in ${quote === "'" ? "quotes" : "double quotes"}`,
      how: "The statement is made by concatenation, and its first row is shown, of whichever organization.",
      source: "CWE-89",
      readChange:
        (original: Handler): Handler =>
        (call) => {
          if (!isAlwaysTrue(call.changeId, quote)) return original(call);
          const [first] = ownFeed(call);
          return original({ ...call, changeId: String(first?.id) });
        },
    },
  })),
  "organization-cut-off": {
    title: "Ignores text after an organization id",
    how: "The database cuts a text off when it converts it to a UUID.",
    source: "https://learn.microsoft.com/sql/t-sql/data-types/uniqueidentifier-transact-sql",
    findOrganization: lookedUpBy((asked) => asked.slice(0, UUID_LENGTH)),
  },
  "change-by-pattern": {
    title: "Takes a change id for a pattern, in which an underscore matches any character",
    how: "The query compares with LIKE.",
    readChange: (original) => (call) => {
      const ids = ownFeed(call).map(({ id }) => String(id));
      return original({ ...call, changeId: matching(call.changeId ?? "", ids) });
    },
  },
});
