import type { InvalidMutation } from "../../../src/mutations/mutation.ts";

/** Requests without a usable bearer token. */

export const noCredentials: InvalidMutation = {
  name: "missing",
  what: "no Authorization header",
  refused: {
    check: "signature",
    why: "every route requires a bearer access token",
    source: "contract, Endpoints; RFC 6750 §3.1",
  },
  authorization: () => [],
};

export const otherScheme: InvalidMutation = {
  name: "basic-scheme",
  what: "the scheme is Basic instead of Bearer",
  refused: {
    check: "signature",
    why: "the token is sent with the Bearer scheme and no other",
    source: "contract, Endpoints; RFC 6750 §2.1",
    requirement: "authentication.bearer-header",
  },
  authorization: (token) => [`Basic ${token}`],
};

export const malformedToken: InvalidMutation = {
  name: "malformed",
  what: "the token is the word `conformance`, which is not a JWT",
  refused: {
    check: "signature",
    why: "only a JWT can have a valid signature",
    source: "contract, Receiver checks 1; RFC 7519 §7.2",
    requirement: "rfc7519.validation-steps",
  },
  token: { text: () => "conformance" },
};
