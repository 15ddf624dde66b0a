import { SECOND_TRIES, tryAgain } from "../../http/second-tries.ts";
import type { AuthorizationServer, Client } from "../../profile/authorization-server.ts";
import { type AuthenticationForm, formsOf } from "./client-authentication.ts";
import type { Failed } from "./failed.ts";
import type { Grant } from "./grants.ts";
import { type Endpoints, whyUnknown } from "./metadata.ts";
import type { Origins } from "./origins.ts";
import { requestToken, type TokenRequestChange, type TokenResponse } from "./token-request.ts";
import { isUnauthenticated } from "./token-response.ts";

/** The token endpoint, used in the form of client authentication that each client turns out to need. */
export interface TokenEndpoint {
  /**
   * Sends a token request. A client that was never accepted, and is refused as unauthenticated, is tried in its other
   * form too. A refusal of a changed request says nothing about the form.
   * @param name the case that sends the request
   * @param grant the parameters of the grant, RFC 6749 section 4
   * @returns the response, or why nothing was sent
   * @throws Interrupted
   */
  request(
    name: string,
    client: Client,
    grant: Grant,
    change?: TokenRequestChange,
  ): Promise<TokenResponse | Failed>;
  /** Whether a refused client will next authenticate in another form; true only the first time. */
  mayRetry(client: Client): boolean;
  readonly responses: readonly TokenResponse[];
  /** The form in which each client authenticates, by name, as far as it is known. */
  readonly forms: Map<string, AuthenticationForm>;
}

/** Creates the use of a server's token endpoint. It sends nothing until the first request. */
export function createTokenEndpoint(
  server: AuthorizationServer,
  origins: Origins,
  endpoints: () => Promise<Endpoints>,
): TokenEndpoint {
  const forms = new Map<string, AuthenticationForm>();
  /** Clients whose code was spent in a form that they do not authenticate in. */
  const misread = new Set<string>();
  const responses: TokenResponse[] = [];

  return {
    async request(name, client, grant, change) {
      const known = await endpoints();
      const { token: tokenUrl } = known;
      if (tokenUrl === undefined) return { failed: whyUnknown(known, "token_endpoint") };
      const at = { server, tokenUrl, origins };
      const form = forms.get(client.name);
      const [first, ...others] = form ? [form] : formsOf(client);
      if (!first) return { failed: "the client has no way to authenticate" };
      const response = await requestToken(name, at, client, grant, first, change);
      responses.push(response);
      if (response.accessToken !== undefined) forms.set(client.name, first);
      // Only a client that was never accepted may need another form.
      if (change !== undefined || !isUnauthenticated(response)) return response;
      const [second] = others.slice(0, SECOND_TRIES.otherForm.times);
      if (second && grant["code"] !== undefined) {
        // A code can be used only once.
        forms.set(client.name, second);
        misread.add(client.name);
        return response;
      }
      const last = await tryAgain(
        SECOND_TRIES.otherForm,
        response,
        isUnauthenticated,
        async (refused, further) => {
          const other = others[further - 1];
          if (!other) return refused;
          const again = await requestToken(name, at, client, grant, other);
          responses.push(again);
          if (again.accessToken !== undefined) forms.set(client.name, other);
          return again;
        },
        (ms) => origins.wait(tokenUrl, ms),
      );
      return last.accessToken === undefined ? response : last;
    },
    mayRetry: ({ name }) => misread.delete(name),
    responses,
    forms,
  };
}
