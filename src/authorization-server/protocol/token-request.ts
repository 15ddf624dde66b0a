import { isObject, type JsonObject } from "../../lib/json.ts";
import type { AuthorizationServer, Client } from "../../profile/authorization-server.ts";
import { parseToken } from "../../tokens/parse.ts";
import { appendParameters, type ParameterChange, urlWith } from "./authorization-request.ts";
import {
  type AssertionChange,
  type AuthenticationForm,
  type Credentials,
  credentialsOf,
} from "./client-authentication.ts";
import type { Grant } from "./grants.ts";
import type { Origins, ServerAnswer } from "./origins.ts";

export interface TokenRequestChange {
  readonly parameters?: ParameterChange | undefined;
  /** The client with another id, secret, key or method of authentication. */
  readonly as?: Client | undefined;
  /** Differences of the assertion by which the client authenticates. */
  readonly assertion?: AssertionChange | undefined;
  /** Other credentials of the client, in any form. */
  readonly credentials?: Credentials | undefined;
  /** Where the parameters are sent. Default: in a form. */
  readonly carriedBy?: "query" | "json" | undefined;
}

export interface TokenRequest {
  readonly client: Client;
  readonly basic: boolean;
  /** The secret in HTTP Basic. Must never be shown. */
  readonly password?: string | undefined;
  readonly form: URLSearchParams;
  /** Whether it was a POST with a form, as RFC 6749 section 3.2 requires; others are not judged. */
  readonly isForm: boolean;
  /** Whether it was a good request, which the server has no reason to refuse. */
  readonly isGood: boolean;
}

/** A token response. Members that it lacks are absent. */
export interface TokenResponse {
  readonly request: TokenRequest;
  readonly answer: ServerAnswer;
  /** Id of the exchange. */
  readonly exchange: string;
  /** The access token that it returned, whatever the status, because an attacker could use it. */
  readonly accessToken?: string | undefined;
  /** The claims of the access token; absent where it is no signed JWT. */
  readonly claims?: JsonObject | undefined;
  /** `scope`, RFC 6749 section 5.1. */
  readonly scope?: string | undefined;
  readonly tokenType?: string | undefined;
  /** Seconds; `undefined` where it is absent or not a number. */
  readonly expiresIn?: number | undefined;
  /** `error`, RFC 6749 section 5.2. */
  readonly error?: string | undefined;
  /** `refresh_token`, RFC 6749 section 5.1. Must never be shown. */
  readonly refreshToken?: string | undefined;
  /** `id_token`, OpenID Connect Core section 3.1.3.3. Must never be shown. */
  readonly idToken?: string | undefined;
}

/**
 * Sends a token request; see `formOf`.
 * @param changed absent where the request is a good one
 * @throws Interrupted
 */
export async function requestToken(
  name: string,
  {
    server,
    tokenUrl,
    origins,
  }: { server: AuthorizationServer; tokenUrl: string; origins: Origins },
  client: Client,
  grant: Grant,
  form: AuthenticationForm,
  changed?: TokenRequestChange,
): Promise<TokenResponse> {
  const change = changed ?? {};
  const credentials =
    change.credentials ??
    (await credentialsOf(
      change.as ?? client,
      form,
      { issuer: server.issuer, tokenUrl },
      change.assertion,
    ));
  const body = formOf(client, grant, credentials, change);
  const headers = [["accept", "application/json"] as const, ...credentials.headers];
  const answer = await origins.send(
    name,
    change.carriedBy === "query"
      ? { method: "GET", url: urlWith(tokenUrl, body), headers }
      : { method: "POST", url: tokenUrl, headers, form: body, asJson: change.carriedBy === "json" },
  );
  const basic = credentials.headers.length > 0;
  return readTokenResponse(answer, {
    client,
    basic,
    password: credentials.password,
    form: body,
    isForm: change.carriedBy === undefined,
    isGood: changed === undefined,
  });
}

/** The parameters of a token request: those of the grant, of the client, of its credentials, and the changes; the later ones win. */
function formOf(
  { tokenParameters }: Pick<Client, "tokenParameters">,
  grant: Grant,
  credentials: Pick<Credentials, "parameters">,
  change: Pick<TokenRequestChange, "parameters">,
): URLSearchParams {
  const form = new URLSearchParams();
  appendParameters(form, {
    ...grant,
    ...tokenParameters,
    ...credentials.parameters,
    ...change.parameters,
  });
  return form;
}

/** Reads a response of the token endpoint. A member of the wrong type counts as absent. */
export function readTokenResponse(answer: ServerAnswer, request: TokenRequest): TokenResponse {
  const json = isObject(answer.json) ? answer.json : {};
  const text = (name: string): string | undefined => {
    const value = json[name];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const expiresIn = json["expires_in"];
  const token = parseToken(text("access_token") ?? "");
  return {
    request,
    answer,
    exchange: answer.reply.exchange.id,
    accessToken: text("access_token"),
    claims: typeof token === "string" ? undefined : token.claims,
    // An empty scope is still a scope.
    scope: typeof json["scope"] === "string" ? json["scope"] : undefined,
    tokenType: text("token_type"),
    expiresIn: typeof expiresIn === "number" ? expiresIn : undefined,
    error: text("error"),
    refreshToken: text("refresh_token"),
    idToken: text("id_token"),
  };
}
