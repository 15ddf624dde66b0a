import { undecided, violation } from "../../../src/authorization-server/finding.ts";
import type { ServerProbe } from "../../../src/authorization-server/probe.ts";
import type { TokenResponse } from "../../../src/authorization-server/protocol/token-request.ts";
import {
  describeResponse,
  isUnclear,
} from "../../../src/authorization-server/protocol/token-response.ts";
import type { IssuedToken } from "../../../src/authorization-server/tokens/issued.ts";
import type { Scope } from "../../../src/contract/operations.ts";
import { endCase, Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Client } from "../../../src/profile/authorization-server.ts";
import { observeBoth } from "./code-life.ts";

// Refresh tokens from flows of their own, and what becomes of one that is used more than once, RFC 9700 section 4.14.2.

/** A new token with a refresh token, from its own flow. */
export async function refreshable(
  probe: ServerProbe,
  client: Client,
  scopes: readonly Scope[] = client.scopes,
): Promise<IssuedToken> {
  const none = Finding.notApplicable(phrase`the flow returns no refresh token`);
  // The first token shows this without another consent.
  if ((await probe.token(client)).response.refreshToken === undefined) endCase(none);
  const token = await probe.freshToken(client, scopes);
  return token.response.refreshToken === undefined ? endCase(none) : token;
}

/** The finding for a good refresh request that gave no token. */
export function unrefreshed(response: TokenResponse): Finding {
  const reason = phrase`a refresh token gave no token: ${describeResponse(response)}`;
  return Finding.inconclusive(reason, { probes: [response.exchange] });
}

/** Observes whether a refresh token can be used again. */
export async function observeRefreshAgain(probe: ServerProbe, client: Client): Promise<Finding> {
  const original = await refreshable(probe, client);
  const { refreshToken = "" } = original.response;
  const once = await probe.refreshed(original);
  if (once.accessToken === undefined) return unrefreshed(once);
  const again = await probe.refresh(client, refreshToken);
  const rotated = once.refreshToken !== undefined && once.refreshToken !== refreshToken;
  const value = phrase`${rotated ? "the server replaces it after use" : "it stays the same"}; used again: ${describeResponse(again)}`;
  return Finding.observed(value, { probes: [once.exchange, again.exchange] });
}

/** Observes what happens when a refresh token is used twice at the same time. */
export async function observeRefreshRace(probe: ServerProbe, client: Client): Promise<Finding> {
  const { refreshToken = "" } = (await refreshable(probe, client)).response;
  const both = await Promise.all([
    probe.refresh(client, refreshToken),
    probe.refresh(client, refreshToken),
  ]);
  return observeBoth(both);
}

/**
 * Judges that a refresh token of a client without a secret is replaced when it is used, or is good once. Whether one
 * that was replaced stays valid for a while is open: clients may lose an answer.
 */
export async function judgeRotation(probe: ServerProbe, client: Client): Promise<Finding> {
  const original = await refreshable(probe, client);
  const { refreshToken = "" } = original.response;
  const once = await probe.refreshed(original);
  if (once.accessToken === undefined) return unrefreshed(once);
  const isReplaced = once.refreshToken !== undefined && once.refreshToken !== refreshToken;
  if (isReplaced) return Finding.pass({ probes: [once.exchange] });
  const again = await probe.refresh(client, refreshToken);
  const evidence = { probes: [once.exchange, again.exchange] };
  if (isUnclear(again)) return undecided(again, evidence);
  if (again.accessToken === undefined) return Finding.pass(evidence);
  return violation(
    phrase`the refresh token stays the same, and gives another access token`,
    phrase`a new refresh token comes with the access token, or the old one is refused`,
    evidence,
  );
}
