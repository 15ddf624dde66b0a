import {
  isExploredId,
  controlId,
  controlledOperation,
  ruleOfCase,
  SERVER,
  SHARED,
} from "../contract/ids.ts";
import { OPERATION_IDS, OPERATIONS } from "../contract/operations.ts";
import type { PlannedCase } from "../engine/plan.ts";
import type { Exchange } from "../http/exchange.ts";
import { BODY_CHARACTERS } from "../http/recording/record.ts";
import { groupBy } from "../lib/group-by.ts";
import { pointerToken } from "../lib/json-pointer.ts";
import { counted } from "../lib/words.ts";
import { isContractRoute } from "../probe/contract-route.ts";
import { uniqueIn } from "../probe/request.ts";
import { sideOf } from "../probe/rule.ts";
import { isPage } from "../probe/write/budget.ts";
import type { Facts } from "../profile/facts.ts";
import type { Report } from "../report/report.ts";
import { isSameText } from "./compare.ts";
import type { ReplayContext } from "./context.ts";
import { isLetIn } from "./recorded-exchanges.ts";
import type { Note } from "./verification.ts";

/** Times are rounded to milliseconds. */
const ROUNDED_MS = 2;
/** The field that names the sender of a request. */
const SENDER_FIELD = "conformance-case";

/** Notes where the exchanges of a report cannot all belong to one run of its plan. */
export function checkCourse({ report, facts, cases, exchanges }: ReplayContext, note: Note): void {
  checkTimes(report, note);
  const sideOfSender = sendersOf(facts, cases);
  const origins = originsOf(report, facts);
  for (const [name, exchange] of exchanges) {
    const told: Note = (where, what) => note(`/exchanges/${pointerToken(name)}${where}`, what);
    const { caseId, id, request } = exchange;
    const side = sideOfSender(caseId);
    if (side === undefined && !isExploredId(caseId))
      told("/caseId", "the plan has nothing that sends requests as this");
    if (!id.startsWith(caseId)) told("/id", `no request of ${caseId} has this id`);
    checkRoute(exchange, facts, told);
    checkLength(exchange, told);
    if (side === "authorization-server") checkOrigin(exchange, origins, told);
    if (side !== "receiver") continue;
    if (!request.url.startsWith(facts.origin))
      told("/request/url", `it is not below ${facts.origin}`);
    checkSenderField(exchange, cases.get(caseId), facts, told);
  }
  checkWrites(report, note);
  checkLeftBehind(report, note);
}

/** Notes the first exchange outside the time of the run. If its time is wrong, all of them are. */
function checkTimes({ startedAt, durationMs, waitedMs = 0, exchanges }: Report, note: Note): void {
  if (waitedMs > durationMs + ROUNDED_MS) note("/waitedMs", "the run was shorter");
  const began = Date.parse(startedAt);
  const ended = began + durationMs + ROUNDED_MS;
  const outside = Object.keys(exchanges).filter((name) => {
    const one = exchanges[name];
    const from = Date.parse(one?.startedAt ?? "");
    return from < began || from + (one?.durationMs ?? 0) > ended;
  });
  const [name] = outside;
  if (name === undefined) return;
  note(
    `/exchanges/${pointerToken(name)}/startedAt`,
    `the run lasted from its \`startedAt\` for \`durationMs\`, which excludes ${counted(outside.length, "exchange")}`,
  );
}

/**
 * A function that tells the side to which a sender sends its requests: a case of the plan, a control, or what several
 * cases share. It returns `undefined` for a sender that the plan does not have.
 */
function sendersOf(
  { authorizationServer }: Facts,
  planned: ReadonlyMap<string, PlannedCase>,
): (caseId: string) => "receiver" | "authorization-server" | undefined {
  const rules = new Map([...planned.values()].map(({ rule }) => [rule.id, sideOf(rule)]));
  const clients = authorizationServer?.clients.map(({ name }) => controlId(name)) ?? [];
  return (caseId) => {
    const owner = ruleOfCase(caseId);
    const side = rules.get(owner);
    if (side !== undefined) return side;
    if (owner === SHARED || controlledOperation(caseId) !== undefined) return "receiver";
    const isServers = owner === SERVER || clients.some((client) => caseId.startsWith(client));
    return isServers && authorizationServer ? "authorization-server" : undefined;
  };
}

/**
 * The origins to which requests of the authorization server's side may go: those of the issuer and the receiver, and those
 * that recorded answers name, as metadata and redirects do.
 */
