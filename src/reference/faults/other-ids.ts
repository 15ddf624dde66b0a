import type { Call, Check } from "../model.ts";
import { ownFeed } from "../routes.ts";
import { type Fault, ownedBy } from "./fault.ts";

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
export const OTHER_ID_FAULTS: readonly Fault[] = ownedBy("errors.not-found", [
  {
    name: "organization-by-pattern",
    title: "Takes an organization id for a pattern, in which an underscore matches any character",
    how: "The query compares with LIKE.",
    findOrganization: lookedUpBy((asked, { receiver }) =>
      matching(asked, receiver.store.organizations.keys()),
    ),
  },
  {
    name: "organization-cut-off",
    title: "Ignores text after an organization id",
    how: "The database cuts a text off when it converts it to a UUID.",
    source: "https://learn.microsoft.com/sql/t-sql/data-types/uniqueidentifier-transact-sql",
    findOrganization: lookedUpBy((asked) => asked.slice(0, UUID_LENGTH)),
  },
  {
    name: "change-by-pattern",
    title: "Takes a change id for a pattern, in which an underscore matches any character",
    how: "The query compares with LIKE.",
    readChange: (original) => (call) => {
      const ids = ownFeed(call).map(({ id }) => String(id));
      return original({ ...call, changeId: matching(call.changeId ?? "", ids) });
    },
  },
]);
