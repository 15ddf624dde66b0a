import { SCOPES } from "../../contract/operations.ts";
import { otherCase } from "../../lib/words.ts";
import {
  because,
  type InvalidMutation,
  type Mutation,
  type MutationContext,
  open,
  type Patch,
  type TokenChange,
  withToken,
} from "../mutation.ts";
import { asMember, INJECTIONS, paddings, PATTERNS } from "../near-misses.ts";

/** Tokens whose binding claim does not name the organization of the request. */

const why = "a bound token may act only on the organization that its claim names";
/** The published case is of a token whose claim was never compared with the path. */
const source =
  "contract, Receiver checks 6; Binding a token to an organization; wso2/agent-manager#1430";
/** A check that is made only if the claim counts as true. */
const IF_TRUE = "open-mercato/open-mercato#3892";
const NO_UUID = "RFC 9562 §4";
const NOT_EQUAL = "RFC 7519 §7.3";
const NIL_UUID = "00000000-0000-0000-0000-000000000000";

/** Makes a value from the organization of the request, another one, and the name of the claim. */
type Draw<T> = (id: string, other: string, claim: string) => T;

/** The other organization where there is one, otherwise one that does not exist. */
export function elsewhere({ otherOrganization, uuid }: MutationContext): string {
  return otherOrganization ?? uuid("bound nowhere");
}

function drawn<T>(draw: Draw<T>, context: MutationContext): T {
  const claim = context.target.bindingClaim ?? "";
  return draw(context.organization ?? "", elsewhere(context), claim);
}

const failsBinding = {
  refused: { check: "binding", why, source },
  needs: ["claimsNamespace"],
} as const;

function drawing(draw: Draw<Patch>): TokenChange {
  return { claims: (_draft, context) => drawn(draw, context) };
}

function claiming(name: string, what: string, draw: Draw<Patch>): InvalidMutation {
  return { ...failsBinding, name, what, token: drawing(draw) };
}

/** A token with another value of the claim, and the published source of such a mistake. */
function valued(
  name: string,
  what: string,
  draw: Draw<unknown>,
  published?: string,
): InvalidMutation {
  const mutation = claiming(name, what, (id, other, claim) => ({
    [claim]: draw(id, other, claim),
  }));
  return published === undefined
    ? mutation
    : because(mutation, { source: `${source}; ${published}` });
}

/** Writes members before and after all others, even where a name then occurs twice. */
function around<M extends Mutation>(mutation: M, draw: Draw<{ before?: Patch; after?: Patch }>): M {
  return withToken(mutation, {
    payload: (claims, context) => {
      const { before = {}, after = {} } = drawn(draw, context);
      const members = [before, claims, after].map((part) => JSON.stringify(part).slice(1, -1));
      return `{${members.filter((text) => text !== "").join(",")}}`;
    },
  });
}

/** A token with another value of the claim; `undefined` removes it. */
export function binding(to: (context: MutationContext) => unknown): TokenChange {
  return { claims: (_draft, context) => ({ [context.target.bindingClaim ?? ""]: to(context) }) };
}

/** A token bound to an organization. It is valid for requests about this organization or about none. */
export function boundTo(organization: string | undefined): Mutation {
  return {
    name: "bound",
    what: "the token is bound to one organization",
    token: binding(() => organization),
    asks: () => ({ organization }),
  };
}

export const boundElsewhere: InvalidMutation = {
  ...failsBinding,
  name: "other-organization",
  what: "the token is bound to another organization",
  token: binding(({ otherOrganization }) => otherOrganization),
  asks: ({ otherOrganization }) => ({ organization: otherOrganization }),
};

/** To be bound to the primary organization, and sent for one that only the list names, such as a subsidiary. */
export const primaryOnListed: InvalidMutation = {
  ...failsBinding,
  name: "primary-on-listed",
  what: "the token is bound to the primary organization, and the path names one that only the list names",
};

/** Send it for a change of the other organization. */
export const changeOfItsOwn: InvalidMutation = {
  ...boundElsewhere,
  name: "change-of-its-own",
  what: "the token is bound to another organization, and the path names a change of that one",
  refused: {
    ...boundElsewhere.refused,
    why: "the target organization is the one in the path, not the one that a record belongs to",
  },
  needs: ["claimsNamespace", "organizations.other"],
};

