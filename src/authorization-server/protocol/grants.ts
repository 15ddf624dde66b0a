import type { Scope } from "../../contract/operations.ts";
import type { AuthorizationServer } from "../../profile/authorization-server.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";

/** The parameters of a grant in a token request, RFC 6749 section 4. */
export type Grant = Readonly<Record<string, string>>;

/** The server's names of scopes, each once, separated by spaces. */
export function scopeWords(
  { scopes: words }: Pick<AuthorizationServer, "scopes">,
  scopes: readonly Scope[],
): string {
  return [...new Set(scopes.map((scope) => words[scope]))].join(" ");
}

/** Client credentials, RFC 6749 section 4.4.2. Without scopes it asks for the server's default. */
export function clientCredentialsGrant(
  server: Pick<AuthorizationServer, "scopes">,
  scopes: readonly Scope[],
): Grant {
  return {
    grant_type: "client_credentials",
    ...(scopes.length > 0 && { scope: scopeWords(server, scopes) }),
  };
}

/** A code with its verifier, RFC 6749 section 4.1.3 and RFC 7636 section 4.5. */
export function codeGrant(
  { redirectUri, verifier }: Pick<AuthorizationRequest, "redirectUri" | "verifier">,
  code: string,
): Grant {
  return {
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
  };
}

/** A refresh token, RFC 6749 section 6. */
export function refreshGrant(refreshToken: string): Grant {
  return { grant_type: "refresh_token", refresh_token: refreshToken };
}
