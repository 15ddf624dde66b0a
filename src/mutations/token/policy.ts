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
