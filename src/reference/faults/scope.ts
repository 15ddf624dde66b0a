import { OPERATION_IDS, OPERATIONS, SCOPES, type Scope } from "../../contract/operations.ts";
import { isObject } from "../../lib/json.ts";
import { isWithinSkew, reject } from "../checks.ts";
import type { Call } from "../model.ts";
import { passing, refusing, skipped } from "../patches.ts";
import { onEach } from "./copies.ts";
import { type FaultEntry, type Faults, ofEach, ownedBy, type When } from "./fault.ts";

/** Faults of check 5: the required scope is not needed, or it is not enough. */
export const SCOPE_FAULTS: Faults = ownedBy("receiver.scope", {
  "scope-unchecked": {
    title: "Lets any good token do everything",
    how: "The code confuses authentication with authorization: the middleware validates the token, and no code checks its scope.",
    checkScope: skipped,
  },
  ...onEach(OPERATION_IDS, "scope-unchecked", {
    title: "Does not check the scope",
    how: "Scopes are declared for each route, and this route was added without one.",
    checkScope: skipped,
  }),
  "scope-unread": taking({
    title: "Requires `scope` in a token, and reads no scope in it",
    how: "The option that names required claims is taken for a check of the scope.",
    when: (scope) => scope !== undefined,
  }),

  "scope-unchecked-within-skew": taking({
    title: "Does not check the scope of a token that expired within the skew",
    how: "The error of the library says that `exp` has passed, and the caller, who tolerates a small skew, goes on without the remaining checks.",
    source: "CVE-2024-51744",
    when: (_scope, _required, { claims, receiver }) =>
      isWithinSkew(claims["exp"], receiver.steps.now()),
  }),

  // One scope for another

  "scope-any-known": granting({
    title: "Accepts any of the service's scopes for every operation",
    how: "One guard with all scopes protects the whole router, and one of them is enough.",
    when: (granted) => granted.some((scope) => SCOPES.includes(scope as Scope)),
  }),
  "scope-read-for-write": granting({
    title: "Accepts a read scope for a write",
    how: "Only the part before the colon is compared, or the guard of the read was copied.",
    when: (granted, required) => granted.includes(required.replace(":write", ":read")),
  }),
  "scope-write-for-read": granting({
    title: "Accepts a write scope for a read",
    how: "Scopes have ranks, although the contract grants them independently.",
    when: (granted, required) => granted.includes(required.replace(":read", ":write")),
  }),
  "scope-org-for-changes": granting({
    title: "Accepts the scope for organizations for their changes",
    how: "Changes were routes of the organization before they had their own scopes.",
    when: (granted, required) => granted.includes(required.replace(".changes", "")),
  }),
  "scope-of-changes-swapped": {
    title: "Requires the scope for organizations for their changes, in place of that for changes",
    how: "The guards of the organization were copied to the routes below it, the feed and the submission.",
    checkScope: (original) => (call) => {
      const { scope } = OPERATIONS[call.operation];
      const taken = scope.replace(".changes", "");
      if (taken === scope) return original(call);
      if (listOf(call.claims["scope"]).includes(taken)) return;
      throw reject(call, "checkScope", "The access token lacks the scope.");
    },
  },
  "scope-changes-for-org": granting({
    title: "Accepts the scope for changes for the organization itself",
    how: "The author saw a direct edit as a change that is accepted at once.",
    when: (granted, required) => granted.includes(required.replace(/^org:/, "org.changes:")),
  }),

  // Careless comparison

  "scope-by-substring": taking({
    title: "Searches the text of `scope` for the required scope",
    how: "`includes` is called on the string, not on the list.",
    source: "CVE-2026-32716",
    when: (scope, required) => typeof scope === "string" && scope.includes(required),
  }),
  "scope-by-prefix": granting({
    title: "Compares scopes by prefix",
    how: "`startsWith` accepts narrower scopes, which the author saw as the same.",
    source: "CVE-2026-32716",
    when: (granted, required) => granted.some((scope) => scope.startsWith(required)),
  }),
  "scope-by-suffix": granting({
    title: "Compares scopes by suffix",
    how: "Scopes of other services have a prefix that should be ignored.",
    when: (granted, required) => granted.some((scope) => scope.endsWith(required)),
  }),
  "scope-part-of-required": granting({
    title: "Accepts the beginning of the required scope",
    how: "The operands of `startsWith` are swapped.",
    when: (granted, required) => granted.some((one) => one !== "" && required.startsWith(one)),
  }),
  "scope-by-word": taking({
    title: "Searches for the required scope between word boundaries",
    how: String.raw`A pattern with \b on both sides, for which a hyphen or a colon also ends a word.`,
    when: (scope, required) => new RegExp(String.raw`\b${required}\b`).test(String(scope)),
  }),
  "scope-narrower": granting({
    title: "Accepts a part of the required scope",
    how: "Scopes are treated as paths, in which an upper level includes the lower ones.",
    when: (granted, required) => granted.some((scope) => scope.startsWith(`${required}:`)),
  }),
  "scope-resource-only": granting({
    title: "Accepts a scope without its action",
    how: "A scope without a colon means all actions.",
    when: (granted, required) => granted.includes(required.split(":")[0] ?? ""),
  }),
  "scope-action-only": granting({
    title: "Accepts an action without its resource",
    how: "The scopes of the first version were `read` and `write`, and the service still knows them.",
    when: (granted, required) => granted.includes(required.split(":")[1] ?? ""),
  }),
  "scope-case-ignored": granting({
    title: "Compares scopes without regard to case",
    how: "Permissions come from a database that ignores case.",
    when: (granted, required) => granted.some((scope) => scope.toLowerCase() === required),
  }),
  "scope-by-pattern": granting({
    title: "Treats the required scope as a pattern, in which a dot matches any character",
    how: "Guards accept regular expressions, and a scope is written there without escaping.",
    when: (granted, required) => granted.some((scope) => new RegExp(`^${required}$`).test(scope)),
  }),
  "scope-punctuation-ignored": granting({
    title: "Treats dots and colons in scopes as equal",
    how: "Scopes are converted into permission names, which contain only dots.",
    when: (granted, required) => granted.includes(required.replace(":", ".")),
  }),
  "scope-url-ignored": granting({
    title: "Ignores the URL of a service before a scope",
    how: "The authorization server puts the URL of the service before its scopes, and the code drops all up to the last slash.",
    when: (granted, required) => granted.some((scope) => scope.endsWith(`/${required}`)),
  }),
  "scope-admin": granting({
    title: "Accepts the scope `admin` for every operation",
    how: "The code has a way for the operators' own tools, and any client can be given the scope.",
    when: (granted) => granted.includes("admin"),
  }),
  "scope-wildcard": granting({
    title: "Accepts an asterisk for every scope",
    how: "The administrators' tokens came from another system.",
    when: (granted) => granted.includes("*"),
  }),
  "scope-wildcard-elsewhere": granting({
    title: "Accepts an asterisk for every resource",
    how: "Granted scopes are patterns for file names, as in `fnmatch` of PHP.",
    when: (granted, required) => granted.includes(required.replace(/.*:/, "*:")),
  }),
  ...ofEach(
    Object.entries({ commas: ",", semicolons: ";", pluses: "+", "percent-encoding": "%20" }),
    ([name, separator]) => ({
      [`scope-split-by-${name}`]: taking({
        title: `Splits \`scope\` at \`${separator}\` too`,
        how: "Another authorization server writes its lists in this form.",
        when: (scope, required) =>
          typeof scope === "string" && scope.split(separator).includes(required),
      }),
    }),
  ),

  // No list at all

  "scope-missing-accepted": taking({
    title: "Lets a token without `scope` do everything",
    how: "Tokens from before the introduction of scopes had to stay valid.",
    when: (scope) => scope === undefined,
  }),
  "scope-object-value": taking({
    title: "Accepts an object in `scope` that has the required scope in a member",
    how: "`in_array` of PHP searches what the claim was cast to, and a JSON object is an array there.",
    when: (scope, required) => isObject(scope) && Object.values(scope).includes(required),
  }),
  "scope-nested-array": taking({
    title: "Accepts an array of arrays in `scope` that contains the required scope",
    how: "Lists of scopes from several places are collected in one array, which is flattened.",
    when: (scope, required) =>
      Array.isArray(scope) && scope.some(Array.isArray) && scope.flat().includes(required),
  }),
  "scope-falsy-accepted": taking({
    title: "Lets a token whose `scope` is null or empty do everything",
    how: "`if (scope && !scope.split(' ').includes(required))` is used although the claim is required.",
    when: (scope) => scope === null || scope === "",
  }),
  "scope-absent-or-null-accepted": taking({
    title: "Lets a token in which `scope` is missing or null do everything",
    how: "`if (scope != null && ...)`: in most languages one value stands for both.",
    when: (scope) => scope === undefined || scope === null,
  }),
  "scope-blanks-accepted": taking({
    title: "Lets a token whose `scope` is blank do everything",
    how: "After empty scopes are dropped, none is left, and none means that there is no limit.",
    when: (scope) => typeof scope === "string" && scope !== "" && scope.trim() === "",
  }),
  "scope-only-strings-compared": taking({
    title: "Does not compare `scope` if it is not a string",
    how: "The comparison is guarded by `typeof`, without a branch for other types.",
    when: (scope) => scope !== undefined && scope !== null && typeof scope !== "string",
  }),
  "scope-object-member": taking({
    title: "Accepts an object in `scope` that has the scope as a member name",
    how: "The author expected `in` to search lists.",
    when: (scope, required) => typeof scope === "object" && scope !== null && required in scope,
  }),

  // From elsewhere

  ...ofEach(["scp", "scopes", "roles", "permissions", "authorities", "groups"], (claim) => ({
    [`scope-from-${claim}`]: taking({
      title: `Reads \`${claim}\` if there is no \`scope\``,
      how: "The middleware reads scopes from every claim that some authorization server uses for them.",
      when: (scope, required, { claims }) =>
        scope === undefined && [claims[claim]].flat().includes(required),
    }),
  })),
  "scope-from-admin-claim": taking({
    title: "Lets a token do everything whose claim `admin` is true",
    how: "The service's own web pages have such tokens, and their guard was shared with the API.",
    when: (_scope, _required, { claims }) => claims["admin"] === true,
  }),
  ...ofEach(["realm_access", "resource_access"], (claim) => ({
    [`scope-from-${claim.replace("_", "-")}`]: taking({
      title: `Reads roles in \`${claim}\` as scopes`,
      how: "Keycloak writes roles there, and the converter that every guide shows makes them the caller's authorities.",
      when: (scope, required, { claims }) =>
        scope === undefined && JSON.stringify(claims[claim] ?? null).includes(`"${required}"`),
    }),
  })),
  "scope-from-query": taking({
    title: "Reads scopes from the query too",
    how: "One lookup serves claims and parameters.",
    when: (_scope, required, { query }) => query["scope"] === required,
  }),
  "scope-from-header": taking({
    title: "Reads scopes from a header too",
    how: "A gateway should check the token and forward its scopes.",
    when: (_scope, required, { headers }) => headers["x-scopes"] === required,
  }),

  // Not enough

  "scope-first-eight-read": refusingGranted({
    title: "Reads the first eight scopes of a token alone",
    how: "Scopes are kept in an array of fixed size, which was generous when there were four.",
    when: (granted, required) => !granted.slice(0, 8).includes(required),
  }),
  "scope-first-twenty-read": refusingGranted({
    title: "Reads the first twenty scopes of a token alone",
    how: "A limit against tokens that are made to cost time.",
    when: (granted, required) => !granted.slice(0, 20).includes(required),
  }),
  "scope-cut-at-255": refusingGranted({
    title: "Reads the first 255 characters of `scope` alone",
    how: "The introspected token is kept in a table, whose column for scopes is a varchar(255) that cuts.",
    when: (granted, required) => !granted.join(" ").slice(0, 255).split(" ").includes(required),
  }),
  "scope-cut-at-1000": refusingGranted({
    title: "Reads the first 1,000 characters of `scope` alone",
    how: "The gateway passes the scopes on in a header, which it cuts.",
    when: (granted, required) => !granted.join(" ").slice(0, 1000).split(" ").includes(required),
  }),
  "scope-only-first": refusingGranted({
    title: "Reads only the first scope of the list",
    how: "The claim was compared as one value, and a later fix uses only its first word.",
    when: (granted, required) => granted[0] !== required,
  }),
  "scope-only-last": refusingGranted({
    title: "Reads only the last scope of the list",
    how: "A map by action keeps the last of several.",
    when: (granted, required) => granted.at(-1) !== required,
  }),
  "scope-only-alone": refusingGranted({
    title: "Requires that the required scope is the only one",
    how: "The author considered tokens with more scopes than needed too powerful.",
    when: (granted) => new Set(granted).size > 1,
  }),
  "scope-needs-all": refusingGranted({
    title: "Requires every scope of the service, where one is enough",
    how: "One guard with all scopes protects the whole router.",
    when: (granted) => !SCOPES.every((wanted) => granted.includes(wanted)),
  }),
  "scope-write-needs-read": refusingGranted({
    title: "Requires the read scope for a write as well",
    how: "The guards of read and write are combined.",
    when: (granted, required) => !granted.includes(required.replace(":write", ":read")),
  }),
  "scope-foreign-refused": refusingGranted({
    title: "Refuses a token with scopes of other services",
    how: "Scopes are parsed as an enumeration, and an unknown one is an error.",
    when: (granted) => granted.some((scope) => !SCOPES.includes(scope as Scope)),
  }),
});

/** A fault that also accepts some other values of the claim. */
function taking({
  when,
  ...fault
}: When<[scope: unknown, required: Scope, call: Call]>): FaultEntry {
  return {
    ...fault,
    checkScope: passing((call) =>
      when(call.claims["scope"], OPERATIONS[call.operation].scope, call),
    ),
  };
}

type WhenGranted = When<[granted: readonly string[], required: Scope]>;

/** A fault that is decided by the scopes of a well-formed claim. */
function granting({ when, ...fault }: WhenGranted): FaultEntry {
  return taking({ ...fault, when: (scope, required) => when(listOf(scope), required) });
}

/** A fault that refuses some claims although they grant the required scope. */
function refusingGranted({ when, ...fault }: WhenGranted): FaultEntry {
  return {
    ...fault,
    rule: "receiver.scope-sufficient",
    checkScope: refusing("checkScope", ({ claims, operation }) =>
      when(listOf(claims["scope"]), OPERATIONS[operation].scope),
    ),
  };
}

function listOf(scope: unknown): string[] {
  return typeof scope === "string" ? scope.split(" ") : [];
}
