import { SCOPES } from "../../contract/operations.ts";
import type { JsonObject } from "../../lib/json.ts";
import { otherCase } from "../../lib/words.ts";
import type { Facts } from "../../profile/facts.ts";
import type { TokenDraft } from "../../tokens/draft.ts";
import { each, type InvalidMutation, type Mutation, type Patch } from "../mutation.ts";
import { ASTERISK, INJECTIONS, PATTERNS } from "../near-misses.ts";
import { encoded } from "../request/binding.ts";
import { respelled } from "../request/separators.ts";
import { naming } from "./presentation.ts";

/** Tokens of the denied subject, for requests on the denied organization. */

export const deniedSubject: InvalidMutation = {
  name: "denied",
  what: "the subject may not act on the organization",
  refused: {
    check: "policy",
    why: "a valid token does not override the receiver's own rules",
    source: "contract, Receiver checks 7",
  },
  needs: ["denied"],
  token: { claims: (_draft, { target }) => ({ sub: target.denied?.subject }) },
  asks: () => ({ denied: true }),
};

/** A token of the denied subject with claims beside `sub`. Unless `more` says how to ask for it, no authorization server issues such a token. */
function though(
  name: string,
  what: string,
  claims: (draft: TokenDraft, facts: Facts) => Patch,
  more: Partial<InvalidMutation> = {},
): InvalidMutation {
  return {
    ...deniedSubject,
    name: `denied-${name}`,
    what: `the subject may not act on the organization, though ${what}`,
    token: {
      claims: (draft, { target }) => ({ ...claims(draft, target), sub: target.denied?.subject }),
    },
    asks: () => undefined,
    ...more,
  };
}

export const deniedSubjectAllScopes: InvalidMutation = though(
  "all-scopes",
  "the token grants every scope",
  () => ({ scope: SCOPES.join(" ") }),
  { asks: () => ({ denied: true, scopes: SCOPES }) },
);

/** Claims that receivers take for the caller in place of `sub`. */
const BESIDE_SUB = ["client_id", "azp", "username", "preferred_username"];

/** Claims of the profile, which the deployment insists on, stay. */
function absentFrom(claims: JsonObject, patch: Patch): Patch {
  return Object.fromEntries(Object.entries(patch).filter(([name]) => !Object.hasOwn(claims, name)));
}

export const deniedSubjectRescued: InvalidMutation = though(
  "rescued",
  "`azp` and similar claims name one that may",
  ({ claims }, { subject }) => absentFrom(claims, each(BESIDE_SUB, subject)),
);

/** Claims of a person, which identity providers have beside `sub`. */
const OF_PERSON = ["email", "upn", "unique_name", "oid"] as const;
/** Those of them that often have the same value. */
const ADDRESSES = ["email", "upn", "unique_name"] as const;

/** The claims of the allowed person, as far as the profile gives them. */
function allowedPerson({ testIssuer: { claims } }: Facts): Patch {
  const given = OF_PERSON.filter((name) => Object.hasOwn(claims, name));
  const address = ADDRESSES.map((name) => claims[name]).find((value) => value !== undefined);
  return {
    ...(address !== undefined && each(ADDRESSES, address)),
    ...Object.fromEntries(given.map((name) => [name, claims[name]])),
  };
}

export const deniedSubjectAsPerson: InvalidMutation = though(
  "as-person",
  "`email`, `upn`, `unique_name` and `oid` are those of one that may",
  (_draft, facts) => allowedPerson(facts),
  {
    refused: { ...deniedSubject.refused, why: "the subject of a token is its `sub`" },
    level: "SHOULD",
    inapplicable: (facts) =>
      Object.keys(allowedPerson(facts)).length > 0
        ? undefined
        : `\`testIssuer.claims\` of the profile has none of ${OF_PERSON.join(", ")}`,
  },
);

/** Claims that elsewhere name an administrator. */
const PRIVILEGES: Patch = {
  roles: ["admin"],
  role: "admin",
  groups: ["admin", "administrators"],
  realm_access: { roles: ["admin"] },
  admin: true,
  is_admin: true,
};

/** Such claims may be what the receiver's policy goes by. */
export const deniedSubjectPrivileged: InvalidMutation = though(
  "privileged",
  "roles, groups and flags name an administrator",
  ({ claims }) => absentFrom(claims, PRIVILEGES),
  { level: "OBSERVE" },
);

export const deniedSubjectHeaders: InvalidMutation = {
  ...deniedSubject,
  name: "denied-headers",
  what: "the subject may not act on the organization, though X-Forwarded-User, X-JWT-Payload and similar headers name one that may",
  request: (spec, { target }, token) => naming(spec, target, token, target.subject),
};

/** Headers that name the allowed subject, under names that are written with underscores. */
export const deniedSubjectRespelledHeaders: readonly InvalidMutation[] =
  respelled(deniedSubjectHeaders);

/** A subject that nobody knows. */
export const unknownSubject: Mutation = {
  name: "unknown-subject",
  what: "`sub` is a subject that does not exist",
  token: { claims: (_draft, { uuid }) => ({ sub: uuid("subject") }) },
};

export const subjectInOtherCase: InvalidMutation = {
  name: "subject-other-case",
  what: "`sub` is written in the other case, and an unknown subject is refused",
  refused: {
    check: "policy",
    why: "claims are compared character by character, so this is another subject",
    source: "RFC 7519 §4.1.2, §7.3",
    requirement: "rfc7519.string-comparison",
  },
  level: "SHOULD",
  inapplicable: ({ subject }) =>
    otherCase(subject) === subject ? `\`${subject}\` has no letters` : undefined,
  token: { claims: (_draft, { target: { subject } }) => ({ sub: otherCase(subject) }) },
};

/** Subjects that nobody knows, and that match the right one where they are taken for a pattern or reach a query. */
export const subjectPatterns: readonly InvalidMutation[] = [
  ...PATTERNS,
  ASTERISK,
  ...INJECTIONS,
].map(({ name, what, value }) => ({
  name: `subject-${name}`,
  what: `\`sub\` ${what}, and an unknown subject is refused`,
  refused: {
    check: "policy",
    why: "local policy knows subjects by their names, and this is no name of one that may act there",
    source: "contract, Receiver checks 7; RFC 7519 §4.1.2, §7.3",
  },
  token: { claims: (_draft, { target: { subject } }) => ({ sub: value(subject) }) },
}));

export const deniedSubjectOtherCase: InvalidMutation = spelled(
  "denied-other-case",
  "is in the other case",
  otherCase,
);

export const deniedSubjectEncoded: InvalidMutation = spelled(
  "denied-encoded",
  "begins with a percent-encoded character",
  encoded,
);

function spelled(name: string, how: string, spell: (id: string) => string): InvalidMutation {
  return {
    ...deniedSubject,
    name,
    what: `the subject may not act on the organization, whose id in the path ${how}`,
    request: (spec, { organization = "" }) => ({
      ...spec,
      path: spec.path.replace(organization, spell(organization)),
    }),
  };
}