function originsOf({ exchanges }: Report, { origin, authorizationServer }: Facts): Set<string> {
  const named = Object.values(exchanges).flatMap(({ response }) =>
    [response?.headers["location"] ?? "", response?.body ?? ""].flatMap(
      (text) => text.match(/https?:\/\/[^\s"'<>\\]+/g) ?? [],
    ),
  );
  const urls = [authorizationServer?.issuer ?? "", ...(authorizationServer?.urls ?? []), ...named];
  return new Set([
    origin,
    ...urls.flatMap((url) => (URL.canParse(url) ? [new URL(url).origin] : [])),
  ]);
}

function checkOrigin(
  { request: { url } }: Exchange,
  origins: ReadonlySet<string>,
  note: Note,
): void {
  const origin = URL.canParse(url) ? new URL(url).origin : url;
  if (!origins.has(origin))
    note("/request/url", `neither the profile nor a recorded answer names ${origin}`);
}

/** Rules judge an answer as one of an operation where the request is exactly one of its route. */
function checkRoute({ operation, request }: Exchange, facts: Facts, note: Note): void {
  if (operation === undefined || /\[redacted/.test(request.url)) return;
  const sent = {
    method: request.method,
    path: request.url.slice(facts.origin.length),
    headers: [],
  };
  if (!isContractRoute(facts, OPERATIONS[operation], sent))
    note("/operation", `the request is not one for ${operation}`);
}

/** The length that an answer announces is that of its body, if the body was recorded as it came. A short one is. */
function checkLength({ request, response, redactions = [] }: Exchange, note: Note): void {
  if (!response || response.undecoded || request.method === "HEAD") return;
  const { headers, body, status, truncated } = response;
  const announced = headers["content-length"];
  const isRedacted = redactions.some(({ place }) => place === "response.body");
  const isKnown = (body !== "" || truncated) && status !== 304 && !isRedacted;
  if (!isKnown || announced === undefined || "content-encoding" in headers) return;
  if (!/^\d+$/.test(announced) || /\uFFFD|\[redacted/.test(body)) return;
  const longest = Math.max(Number(announced), JSON.stringify(headers).length);
  // Of a head, more is recorded.
  if (truncated && longest <= BODY_CHARACTERS)
    note("/response/truncated", "nothing so short is cut");
  if (!truncated && Buffer.byteLength(body) !== Number(announced))
    note("/response/body", `the answer announces ${announced} bytes`);
}

/** Every marked request names its sender in a field. */
function checkSenderField(
  { id, caseId, request }: Exchange,
  planned: PlannedCase | undefined,
  facts: Facts,
  note: Note,
): void {
  if (Object.keys(facts.request.headers).includes(SENDER_FIELD)) return;
  const unmarked = planned?.testCase.control?.unmarked ?? id.includes("-unmarked");
  const [, sender] = request.headers.find(([name]) => name === SENDER_FIELD) ?? [];
  if (sender === undefined ? !unmarked : !isSameText(sender, caseId)) {
    note("/request/headers", `the field ${SENDER_FIELD} does not name ${caseId}, which sent it`);
  }
}

/** Notes fewer writes than the recorded ones. */
function checkWrites({ writes, exchanges }: Report, note: Note): void {
  for (const id of OPERATION_IDS.filter((one) => OPERATIONS[one].writes)) {
    const accepted = Object.values(exchanges).filter(
      (exchange) => exchange.operation === id && hasWritten(exchange),
    );
    if (accepted.length > (writes[id] ?? 0)) {
      note(`/writes/${id}`, `${accepted.length} accepted writes are recorded`);
    }
  }
}

/** Notes recorded writes that are not listed as left behind, and more listed ones than were counted. */
function checkLeftBehind({ plan, writes, exchanges, leftBehind = [] }: Report, note: Note): void {
  const listed = new Map(leftBehind.map(({ value, operation }) => [value, operation]));
  for (const [name, exchange] of Object.entries(exchanges)) {
    const value = uniqueIn(exchange.request.body ?? "");
    if (exchange.operation === undefined || value === undefined || !hasWritten(exchange)) continue;
    const operation = listed.get(value);
    if (operation === exchange.operation) continue;
    // Where the body of a write is a pack's own, its value stands there and not in the list.
    const isOwn = ({ operation: of, value: named }: (typeof leftBehind)[number]): boolean =>
      of === exchange.operation && named === undefined;
    if (plan.pack !== undefined && operation === undefined && leftBehind.some(isOwn)) continue;
    const how = operation === undefined ? "not listed" : `listed as one of ${operation}`;
    note("/leftBehind", `the write ${name} is recorded and ${how}`);
  }
  for (const [id, some] of groupBy(leftBehind, ({ operation }) => operation)) {
    if (some.length > (writes[id] ?? 0)) note("/leftBehind", `${some.length} of ${id} are listed`);
  }
}

/** Whether a recorded write surely counts: a run does not count pages for browsers that answer bad requests. */
function hasWritten(exchange: Exchange): boolean {
  const { response } = exchange;
  if (response && isPage(response)) return false;
  return isLetIn(exchange);
}