export const boundNowhere: InvalidMutation = {
  ...failsBinding,
  name: "no-organization",
  what: "the token is bound to an organization that does not exist",
  token: binding(({ uuid }) => uuid("bound nowhere")),
};

/** The claim is present and equals no organization. Code that tests whether it is set may miss it. */
export const unsetLookalikes: readonly InvalidMutation[] = [
  valued("empty", "the claim is an empty string", () => "", IF_TRUE),
  valued("zero", "the claim is 0", () => 0, IF_TRUE),
  valued("array-empty", "the claim is an empty list", () => [], NO_UUID),
];

/** Many issuers write null for an absent claim. */
export const nullBinding: Mutation = openly("null", "the claim is null", () => null);

/** Values that are not an id, or that begin like the right one. */
export const wrongTexts: readonly InvalidMutation[] = [
  valued("not-a-uuid", "the claim is the word `conformance`", () => "conformance", NO_UUID),
  valued(
    "suffixed",
    "the claim is the organization and one character more",
    (id) => `${id}0`,
    NOT_EQUAL,
  ),
];

/** The claim is present and does not equal the organization of the request. */
export const wrongValues: readonly InvalidMutation[] = [
  valued("true", "the claim is true", () => true, NO_UUID),
  valued("false", "the claim is false", () => false, IF_TRUE),
  valued("number", "the claim is 1", () => 1, NO_UUID),
  valued("null-text", "the claim is the word `null`", () => "null", NO_UUID),
  valued("nil-uuid", "the claim is the nil UUID", () => NIL_UUID, NOT_EQUAL),
  valued("wildcard", "the claim is `*`", () => "*", NO_UUID),
  valued("word-all", "the claim is the word `all`", () => "all", NO_UUID),
  valued(
    "prefixed",
    "the claim is one character and the organization",
    (id) => `0${id}`,
    NOT_EQUAL,
  ),
  {
    ...valued("spaced", "the claim is the organization and a space", (id) => `${id} `, NOT_EQUAL),
    level: "SHOULD",
  },
  valued(
    "on-a-line",
    "the claim is a word and, on a line of its own, the organization",
    (id) => `conformance\n${id}`,
    NOT_EQUAL,
  ),
  valued("dotted", "the claim is the organization and `/..`", (id) => `${id}/..`, NOT_EQUAL),
  valued(
    "truncated",
    "the claim is the organization's beginning",
    (id) => id.slice(0, -1),
    NOT_EQUAL,
  ),
  valued(
    "array-other",
    "the claim is a list of another organization",
    (_id, other) => [other],
    NO_UUID,
  ),
  valued(
    "object",
    "the claim is an object with the organization's `id`",
    (id) => ({ id }),
    NO_UUID,
  ),
];

/** Parts of the organization's id, and the id in a form that no comparison of texts takes for it. */
export const misplacedValues: readonly InvalidMutation[] = [
  valued("ending", "the claim is the organization's ending", (id) => id.slice(1), NOT_EQUAL),
  valued(
    "inside",
    "the claim is the middle of the organization's id, between two hyphens",
    (id) => id.split("-").slice(1, -1).join("-"),
    NOT_EQUAL,
  ),
  valued(
    "object-value",
    "the claim is an object whose members have the organization's id",
    asMember,
    NO_UUID,
  ),
  valued(
    "array-nested",
    "the claim is a list of a list of the organization",
    (id) => [[id]],
    NO_UUID,
  ),
];

/** Blanks around the organization's id. Code that reads a UUID may well leave them out. */
export const paddedValues: readonly InvalidMutation[] = paddings("{id}")
  .filter(({ name }) => name !== "blank-after")
  .map(({ name, what, value }) => ({
    ...valued(
      name,
      `the claim ${what}`,
      // The text is made for any organization.
      (id) => value.replace("{id}", id),
      NOT_EQUAL,
    ),
    level: "SHOULD",
  }));

/** The claim is no organization, and matches the right one where it is taken for a pattern. */
export const bindingPatterns: readonly InvalidMutation[] = PATTERNS.map(({ name, what, value }) =>
  valued(name, `the claim ${what}`, (id) => value(id)),
);

/** The claim is no organization, and reaches a query. */
export const bindingInjections: readonly InvalidMutation[] = INJECTIONS.map(
  ({ name, what, value }) => valued(name, `the claim ${what}`, (id) => value(id), "CWE-89"),
);

