import type { ServerProbe } from "../../../src/authorization-server/probe.ts";
import {
  describeResponse,
  exchangeOf,
  isUnclear,
} from "../../../src/authorization-server/protocol/token-response.ts";
import type { Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Client } from "../../../src/profile/authorization-server.ts";
import { refreshable, unrefreshed } from "./refreshable.ts";

// A refresh token that is used more than once, RFC 9700 section 4.14.2.

/** Observes whether a refresh token can be used again. */
export async function observeRefreshAgain(probe: ServerProbe, client: Client): Promise<Finding> {
  const original = await refreshable(probe, client);
  const { refreshToken = "" } = original.response;
  const once = await probe.refreshed(original);
  if (once.accessToken === undefined) return unrefreshed(once);
  const again = await probe.refresh(client, refreshToken);
  const rotated = once.refreshToken !== undefined && once.refreshToken !== refreshToken;
  const value = phrase`${rotated ? "the server replaces it after use" : "it stays the same"}; used again: ${describeResponse(again)}`;
  return { kind: "observed", value, evidence: { probes: [exchangeOf(once), exchangeOf(again)] } };
}

/** Observes what happens when a refresh token is used twice at the same time. */
export async function observeRefreshRace(probe: ServerProbe, client: Client): Promise<Finding> {
  const { refreshToken = "" } = (await refreshable(probe, client)).response;
  const both = await Promise.all([
    probe.refresh(client, refreshToken),
    probe.refresh(client, refreshToken),
  ]);
  const tokens = both.filter(({ accessToken }) => accessToken !== undefined).length;
  const [one, other] = both.map(describeResponse);
  const value = phrase`${tokens} of 2 requests got a token: ${one}; ${other}`;
  return { kind: "observed", value, evidence: { probes: both.map(exchangeOf) } };
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
  if (isReplaced) return { kind: "pass", evidence: { probes: [exchangeOf(once)] } };
  const again = await probe.refresh(client, refreshToken);
  const evidence = { probes: [exchangeOf(once), exchangeOf(again)] };
  if (isUnclear(again))
    return { kind: "inconclusive", reason: phrase`${describeResponse(again)}`, evidence };
  if (again.accessToken === undefined) return { kind: "pass", evidence };
  return {
    kind: "fail",
    expected: phrase`a new refresh token comes with the access token, or the old one is refused`,
    actual: phrase`the refresh token stays the same, and gives another access token`,
    evidence,
  };
}
