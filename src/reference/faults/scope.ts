import { OPERATION_IDS, OPERATIONS, SCOPES, type Scope } from "../../contract/operations.ts";
import type { Call } from "../model.ts";
import { onlyOn, passing, refusing, skipped, type Fault, type FaultWords } from "./fault.ts";

/** Faults of check 5: the required scope is not needed, or it is not enough. */
export const SCOPE_FAULTS: readonly Fault[] = [
  {
    name: "scope-unchecked",
    title: "Lets any good token do everything",
    rule: "receiver.scope",
    how: "Authentication is taken for authorization: the middleware validates the token, nobody asks for its scope.",
    step: "checkScope",
    patch: skipped,
  },
  ...OPERATION_IDS.map((operation): Fault => ({
    name: `scope-unchecked-on-${operation}`,
    title: `Does not look at scope on ${operation}`,
    rule: "receiver.scope",
    how: "Scopes are declared route by route, and this route was added without one.",
    step: "checkScope",
    patch: onlyOn(operation, skipped),
  })),

  // One scope for another

  granting("any-known", {
    title: "Takes any of the service's scopes for all of them",
    how: "One guard with all scopes stands before the whole router, and one of them is enough for it.",
    when: (granted) => granted.some((scope) => SCOPES.includes(scope as Scope)),
  }),
  granting("read-for-write", {
    title: "Lets whoever may read write",
    how: "Only what stands before the colon is compared, or the guard of the read was copied.",
    when: (granted, required) => granted.includes(required.replace(":write", ":read")),
  }),
  granting("write-for-read", {
    title: "Lets whoever may write read",
    how: "Scopes are given ranks, though the contract grants them independently.",
    when: (granted, required) => granted.includes(required.replace(":read", ":write")),
  }),
  granting("org-for-changes", {
    title: "Takes the scope for organizations for that of their changes",
    how: "Changes were routes of the organization before they had scopes of their own.",
    when: (granted, required) => granted.includes(required.replace(".changes", "")),
  }),
  granting("changes-for-org", {
    title: "Takes the scope for changes for that of the organization itself",
    how: "A direct edit is thought of as a change that is accepted at once.",
    when: (granted, required) => granted.includes(required.replace(/^org:/, "org.changes:")),
  }),

  // Careless comparison

  taking("by-substring", {
    title: "Looks for the required scope anywhere in the text of `scope`",
    how: "`includes` is called on the string, not on the list that it stands for.",
    source: "CVE-2026-32716",
    when: (scope, required) => typeof scope === "string" && scope.includes(required),
  }),
  granting("by-prefix", {
    title: "Compares scopes by prefix",
    how: "`startsWith` lets narrower scopes through, which were thought of as the same.",
    source: "CVE-2026-32716",
    when: (granted, required) => granted.some((scope) => scope.startsWith(required)),
  }),
  granting("by-suffix", {
    title: "Compares scopes by suffix",
    how: "Scopes of other services have a prefix that was to be passed over.",
    when: (granted, required) => granted.some((scope) => scope.endsWith(required)),
  }),
  granting("part-of-required", {
    title: "Takes the beginning of the required scope for the whole",
    how: "The operands of `startsWith` are the wrong way round.",
    when: (granted, required) => granted.some((scope) => scope && required.startsWith(scope)),
  }),
  taking("by-word", {
    title: "Looks for the required scope between boundaries of words",
    how: String.raw`A pattern with \b on both sides, for which a hyphen or a colon ends a word too.`,
    when: (scope, required) => new RegExp(String.raw`\b${required}\b`).test(String(scope)),
  }),
  granting("narrower", {
    title: "Takes a part of the required scope for the whole",
    how: "Scopes are taken for paths, in which what is below belongs to what is above.",
    when: (granted, required) => granted.some((scope) => scope.startsWith(`${required}:`)),
  }),
  granting("resource-only", {
    title: "Takes a scope without its action",
    how: "A scope without a colon stands for all actions.",
    when: (granted, required) => granted.includes(required.split(":")[0] ?? ""),
  }),
  granting("action-only", {
    title: "Takes an action without what it is done to",
    how: "The scopes of the first version were `read` and `write`, and they are still known.",
    when: (granted, required) => granted.includes(required.split(":")[1] ?? ""),
  }),
  granting("case-ignored", {
    title: "Compares scopes without regard to case",
    how: "Permissions come from a database that compares so.",
    when: (granted, required) => granted.some((scope) => scope.toLowerCase() === required),
  }),
  granting("by-pattern", {
    title: "Takes the required scope for a pattern, in which a dot stands for any character",
    how: "Guards take regular expressions, and a scope is written there as it is.",
    when: (granted, required) => granted.some((scope) => new RegExp(`^${required}$`).test(scope)),
  }),
  granting("punctuation-ignored", {
    title: "Takes dots and colons in scopes for the same",
    how: "Scopes are turned into names of permissions, which have dots only.",
    when: (granted, required) => granted.includes(required.replace(":", ".")),
  }),
  granting("wildcard", {
    title: "Takes an asterisk for every scope",
    how: "The administrators' tokens came from another system.",
    when: (granted) => granted.includes("*"),
  }),
  granting("resource-wildcard", {
    title: "Takes an asterisk for every action",
    how: "Scopes are matched as globs.",
    when: (granted, required) => granted.includes(required.replace(/:.*/, ":*")),
  }),
  ...Object.entries({ commas: ",", semicolons: ";", pluses: "+", "percent-encoding": "%20" }).map(
    ([name, separator]) =>
      taking(`split-by-${name}`, {
        title: `Splits \`scope\` at \`${separator}\` too`,
        how: "Another authorization server writes its lists so.",
        when: (scope, required) =>
          typeof scope === "string" && scope.split(separator).includes(required),
      }),
  ),

  // No list at all

  taking("missing-accepted", {
    title: "Lets a token without `scope` do everything",
    how: "Tokens from before scopes were introduced had to go on working.",
    when: (scope) => scope === undefined,
  }),
  taking("falsy-accepted", {
    title: "Lets a token whose `scope` is null or empty do everything",
    how: "`if (scope && !scope.split(' ').includes(required))` stands where the claim had to be required.",
    when: (scope) => scope === null || scope === "",
  }),
  taking("blanks-accepted", {
    title: "Lets a token whose `scope` is blank do everything",
    how: "No scopes are left when the empty ones are dropped, and none means that there is no limit.",
    when: (scope) => typeof scope === "string" && scope !== "" && scope.trim() === "",
  }),
  taking("only-strings-compared", {
    title: "Does not compare `scope` where it is no string",
    how: "The comparison is guarded by `typeof`, and there is nothing for the other case.",
    when: (scope) => scope !== undefined && scope !== null && typeof scope !== "string",
  }),
  taking("object-member", {
    title: "Takes an object in `scope` that has the scope as a member's name",
    how: "`in` is thought to look into lists.",
    when: (scope, required) => typeof scope === "object" && scope !== null && required in scope,
  }),

  // From elsewhere

  ...["scp", "scopes", "roles", "permissions", "authorities"].map((claim) =>
    taking(`from-${claim}`, {
      title: `Reads \`${claim}\` where there is no \`scope\``,
      how: "The middleware looks for scopes under every name that some authorization server gives them.",
      when: (scope, required, { claims }) =>
        scope === undefined && [claims[claim]].flat().includes(required),
    }),
  ),
  taking("from-query", {
    title: "Reads scopes from the query too",
    how: "One lookup serves claims and parameters.",
    when: (_scope, required, { query }) => query["scope"] === required,
  }),
  taking("from-header", {
    title: "Reads scopes from a header too",
    how: "A gateway was to check the token and pass its scopes on.",
    when: (_scope, required, { headers }) => headers["x-scopes"] === required,
  }),

  // Not enough

  refusingGranted("only-first", {
    title: "Reads the first scope of the list only",
    how: "The claim is compared as one value, and the first word of it was a later mend.",
    when: (granted, required) => granted[0] !== required,
  }),
  refusingGranted("only-last", {
    title: "Reads the last scope of the list only",
    how: "A map by action keeps the last of several.",
    when: (granted, required) => granted.at(-1) !== required,
  }),
  refusingGranted("only-alone", {
    title: "Wants the required scope to be the only one",
    how: "Tokens that may do more than they are used for are thought too mighty.",
    when: (granted) => new Set(granted).size > 1,
  }),
  refusingGranted("needs-all", {
    title: "Wants every scope of the service for any operation",
    how: "One guard with all scopes stands before the whole router.",
    when: (granted) => !SCOPES.every((wanted) => granted.includes(wanted)),
  }),
  refusingGranted("write-needs-read", {
    title: "Wants the scope to read for a write as well",
    how: "The guards of the two are stacked on one another.",
    when: (granted, required) => !granted.includes(required.replace(":write", ":read")),
  }),
  refusingGranted("foreign-refused", {
    title: "Refuses a token with scopes of other services",
    how: "Scopes are parsed as an enumeration, and what it lacks is an error.",
    when: (granted) => granted.some((scope) => !SCOPES.includes(scope as Scope)),
  }),
];

