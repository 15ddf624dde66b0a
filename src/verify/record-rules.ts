import type { ServerProbe } from "../authorization-server/probe.ts";
import {
  readTokenResponse,
  type TokenResponse,
} from "../authorization-server/protocol/token-request.ts";
import type { PlannedCase } from "../engine/plan.ts";
import type { Exchange } from "../http/exchange.ts";
import type { ErrorAnswer } from "../probe/errors/error-record.ts";
import type { Finding, FindingOf } from "../probe/finding.ts";
import { inWords } from "../probe/phrase.ts";
import type { Probe } from "../probe/probe.ts";
import { sideOf } from "../probe/rule.ts";
import type { Client } from "../profile/authorization-server.ts";
import type { Target } from "../profile/target.ts";
import { isSamePhrase } from "./compare.ts";
import type { CheckedCase, ReplayContext } from "./context.ts";
import { clientOf } from "./good-requests.ts";
import { type Missing, onlyRecorded } from "./missing.ts";
import { errorIn } from "./recorded-answers.ts";
import { TOKEN } from "./recorded-exchanges.ts";
import { isWhole, serverAnswer } from "./server-record.ts";
import type { Note } from "./verification.ts";

/**
 * The recorded error answers that the rules about all answers have judged: those of cases that ran before
 * these rules, if they are recorded whole.
 */
export function recordedErrors({ exchanges, cases }: ReplayContext): ErrorAnswer[] {
  return [...exchanges.values()].flatMap((exchange) => {
    const sender = cases.get(exchange.caseId);
    return sender && sender.phase !== "record" ? (errorIn(exchange) ?? []) : [];
  });
}

/** What a case finds with these members of its probe; `undefined` where it needs more. */
async function judgedBy<P extends object>(
  testCase: PlannedCase["testCase"],
  members: Partial<P>,
  missing?: Missing,
): Promise<Finding | undefined> {
  try {
    return await testCase.judge(onlyRecorded<P>(members, missing));
  } catch {
    return undefined;
  }
}

/** What a rule about all answers finds in these; `undefined` where it needs more. */
export function judgedOfErrors(
  { planned: { testCase }, context: { facts, report } }: CheckedCase,
  errors: readonly ErrorAnswer[],
): Promise<Finding | undefined> {
  return judgedBy<Probe>(testCase, {
    target: facts,
    seed: report.seed,
    confirming: false,
    seen: onlyRecorded<Probe["seen"]>({ errors }),
    // Provoked errors are already recorded.
    use: () => Promise.resolve(undefined as never),
  });
}

/** Notes a recorded answer that contradicts a pass. */
function noteContradiction({ actual, evidence }: FindingOf<"fail">, note: Note): void {
  const [wrong = ""] = evidence?.probes ?? [];
  note("/outcome", `the recorded answer ${wrong} contradicts it: ${inWords(actual)}`);
}

/**
 * Notes where a rule about all answers has passed although a recorded answer violates it, and where it has
 * failed although the answers that it names do not violate it.
 * @returns whether it was judged again by all answers that it counts
 */
export async function checkRecorded(
  checked: CheckedCase,
  errors: readonly ErrorAnswer[],
): Promise<boolean> {
  const { planned, one, context, note } = checked;
  const { facts, exchanges } = context;
  const { phase, level, testCase } = planned;
  if (phase !== "record" || level === "OBSERVE" || testCase.operation === undefined) return false;
  const judge = (answers: readonly ErrorAnswer[]): Promise<Finding | undefined> =>
    judgedOfErrors(checked, answers);
  if (one.outcome === "pass") {
    const found = await judge(errors);
    if (found?.kind === "pass") return isSamePhrase(one.reason, found.reason);
    if (found?.kind !== "fail") return false;
    noteContradiction(found, note);
    return true;
  }
  if (one.outcome !== "fail" && one.outcome !== "warn") {
    // Two tries may disagree, and of issued tokens none may be had for a try.
    if (one.code !== undefined || one.blamedOn !== undefined || one.flaky || facts.issued)
      return false;
    const found = await judge(errors);
    if (found?.kind !== "fail") return false;
    note("/outcome", `recorded answers contradict it: ${inWords(found.actual)}`);
    return true;
  }
  const named = one.evidence?.probes ?? [];
  const own = errors.filter(({ exchange }) => named.includes(exchange));
  if (own.length < named.length || !named.every((id) => exchanges.has(id))) return false;
  const found = await judge(own);
  if (found && found.kind !== "fail") note("/outcome", "the answers that it names violate nothing");
  return false;
}

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
