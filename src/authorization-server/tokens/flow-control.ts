import { controlId } from "../../contract/ids.ts";
import type { Evidence, Finding } from "../../probe/finding.ts";
import { phrase, type Phrase } from "../../probe/phrase.ts";
import type { Client } from "../../profile/authorization-server.ts";
import { type Failed, wrongAnswer } from "../protocol/failed.ts";
import type { TokenResponse } from "../protocol/token-request.ts";
import { describeResponse, isUnclear } from "../protocol/token-response.ts";
import type { IssuedToken, IssuedTokens } from "./issued.ts";

/** A flow that returned a token. A refusal proves something only beside one. */
export interface FlowControl {
  readonly client: Client;
  readonly token: IssuedToken;
}

/** The working flows of a run, one for each client. */
export interface FlowControls {
  /** A client's working flow: the one that returned its first token. It is determined once. */
  of(client: Client): Promise<FlowControl | Failed>;
  /** Repeats the flow of a control after the probes that rest on it. */
  repeat(
    control: FlowControl,
    label: string,
  ): Promise<{ exchange: string } | { refused: string; exchange?: string }>;
}

/** Creates the working flows of a run. It sends nothing until the first one is asked for. */
export function createFlowControls(tokens: IssuedTokens): FlowControls {
  const controls = new Map<string, Promise<FlowControl | Failed>>();

  async function find(client: Client): Promise<FlowControl | Failed> {
    const token = await tokens.get(client);
    return "failed" in token ? token : { client, token };
  }

  return {
    of(client) {
      const control = controls.get(client.name) ?? find(client);
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
  if (!("failed" in got)) return { kind: "pass", evidence: { probes: [got.exchange] } };
  const { failed, wrong } = got;
  if (wrong === undefined) {
    return { kind: "inconclusive", reason: phrase`${noToken(client)}: ${failed}` };
  }
  return wrongAnswer(failed, wrong);
}

/**
 * Judges that a token request was refused: it returned no token, whatever the status.
 * @param expected what should have happened
 */
export function refusal(response: TokenResponse, control: FlowControl, expected: Phrase): Finding {
  const { exchange } = response.answer.reply;
  const evidence: Evidence = { probes: [exchange.id], controls: [control.token.exchange] };
  const actual = phrase`${describeResponse(response)}`;
  if (response.accessToken !== undefined) return { kind: "fail", expected, actual, evidence };
  if (isUnclear(response)) return { kind: "inconclusive", reason: actual, evidence };
  return { kind: "pass", evidence };
}