/** A fault with which some values of the claim are enough, too. */
function taking(
  name: string,
  {
    when,
    ...told
  }: FaultWords & { when: (scope: unknown, required: Scope, call: Call) => boolean },
): Fault {
  return {
    ...told,
    name: `scope-${name}`,
    rule: "receiver.scope",
    step: "checkScope",
    patch: passing((call) => when(call.claims["scope"], OPERATIONS[call.operation].scope, call)),
  };
}

/** The same by the scopes that a well-formed claim grants. */
function granting(
  name: string,
  {
    when,
    ...told
  }: FaultWords & { when: (granted: readonly string[], required: Scope) => unknown },
): Fault {
  return taking(name, {
    ...told,
    when: (scope, required) => Boolean(when(listOf(scope), required)),
  });
}

/** A fault with which some claims are not enough, though they grant the required scope. */
function refusingGranted(
  name: string,
  {
    when,
    ...told
  }: FaultWords & { when: (granted: readonly string[], required: Scope) => boolean },
): Fault {
  return {
    ...told,
    name: `scope-${name}`,
    rule: "receiver.scope-sufficient",
    step: "checkScope",
    patch: refusing("checkScope", ({ claims, operation }) =>
      when(listOf(claims["scope"]), OPERATIONS[operation].scope),
    ),
  };
}

function listOf(scope: unknown): string[] {
  return typeof scope === "string" ? scope.split(" ") : [];
}