/** The claim names another organization, and the rest of the token looks privileged. */
export const privileged: readonly InvalidMutation[] = [
  {
    ...claiming(
      "all-scopes",
      "the token is bound to another organization and grants every scope",
      (_id, other, claim) => ({ [claim]: other, scope: SCOPES.join(" ") }),
    ),
    asks: ({ otherOrganization }) =>
      otherOrganization === undefined
        ? undefined
        : { organization: otherOrganization, scopes: SCOPES },
  },
  claiming(
    "authorization-code",
    "the token is bound to another organization and was issued by the authorization code flow",
    (_id, other, claim) => ({ [claim]: other, grant_type: "authorization_code" }),
  ),
];

/** The claim names another organization, and something else names that of the request. */
export const rescues: readonly InvalidMutation[] = [
  claiming(
    "bare-name-rescue",
    "the claim names another organization, and a bare `org_id` names that of the request",
    (id, other, claim) => ({ [claim]: other, org_id: id }),
  ),
  around(
    valued(
      "foreign-namespace-rescue",
      "the claim names another organization, and `org_id` in two other namespaces names that of the request",
      (_id, other) => other,
    ),
    (id) => ({
      before: { "https://first.example/org_id": id },
      after: { "https://last.example/org_id": id },
    }),
  ),
  because(
    claiming(
      "name-case-rescue",
      "the claim names another organization, and `ORG_ID` in the same namespace names that of the request",
      (id, other, claim) => ({ [claim]: other, [upperCaseName(claim)]: id }),
    ),
    { source: `${source}; RFC 7519 §7.3`, requirement: "rfc7519.string-comparison" },
  ),
  around(
    because(
      claiming(
        "repeated-last-other",
        "the claim occurs twice, and the last one names another organization",
        () => ({}),
      ),
      {
        why: "a receiver must use the last of repeated claims, or reject the token",
        source: `${source}; RFC 7519 §4`,
        requirement: "rfc7519.unique-claims",
      },
    ),
    (_id, other, claim) => ({ after: { [claim]: other } }),
  ),
];

/** The contract leaves open whether this is the claim, and whether it names the organization. */
export const openBindings: readonly Mutation[] = [
  openly("array-own", "the claim is a list of the organization", (id) => [id]),
  openly(
    "list-own",
    "the claim is another organization, a comma and that of the request",
    (id, other) => `${other},${id}`,
  ),
  openly("other-case", "the id in the claim is in the other case", (id) => otherCase(id)),
  openly("urn", "the id in the claim begins with `urn:uuid:`", (id) => `urn:uuid:${id}`),
  openly("braces", "the id in the claim is in braces", (id) => `{${id}}`),
  openly("no-hyphens", "the id in the claim has no hyphens", (id) => id.replaceAll("-", "")),
  renamed("bare-name", "a bare `org_id`", () => "org_id"),
  renamed(
    "foreign-namespace",
    "`org_id` in another namespace",
    () => "https://first.example/org_id",
  ),
  renamed("doubled-slash", "the claim with two slashes before `org_id`", (claim) =>
    claim.replace(/\/org_id$/, "//org_id"),
  ),
  renamed("other-scheme", "the claim in a namespace of another URL scheme", (claim) =>
    claim.startsWith("https:")
      ? claim.replace("https:", "http:")
      : `https:${claim.replace(/^http:/, "")}`,
  ),
  renamed("name-case", "the claim with `ORG_ID` at its end", upperCaseName),
  around(
    openly(
      "repeated-last-own",
      "the claim occurs twice, and the first one names another organization",
      (_id, other) => other,
    ),
    (id, _other, claim) => ({ after: { [claim]: id } }),
  ),
];

function openly(name: string, what: string, draw: Draw<unknown>): Mutation {
  return openClaims(name, what, (id, other, claim) => ({ [claim]: draw(id, other, claim) }));
}

/** The claim has another name, and another organization as its value. */
function renamed(name: string, what: string, rename: (claim: string) => string): Mutation {
  const whole = `${what} names another organization; the claim itself is absent`;
  return openClaims(name, whole, (_, other, claim) => ({
    [claim]: undefined,
    [rename(claim)]: other,
  }));
}

function openClaims(name: string, what: string, draw: Draw<Patch>): Mutation {
  return open(name, what, { needs: failsBinding.needs, token: drawing(draw) });
}

function upperCaseName(claim: string): string {
  return claim.replace(/org_id$/, "ORG_ID");
}
