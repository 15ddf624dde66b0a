import type { ServerSteps } from "../../authorization-server/steps.ts";
import { CLAIMS_NAMESPACE } from "../../profile.ts";
import { type Faults, ownedBy } from "../fault.ts";

type TokenClaims = ServerSteps["tokenClaims"];
type Claims = Record<string, unknown>;

/** A patch that changes the claims of issued tokens. */
function issuing(change: TokenClaims): (original: TokenClaims) => TokenClaims {
  return (original) => (claims, grant) => change(original(claims, grant), grant);
}

function without(name: string): (claims: Claims) => Claims {
  return ({ [name]: _left, ...rest }) => rest;
}

export const ISSUED_CLAIM_FAULTS: Faults = ownedBy("authorization-server.claims", {
  "server-token-aud-origin": {
    title: "Issues tokens whose `aud` is the origin of the base URL, without its path",
    how: "One API is registered for the whole host.",
    tokenClaims: issuing((claims) => ({ ...claims, aud: new URL(String(claims["aud"])).origin })),
  },
  "server-token-aud-client": {
    title: "Issues tokens whose `aud` is the client",
    how: "This is the `aud` of an ID token.",
    tokenClaims: issuing((claims, { client }) => ({ ...claims, aud: client })),
  },
  "server-token-without-sub": {
    title: "Issues tokens without `sub` in the client credentials flow",
    how: "There is no user in this flow.",
    tokenClaims: issuing((claims, { flow }) =>
      flow === "client_credentials" ? without("sub")(claims) : claims,
    ),
  },
  "server-token-scope-array": {
    title: "Issues tokens whose `scope` is an array",
    how: "The framework stores scopes as a list.",
    source: "spring-authorization-server#877",
    tokenClaims: issuing((claims) => ({ ...claims, scope: String(claims["scope"]).split(" ") })),
  },
  "server-token-scope-lines": {
    title: "Issues tokens whose `scope` has a scope on each line",
    how: "The registration form of the client has a scope on each line, and its text goes into the claim.",
    tokenClaims: issuing((claims) => ({
      ...claims,
      scope: String(claims["scope"]).replaceAll(" ", "\n"),
    })),
  },
  "server-token-scp": {
    title: "Issues tokens with `scp` in place of `scope`",
    how: "The server is that of a product that names the claim so.",
    tokenClaims: issuing(({ scope, ...claims }) => ({
      ...claims,
      scp: String(scope).split(" "),
    })),
  },
  "server-tokens-opaque": {
    title: "Issues access tokens that are no JWT",
    how: "Opaque tokens are the server's default, and JWT is a setting of the client or of the API.",
    tokenAnswer: () => (answer) => {
      const { access_token: token } = answer.body;
      if (typeof token === "string")
        answer.body["access_token"] = token.slice(-40).replaceAll(".", "");
    },
  },
  "server-token-exp-text": {
    title: "Issues tokens whose `exp` is a string",
    how: "A template puts quotes around all claims.",
    tokenClaims: issuing((claims) => ({ ...claims, exp: String(claims["exp"]) })),
  },
  "server-token-over-at-once": {
    title: "Issues tokens whose `exp` is before `iat`",
    how: "The lifetime is a setting in the past, or is subtracted.",
    tokenClaims: issuing((claims) => ({ ...claims, exp: Number(claims["iat"]) - 60 })),
  },
  "server-token-other-organization": {
    title: "Binds tokens to an organization other than the client's",
    how: "The server keeps the organization of the last session.",
    tokenClaims: issuing((claims) =>
      Object.fromEntries(
        Object.entries(claims).map(([name, value]) =>
          name.endsWith("/org_id") ? [name, "0f0e0d0c-0b0a-4908-8706-050403020100"] : [name, value],
        ),
      ),
    ),
  },
  "server-token-binding-requested": {
    title: "Binds a token to the organization that its request names",
    observed: "the organization that the request names",
    how: "The client says for which organization it acts, and nobody looks up whether it may.",
    tokenClaims: issuing((claims, { form }) =>
      form.has("org_id")
        ? { ...claims, [`${CLAIMS_NAMESPACE}/org_id`]: form.get("org_id") }
        : claims,
    ),
  },
  "server-token-without-grant-type": {
    title: "Issues tokens without `grant_type`",
    rule: "authorization-server.recommended-claims",
    how: "No mapper was configured for the claim.",
    tokenClaims: issuing(without("grant_type")),
  },
  "server-refresh-unbound": {
    title: "Issues tokens without the binding claim for refresh tokens",
    rule: "authorization-server.recommended-claims",
    how: "The claim is taken from the session of the consent, which a refresh request does not have.",
    variants: ["server-refresh-tokens"],
    tokenClaims: issuing((claims, { form }) =>
      form.get("grant_type") === "refresh_token"
        ? Object.fromEntries(Object.entries(claims).filter(([name]) => !name.endsWith("/org_id")))
        : claims,
    ),
  },
});
