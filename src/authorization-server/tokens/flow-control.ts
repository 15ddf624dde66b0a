import { type Evidence, Finding } from "../../probe/finding.ts";
import { phrase, type Phrase } from "../../probe/phrase.ts";
import type { Client } from "../../profile/authorization-server.ts";
import { type Failed, wrongAnswer } from "../protocol/failed.ts";
import type { TokenResponse } from "../protocol/token-request.ts";
import { describeResponse, isUnclear } from "../protocol/token-response.ts";
import type { IssuedToken } from "./issued.ts";

/** The words for a client without a token. */
export function noToken({ name, flow }: Client): string {
  return `the client ${name} got no token by ${flow}`;
}

/**
 * Judges whether a flow gave a token. Only a token shows that the client is registered as the profile says, so a
 * refusal proves nothing. An answer that is neither is wrong for every client.
 */
export function gaveToken(client: Client, got: IssuedToken | Failed): Finding {
  if (!("failed" in got)) return Finding.pass({ probes: [got.exchange] });
  const { failed, wrong } = got;
  return wrong
    ? wrongAnswer(failed, wrong)
    : Finding.inconclusive(phrase`${noToken(client)}: ${failed}`);
}

/**
 * Judges that a token request was refused: it returned no token, whatever the status.
 * @param expected what should have happened; default: that no access token is issued
 */
export function refusal(
  response: TokenResponse,
  control: IssuedToken,
  expected: Phrase = phrase`no access token is issued`,
): Finding {
  const evidence: Evidence = { probes: [response.exchange], controls: [control.exchange] };
  const actual = phrase`${describeResponse(response)}`;
  if (response.accessToken !== undefined) return { kind: "fail", expected, actual, evidence };
  return isUnclear(response) ? Finding.inconclusive(actual, evidence) : Finding.pass(evidence);
}
