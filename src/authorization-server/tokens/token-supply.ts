import { SCOPES, type Scope } from "../../contract/operations.ts";
import type { AuthorizationServer, Client } from "../../profile/authorization-server.ts";
import type { Target, TokenCommand } from "../../profile/target.ts";
import { type AskedToken, clientsFor } from "../../tokens/issuing-clients.ts";
import type { Failed } from "../protocol/failed.ts";
import {
  isOver,
  type IssuedToken,
  type IssuedTokens,
  type ReadToken,
  readToken,
} from "./issued.ts";
import { type NoneGiven, runTokenCommand } from "./token-command.ts";

/** An issued access token, as far as it can be read. */
export interface SuppliedToken extends ReadToken {
  /** The client that got it; absent where the profile's command printed it. */
  readonly client?: Pick<Client, "name"> | undefined;
}

/** A source of issued tokens. It returns ways to get a token as requested, the best first. */
export type TokenSupply = (
  asked: AskedToken,
) => readonly (() => Promise<SuppliedToken | NoneGiven>)[];

/** Gets tokens from the clients of the authorization server. Does not repeat a refused request. */
export function clientSupply(
  target: Target,
  { narrowing }: AuthorizationServer,
  tokens: IssuedTokens,
): TokenSupply {
  const refused = new Map<string, Failed>();
  return (asked) =>
    clientsFor(target, asked).map((client) => async () => {
      const scopes = narrowing ? scopesOf(client, asked) : client.scopes;
      const key = `${client.name} ${scopes.join(" ")}`;
      const known = refused.get(key);
      if (known) return known;
      const got =
        asked.fresh && client.flow === "client_credentials"
          ? await tokens.fresh(`authorization-server/token-${client.name}`, client, scopes)
          : await tokens.get(client, scopes);
      if ("failed" in got) refused.set(key, got);
      return got;
    });
}

/** The client's scopes among the requested ones, in a fixed order. */
function scopesOf(client: Client, { scopes }: AskedToken): readonly Scope[] {
  return SCOPES.filter((scope) => scopes.includes(scope) && client.scopes.includes(scope));
}

/** Gets tokens from the profile's command. Keeps each kind of token until it expires. */
export function commandSupply(
  target: Target,
  command: TokenCommand,
  options: { readonly signal?: AbortSignal | undefined },
): TokenSupply {
  type Kept = ReadToken & Pick<IssuedToken, "issuedAtMs">;
  const kept = new Map<string, Promise<Kept | NoneGiven>>();
  return ({ scopes, organization, denied }) => [
    async () => {
      const subject = (denied ? target.denied?.subject : undefined) ?? target.subject;
      const request = { scopes, organization, subject };
      const key = JSON.stringify(request);
      const known = kept.get(key);
      if (known) {
        const got = await known;
        if ("failed" in got || !isOver(got)) return got;
      }
      // Another caller that waited may have run the command by now.
      const current = kept.get(key);
      if (current && current !== known) return current;
      const fresh = runTokenCommand(command, request, options).then((got) =>
        "failed" in got ? got : { ...readToken(got.token), issuedAtMs: Date.now() },
      );
      kept.set(key, fresh);
      return fresh;
    },
  ];
}
