import { SCOPES } from "../../contract/operations.ts";
import type { InvalidMutation } from "../mutation.ts";
import { encoded } from "../request/binding.ts";
import { otherCase } from "./binding.ts";

/** Tokens of the denied subject, for requests on the denied organization. */

export const deniedSubject: InvalidMutation = {
  name: "denied",
  check: "policy",
  what: "the subject may not act on the organization",
  why: "a valid token does not override the receiver's own rules",
  source: "contract, Receiver checks 7",
  needs: ["denied"],
  claims: (_draft, { target }) => ({ sub: target.denied?.subject }),
  asks: () => ({ denied: true }),
};

export const deniedSubjectAllScopes: InvalidMutation = {
  ...deniedSubject,
  name: "denied-all-scopes",
  what: "the subject may not act on the organization, though the token grants every scope",
  claims: (_draft, { target }) => ({ sub: target.denied?.subject, scope: SCOPES.join(" ") }),
  asks: () => ({ denied: true, scopes: SCOPES }),
};

/** Claims that receivers take for the caller in place of `sub`. */
const BESIDE_SUB = ["client_id", "azp", "username", "preferred_username"];

export const deniedSubjectRescued: InvalidMutation = {
  ...deniedSubject,
  name: "denied-rescued",
  what: "the subject may not act on the organization, though `azp` and similar claims name one that may",
  claims: ({ claims }, { target }) => ({
    // Claims of the profile, which the deployment insists on, stay.
    ...Object.fromEntries(
      BESIDE_SUB.filter((name) => !Object.hasOwn(claims, name)).map((name) => [
        name,
        target.subject,
      ]),
    ),
    sub: target.denied?.subject,
  }),
  // No authorization server issues such a token on request.
  asks: () => undefined,
};

export const deniedSubjectOtherCase: InvalidMutation = respelled(
  "denied-other-case",
  "is in the other case",
  otherCase,
);

export const deniedSubjectEncoded: InvalidMutation = respelled(
  "denied-encoded",
  "begins with a percent-encoded character",
  encoded,
);

function respelled(name: string, how: string, spell: (id: string) => string): InvalidMutation {
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
