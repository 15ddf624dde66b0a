import { randomBytes } from "node:crypto";

import type { JWK } from "jose";
import type { Configuration } from "oidc-provider";

import { SCOPES } from "../../contract/operations.ts";
import { SUBJECT } from "../store.ts";
import type { ReferenceClient } from "./clients.ts";
import { INTERACTION_PATH } from "./interaction.ts";
import { formOf, PUSHED_PATH } from "./passing.ts";
import type { StepsFor } from "./step-calls.ts";
import type { Grant, Memory, ServerSteps } from "./steps.ts";

const LIFETIME_SECONDS = 600;
const CODE_SECONDS = 60;

/** The data that the server needs about the receiver. */
export interface ServerOptions {
  readonly steps: ServerSteps;
  /** Returns the base URL of the receiver; call it only once the receiver listens. */
  readonly audience: () => string;
  readonly bindingClaim: string;
  /** The receiver trusts no other issuer, so the server has a client for each kind of token. Default: false. */
  readonly alone?: boolean;
  /** Whether what its steps are asked is recorded. Default: false. */
  readonly records?: boolean;
}

/** The library's configuration. */
export function configuration(
  { stepsFor, audience, bindingClaim }: ServerOptions & { readonly stepsFor: StepsFor },
  known: readonly ReferenceClient[],
  key: JWK,
  memory: Memory,
): Configuration {
  return {
    clients: [...stepsFor().registered(memory.clients)],
    jwks: { keys: [key] },
    cookies: { keys: [randomBytes(16).toString("hex")] },
    scopes: [...SCOPES],
    pkce: { required: () => true },
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed("refresh_token"),
    rotateRefreshToken: ({ oidc, req }) =>
      stepsFor(req).replacesRefreshToken(oidc.client?.clientAuthMethod),
    routes: {
      token: "/token",
      authorization: "/auth",
      jwks: "/jwks",
      pushed_authorization_request: PUSHED_PATH,
    },
    interactions: { url: (_ctx, { uid }) => INTERACTION_PATH + uid },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    ttl: {
      AccessToken: LIFETIME_SECONDS,
      AuthorizationCode: CODE_SECONDS,
      ClientCredentials: LIFETIME_SECONDS,
      Grant: LIFETIME_SECONDS,
      IdToken: LIFETIME_SECONDS,
      Interaction: LIFETIME_SECONDS,
      RefreshToken: LIFETIME_SECONDS,
      Session: LIFETIME_SECONDS,
    },
    renderError(ctx, { error, error_description }) {
      ctx.type = "text/plain";
      ctx.body = `${error}: ${error_description ?? ""}\n`;
    },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      pushedAuthorizationRequests: {
        enabled: true,
        requirePushedAuthorizationRequests: stepsFor().requiresPushing(),
      },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience(),
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: SCOPES.join(" "),
          audience: audience(),
          accessTokenFormat: "jwt",
          accessTokenTTL: LIFETIME_SECONDS,
        }),
      },
    },
    formats: {
      customizers: {
        jwt(ctx, token, jwt) {
          const { clientId = "", kind } = token;
          const flow = kind === "ClientCredentials" ? "client_credentials" : "authorization_code";
          const client = known.find(({ name }) => name === clientId);
          const claims = {
            ...jwt.payload,
            sub: client?.subject ?? SUBJECT,
            grant_type: flow,
            ...(client?.organization && { [bindingClaim]: client.organization.id }),
          };
          const grant: Grant = { client: clientId, flow, form: formOf(ctx) };
          const steps = stepsFor(ctx.req);
          jwt.payload = steps.tokenClaims(claims, grant);
          jwt.header = steps.tokenHeader({ ...jwt.header });
        },
      },
    },
  };
}
