import { OPERATION_IDS, OPERATIONS, SCOPES, type Scope } from "../../contract/operations.ts";
import type { Call } from "../call.ts";
import { onlyOn, passing, refusing, skipped, type Fault } from "./fault.ts";

/** Faults of check 5: the required scope is not needed, or it is not enough. */
export const SCOPE_FAULTS: readonly Fault[] = [
  {
    name: "scope-unchecked",
    title: "Any good token may do everything",
    rule: "receiver.scope",
    how: "Authentication is taken for authorization: the middleware validates the token, nobody asks for its scope.",
    step: "checkScope",
    patch: skipped,
  },
  ...OPERATION_IDS.map((operation): Fault => ({
    name: `scope-unchecked-on-${operation}`,
    title: `${operation} needs no scope`,
    rule: "receiver.scope",
    how: "Scopes are declared route by route, and this route was added without one.",
    step: "checkScope",
    patch: onlyOn(operation, skipped),
  })),

  // One scope for another

  granting("any-known", {
    title: "Any of the service's scopes is enough for everything",
    how: "One guard with all scopes stands before the whole router, and one of them is enough for it.",
    when: (granted) => granted.some((scope) => SCOPES.includes(scope as Scope)),
  }),
  granting("read-for-write", {
    title: "Who may read may write",
    how: "Only what stands before the colon is compared, or the guard of the read was copied.",
    when: (granted, required) => granted.includes(required.replace(":write", ":read")),
  }),
  granting("write-for-read", {
    title: "Who may write may read",
    how: "Scopes are given ranks, though the contract grants them independently.",
    when: (granted, required) => granted.includes(required.replace(":read", ":write")),
  }),
  granting("org-for-changes", {
    title: "The scope for organizations is enough for their changes",
    how: "Changes were routes of the organization before they had scopes of their own.",
    when: (granted, required) => granted.includes(required.replace(".changes", "")),
  }),
  granting("changes-for-org", {
    title: "The scope for changes is enough for the organization itself",
    how: "A direct edit is thought of as a change that is accepted at once.",
    when: (granted, required) => granted.includes(required.replace(/^org:/, "org.changes:")),
  }),

  // Careless comparison

  taking("by-substring", {
    title: "`scope` need only contain the scope's letters",
    how: "`includes` is called on the string, not on the list that it stands for.",
    source: "CVE-2026-32716",
    when: (scope, required) => typeof scope === "string" && scope.includes(required),
  }),
  granting("by-prefix", {
    title: "A scope need only begin like the required one",
    how: "`startsWith` lets narrower scopes through, which were thought of as the same.",
    source: "CVE-2026-32716",
    when: (granted, required) => granted.some((scope) => scope.startsWith(required)),
  }),
  granting("by-suffix", {
    title: "A scope need only end like the required one",
    how: "Scopes of other services have a prefix that was to be passed over.",
    when: (granted, required) => granted.some((scope) => scope.endsWith(required)),
  }),
  granting("part-of-required", {
    title: "A scope need only be the beginning of the required one",
    how: "The operands of `startsWith` are the wrong way round.",
    when: (granted, required) => granted.some((scope) => scope && required.startsWith(scope)),
  }),
  taking("by-word", {
    title: "The required scope need only stand between boundaries of words",
    how: String.raw`A pattern with \b on both sides, for which a hyphen or a colon ends a word too.`,
    when: (scope, required) => new RegExp(String.raw`\b${required}\b`).test(String(scope)),
  }),
  granting("narrower", {
    title: "A part of the required scope is enough",
    how: "Scopes are taken for paths, in which what is below belongs to what is above.",
    when: (granted, required) => granted.some((scope) => scope.startsWith(`${required}:`)),
  }),
  granting("resource-only", {
    title: "The scope without its action is enough",
    how: "A scope without a colon stands for all actions.",
    when: (granted, required) => granted.includes(required.split(":")[0] ?? ""),
  }),
  granting("action-only", {
    title: "The action without what it is done to is enough",
    how: "The scopes of the first version were `read` and `write`, and they are still known.",
    when: (granted, required) => granted.includes(required.split(":")[1] ?? ""),
  }),
  granting("case-ignored", {
    title: "Scopes are compared without regard to case",
    how: "Permissions come from a database that compares so.",
    when: (granted, required) => granted.some((scope) => scope.toLowerCase() === required),
  }),
  granting("by-pattern", {
    title: "The required scope is a pattern, in which a dot stands for any character",
    how: "Guards take regular expressions, and a scope is written there as it is.",
    when: (granted, required) => granted.some((scope) => new RegExp(`^${required}$`).test(scope)),
  }),
  granting("punctuation-ignored", {
    title: "Dots and colons in scopes are the same",
    how: "Scopes are turned into names of permissions, which have dots only.",
    when: (granted, required) => granted.includes(required.replace(":", ".")),
  }),
  granting("wildcard", {
    title: "An asterisk is every scope",
    how: "The administrators' tokens came from another system.",
    when: (granted) => granted.includes("*"),
  }),
  granting("resource-wildcard", {
    title: "An asterisk is every action",
    how: "Scopes are matched as globs.",
    when: (granted, required) => granted.includes(required.replace(/:.*/, ":*")),
  }),
  ...Object.entries({ commas: ",", semicolons: ";", pluses: "+", "percent-encoding": "%20" }).map(
    ([name, separator]) =>
      taking(`split-by-${name}`, {
        title: `\`scope\` may be separated by \`${separator}\``,
        how: "Another authorization server writes its lists so.",
        when: (scope, required) =>
          typeof scope === "string" && scope.split(separator).includes(required),
      }),
  ),

  // No list at all

  taking("missing-accepted", {
    title: "A token without `scope` may do everything",
    how: "Tokens from before scopes were introduced had to go on working.",
    when: (scope) => scope === undefined,
  }),
  taking("falsy-accepted", {
    title: "A token whose `scope` is null or empty may do everything",
    how: "`if (scope && !scope.split(' ').includes(required))` stands where the claim had to be required.",
    when: (scope) => scope === null || scope === "",
  }),
  taking("blanks-accepted", {
    title: "A token whose `scope` is blank may do everything",
    how: "No scopes are left when the empty ones are dropped, and none means that there is no limit.",
    when: (scope) => typeof scope === "string" && scope !== "" && scope.trim() === "",
  }),
  taking("only-strings-compared", {
    title: "`scope` that is no string is not compared",
    how: "The comparison is guarded by `typeof`, and there is nothing for the other case.",
    when: (scope) => scope !== undefined && scope !== null && typeof scope !== "string",
  }),
  taking("object-member", {
    title: "`scope` may be an object with the scope as a member's name",
    how: "`in` is thought to look into lists.",
    when: (scope, required) => typeof scope === "object" && scope !== null && required in scope,
  }),

  // From elsewhere

  ...["scp", "scopes", "roles", "permissions", "authorities"].map((claim) =>
    taking(`from-${claim}`, {
      title: `\`${claim}\` is taken where there is no \`scope\``,
      how: "The middleware looks for scopes under every name that some authorization server gives them.",
      when: (scope, required, { claims }) =>
        scope === undefined && [claims[claim]].flat().includes(required),
    }),
  ),
  taking("from-query", {
    title: "Scopes are taken from the query too",
    how: "One lookup serves claims and parameters.",
    when: (_scope, required, { query }) => query["scope"] === required,
  }),
  taking("from-header", {
    title: "Scopes are taken from a header too",
    how: "A gateway was to check the token and pass its scopes on.",
    when: (_scope, required, { headers }) => headers["x-scopes"] === required,
  }),

  // Not enough

  refusingGranted("only-first", {
    title: "Only the first scope of the list counts",
    how: "The claim is compared as one value, and the first word of it was a later mend.",
    when: (granted, required) => granted[0] !== required,
  }),
  refusingGranted("only-last", {
    title: "Only the last scope of the list counts",
    how: "A map by action keeps the last of several.",
    when: (granted, required) => granted.at(-1) !== required,
  }),
  refusingGranted("only-alone", {
    title: "The required scope must be the only one",
    how: "Tokens that may do more than they are used for are thought too mighty.",
    when: (granted) => new Set(granted).size > 1,
  }),
  refusingGranted("needs-all", {
    title: "Every scope of the service is wanted for any operation",
    how: "One guard with all scopes stands before the whole router.",
    when: (granted) => !SCOPES.every((wanted) => granted.includes(wanted)),
  }),
  refusingGranted("write-needs-read", {
    title: "A write needs the scope to read as well",
    how: "The guards of the two are stacked on one another.",
    when: (granted, required) => !granted.includes(required.replace(":write", ":read")),
  }),
  refusingGranted("foreign-refused", {
    title: "A token with scopes of other services is refused",
    how: "Scopes are parsed as an enumeration, and what it lacks is an error.",
    when: (granted) => granted.some((scope) => !SCOPES.includes(scope as Scope)),
  }),
];

interface Told {
  readonly title: string;
  readonly how: string;
  readonly source?: string;
}

/** A fault with which some values of the claim are enough, too. */
function taking(
  name: string,
  { when, ...told }: Told & { when: (scope: unknown, required: Scope, call: Call) => boolean },
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
  { when, ...told }: Told & { when: (granted: readonly string[], required: Scope) => unknown },
): Fault {
  return taking(name, {
    ...told,
    when: (scope, required) => Boolean(when(listOf(scope), required)),
  });
}

/** A fault with which some claims are not enough, though they grant the required scope. */
function refusingGranted(
  name: string,
  { when, ...told }: Told & { when: (granted: readonly string[], required: Scope) => boolean },
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
