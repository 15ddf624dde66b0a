import { controlId } from "../../contract/ids.ts";
import { type Evidence, Finding } from "../../probe/finding.ts";
import { phrase, type Phrase } from "../../probe/phrase.ts";
import type { Client } from "../../profile/authorization-server.ts";
import { type Failed, wrongAnswer } from "../protocol/failed.ts";
import type { TokenResponse } from "../protocol/token-request.ts";
import { describeResponse, isUnclear } from "../protocol/token-response.ts";
import type { IssuedToken, IssuedTokens } from "./issued.ts";

/** The working flows of a run, one for each client. */
export interface FlowControls {
  /**
   * The token of a client's working flow, which is determined once. A refusal proves something only beside a flow that
   * returned a token.
   */
  of(client: Client): Promise<IssuedToken | Failed>;
  /** Repeats the flow of a control after the probes that rest on it. */
  repeat(
    control: IssuedToken,
    label: string,
  ): Promise<{ exchange: string } | { refused: string; exchange?: string }>;
}

/** Creates the working flows of a run. It sends nothing until the first one is asked for. */
export function createFlowControls(tokens: IssuedTokens): FlowControls {
  const controls = new Map<string, Promise<IssuedToken | Failed>>();
  return {
    of(client) {
      const control = controls.get(client.name) ?? tokens.get(client);
      controls.set(client.name, control);
      return control;
    },
    async repeat({ client }, label) {
      controls.delete(client.name);
      const got = await tokens.fresh(controlId(`${client.name}-${label}`), client);
      return "failed" in got ? { refused: got.failed } : { exchange: got.exchange };
    },
  };
}

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
