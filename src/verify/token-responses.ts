import type { ServerProbe } from "../authorization-server/probe.ts";
import {
  readTokenResponse,
  type TokenResponse,
} from "../authorization-server/protocol/token-request.ts";
import type { Exchange } from "../http/exchange.ts";
import { sideOf } from "../probe/rule.ts";
import type { Client } from "../profile/authorization-server.ts";
import type { Target } from "../profile/target.ts";
import type { CheckedCase, ReplayContext } from "./context.ts";
import { judgedBy, noteContradiction } from "./errors.ts";
import { clientOf } from "./issued.ts";
import { isWhole, serverAnswer } from "./server-answer.ts";
import { TOKEN } from "./server-request.ts";

/**
 * The recorded answers of the token endpoint that the rules about all of them have judged: those to cases that ran before these
 * rules, and the first one of each client.
 */
export function recordedResponses({ facts, exchanges, cases }: ReplayContext): TokenResponse[] {
  const { clients = [] } = facts.authorizationServer ?? {};
  return [...exchanges.values()].flatMap((exchange): TokenResponse[] => {
    const { caseId, id, response } = exchange;
    const good =
      id.startsWith(TOKEN) && id.endsWith("~1") ? clientOf(exchange, clients) : undefined;
    const sender = cases.get(caseId);
    const isBefore = sender !== undefined && sender.phase !== "record";
    const client = good ?? clients.find(({ name }) => isBefore && name === sender.testCase.client);
    if (!client || !response) return [];
    const answered = responseIn(exchange, client, good !== undefined);
    return answered ? [answered] : [];
  });
}

/** An answer of the token endpoint; `undefined` where it is none, or is not recorded whole but for its tokens. */
function responseIn(
  exchange: Exchange,
  client: Client,
  isGood: boolean,
): TokenResponse | undefined {
  const { method, headers, body = "" } = exchange.request;
  const form = new URLSearchParams(body);
  if (method !== "POST" || !form.has("grant_type") || !isWhole(exchange)) return undefined;
  // What is redacted in both is not the same.
  const redacted = [...form].filter(([, value]) => value.includes("[redacted"));
  for (const [name] of redacted) form.delete(name);
  const basic = headers.some(([name]) => name === "authorization");
  const request = { client, basic, form, isForm: true, isGood };
  return readTokenResponse(serverAnswer(exchange), request);
}

/** Notes where a rule about all answers of the token endpoint has passed although a recorded one violates it. */
export async function checkResponses(
  { planned: { phase, rule, testCase }, one: { outcome }, context: { facts }, note }: CheckedCase,
  responses: readonly TokenResponse[],
): Promise<void> {
  if (phase !== "record" || outcome !== "pass" || sideOf(rule) === "receiver") return;
  const server = facts.authorizationServer;
  if (!server) return;
  const members: Partial<ServerProbe> = {
    target: facts as Target,
    server,
    responses,
    token: () => Promise.resolve(undefined as never),
  };
  const found = await judgedBy(testCase, members, "server");
  if (found?.kind === "fail") noteContradiction(found, note);
}
