import type { ServerProbe } from "../../../src/authorization-server/probe.ts";
import type { TokenResponse } from "../../../src/authorization-server/protocol/token-request.ts";
import {
  describeResponse,
  exchangeOf,
} from "../../../src/authorization-server/protocol/token-response.ts";
import type { IssuedToken } from "../../../src/authorization-server/tokens/issued.ts";
import type { Scope } from "../../../src/contract/operations.ts";
import { endCase, type Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Client } from "../../../src/profile/authorization-server.ts";

/** A new token with a refresh token, from its own flow. */
export async function refreshable(
  probe: ServerProbe,
  client: Client,
  scopes: readonly Scope[] = client.scopes,
): Promise<IssuedToken> {
  const none = {
    kind: "not-applicable",
    reason: phrase`the flow returns no refresh token`,
  } as const;
  // The first token shows this without another consent.
  if ((await probe.token(client)).response.refreshToken === undefined) endCase(none);
  const token = await probe.freshToken(client, scopes);
  return token.response.refreshToken === undefined ? endCase(none) : token;
}

/** The finding for a good refresh request that gave no token. */
export function unrefreshed(response: TokenResponse): Finding {
  const reason = phrase`a refresh token gave no token: ${describeResponse(response)}`;
  return { kind: "inconclusive", reason, evidence: { probes: [exchangeOf(response)] } };
}
