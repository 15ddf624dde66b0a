import type { InvalidMutation } from "../../../src/mutations/mutation.ts";

/** Requests without a usable bearer token. */

export const noCredentials: InvalidMutation = {
  name: "missing",
  check: "signature",
  what: "no Authorization header",
  why: "every route requires a bearer access token",
  source: "contract, Endpoints; RFC 6750 §3.1",
  authorization: () => [],
};

export const otherScheme: InvalidMutation = {
  name: "basic-scheme",
  check: "signature",
  what: "the scheme is Basic instead of Bearer",
  why: "the token is sent with the Bearer scheme and no other",
  source: "contract, Endpoints; RFC 6750 §2.1",
  requirement: "authentication.bearer-header",
  authorization: (token) => [`Basic ${token}`],
};

export const malformedToken: InvalidMutation = {
  name: "malformed",
  check: "signature",
  what: "the token is the word `conformance`, which is not a JWT",
  why: "only a JWT can have a valid signature",
  source: "contract, Receiver checks 1; RFC 7519 §7.2",
  requirement: "rfc7519.validation-steps",
  text: () => "conformance",
};
