import type { ServerProbe } from "../../../src/authorization-server/probe.ts";
import type { IssuedToken } from "../../../src/authorization-server/tokens/issued.ts";
import { SCOPES } from "../../../src/contract/operations.ts";
import type { Client } from "../../../src/profile/authorization-server.ts";
import { canNarrow } from "./granted-scopes.ts";

// The tokens of a client after its first one: for other scopes, of refresh tokens, after an error.

/**
 * A client's tokens for the receiver after its first one. Asks for the kinds that no case has asked for.
 * Rules of the phase `record` have most of them.
 */
export async function furtherTokens(
  probe: ServerProbe,
  client: Client,
): Promise<readonly IssuedToken[]> {
  const first = await probe.token(client);
  await probe.shared(askForOthers, client);
  return probe.issued.filter(
    (one) => one.client.name === client.name && one !== first && isForReceiver(one),
  );
}

/**
 * The token for the refresh token of the client's own token, which no case misuses. For `probe.shared`, because
 * a server may take a second use for theft.
 * @returns `undefined` where no refresh token gives one
 */
export async function refreshFirst(
  probe: ServerProbe,
  client: Client,
): Promise<IssuedToken | undefined> {
  const first = await probe.token(client);
  if (first.response.refreshToken === undefined) return undefined;
  await probe.refreshed(first);
  return probe.issued.findLast(({ refreshed }) => refreshed === first);
}

/** What a token was issued for, as the end of a sentence. */
export function originOf({ askedWords, refreshed }: IssuedToken): string {
  if (refreshed) return "the token for a refresh token";
  return askedWords === "" ? "a token for no scope" : `a token for ${askedWords}`;
}

/**
 * Whether a token is for the receiver. A server may answer a request without scopes, or for scopes that the client
 * is not registered for, by a token that permits nothing there, and that need not have its audience.
 */
function isForReceiver({ asked, claims: { scope }, client }: IssuedToken): boolean {
  // A token for registered scopes may fail to state them, or state them in another form.
  const isForRegistered = asked.length > 0 && asked.every((one) => client.scopes.includes(one));
  if (typeof scope !== "string" && isForRegistered) return true;
  const words = [scope]
    .flat()
    .flatMap((one) => (typeof one === "string" ? one.split(/[\s,]+/) : []));
  return SCOPES.some((one) => words.includes(one));
}

/** Asks for tokens of the kinds that no case has asked for. A server may refuse them. */
async function askForOthers(probe: ServerProbe, client: Client): Promise<void> {
  const issued = probe.issued.filter((one) => one.client.name === client.name);
  if (client.flow === "client_credentials") {
    const [only] = client.scopes;
    const sets = [canNarrow(probe.server, client) && only ? [only] : client.scopes, []];
    for (const scopes of sets) {
      const isKnown = issued.some(({ asked }) => asked.length === scopes.length);
      if (!isKnown) await probe.tryToken(client, scopes);
    }
    return;
  }
  if (!issued.some(({ refreshed }) => refreshed)) await probe.shared(refreshFirst, client);
}
