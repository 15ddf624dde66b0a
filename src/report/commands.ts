import { idInRule, sideOfId } from "../contract/ids.ts";
import { OPERATIONS, type OperationId } from "../contract/operations.ts";
import type { Exchange } from "../http/exchange.ts";
import { counted } from "../lib/words.ts";
import type { Difference } from "../probe/difference/difference.ts";
import { curlCommand, foldCommand } from "./curl.ts";
import { controlOf, lastProbe } from "./evidence.ts";
import type { Report, ReportCase } from "./report.ts";

/** Starts the command where npm has installed it, and downloads nothing. */
export const INSTALLED: readonly string[] = ["npx", "--no-install", "orgsync-conformance"];

/**
 * The arguments of the command that runs one case of a report again, on the same deployment with the same inputs. It
 * replaces no report. They come in two parts, between which the id of the case belongs.
 */
export function replayParts({
  target: { told = [], report = "report.json", command = INSTALLED },
}: Report): {
  readonly head: readonly string[];
  readonly tail: readonly string[];
} {
  return { head: [...command, "replay", report], tail: told };
}

export function again(report: Report, { id }: ReportCase): string[] {
  const { head, tail } = replayParts(report);
  return [...head, id, ...tail];
}

/**
 * The shell commands that send the deciding request of a case again. They run as they stand: a new access token is made first.
 * @param headers the header lines to send; default: all that were sent
 * @returns an empty list where no command can send it: the receiver ended with the run, or the request is one to the
 * authorization server, whose codes and secrets are used up or unknown
 */
export function byHand(
  report: Report,
  one: ReportCase,
  headers: (request: Exchange["request"]) => Exchange["request"]["headers"] = (request) =>
    request.headers,
): string[] {
  const exchange = lastProbe(report, one);
  if (!exchange || report.target.embedded || sideOfId(one.id) === "authorization-server") return [];
  const { request } = exchange;
  const curl = curlCommand({ request: { ...request, headers: headers(request) } });
  const times = 1 + answersBefore(report, exchange).length;
  const sent = times === 1 ? curl : [`for n in ${countTo(times)}; do`, ...curl, "echo", "done"];
  return sendingWith(tokenCommand(report, one, exchange), sent);
}

/** Leaves room for what stands around the command. */
const TOKEN_COLUMNS = 84;

/**
 * The commands that send a request with a new token, if they send one at all.
 * @param token the words of the command that prints the token
 * @param sent the commands that send the request, with the token in `TOKEN`
 */
export function sendingWith(token: readonly string[], sent: readonly string[]): string[] {
  if (!sent.some((line) => line.includes("$TOKEN"))) return [...sent];
  const folded = foldCommand(token, TOKEN_COLUMNS);
  const [first] = folded;
  const others = folded
    .slice(1)
    // A word that is broken goes on at the start of the line.
    .map((line, at) => (folded[at]?.endsWith(" \\") ? `  ${line}` : line));
  const lines = [`TOKEN=$(${first}`, ...others];
  return [...lines.slice(0, -1), `${lines.at(-1)}) &&`, ...sent];
}

const MOST_ANSWERS = 12;

/**
 * What every request of a case was answered, in the order of sending, where one request alone does not show what the case
 * found. `undefined` where it does.
 */
export function answersInOrder(report: Report, one: ReportCase): string | undefined {
  const own = Object.values(report.exchanges)
    .filter(({ caseId }) => caseId === one.id)
    .toSorted(bySending);
  const kinds = new Set(
    own.map(({ request: { method, url }, response }) => [method, url, response?.status].join(" ")),
  );
  if (kinds.size < 2) return undefined;
  const answers = own.map((exchange) => exchange.response?.status ?? "none");
  const more = answers.length - MOST_ANSWERS;
  const told = [...answers.slice(0, MOST_ANSWERS), ...(more > 0 ? [`and ${more} more`] : [])];
  return `The case sent ${counted(own.length, "request")}, answered in this order: ${told.join(", ")}. One request alone may be answered otherwise; replay sends them all.`;
}

/** The answers to the same request with the same token that were different and came before. */
function answersBefore({ exchanges }: Report, last: Exchange): Exchange[] {
  return Object.values(exchanges).filter(
    (one) =>
      one.caseId === last.caseId &&
      bySending(one, last) < 0 &&
      one.response?.status !== last.response?.status &&
      isSameRequest(one, last),
  );
}

/** Whether two requests are equal, except for the token's signature, which no record shows. */
function isSameRequest(a: Exchange, b: Exchange): boolean {
  return JSON.stringify(a.request) === JSON.stringify(b.request);
}

function bySending(a: Exchange, b: Exchange): number {
  return Date.parse(a.startedAt) - Date.parse(b.startedAt) || numberOf(a) - numberOf(b);
}

/** The number of an exchange among those of its case. */
function numberOf({ id }: Exchange): number {
  return Number(/~(\d+)$/.exec(id)?.[1] ?? 0);
}

function countTo(most: number): string {
  return Array.from({ length: most }, (_, at) => at + 1).join(" ");
}

/** The parts of a request that are its token, and not how it is sent. */
const OF_THE_TOKEN: ReadonlySet<Difference["part"]> = new Set([
  "header",
  "claim",
  "segments",
  "encoding",
  "text",
  "signature",
]);

/** The command that prints a token like that of an exchange. */
function tokenCommand(report: Report, one: ReportCase, exchange: Exchange): string[] {
  const { command = INSTALLED, told = [] } = report.target;
  const isChanged = (one.evidence?.differences ?? []).some(({ part }) => OF_THE_TOKEN.has(part));
  const operation = exchange.operation ?? one.operation ?? "viewOrganization";
  const what = isChanged ? changedToken(one, exchange) : [`good@${operation}`];
  const form = isChanged ? controlOf(report, one) : exchange;
  return [
    ...command,
    "token",
    ...what,
    // A token is for reading and for writing alike.
    ...told.filter((word) => word !== "--read-only"),
    ...organizationOf(report, exchange),
    ...(form ? formOf(report, operation, form) : []),
    "--quiet",
  ];
}

/** The case, and which of its changes where it makes several. */
function changedToken(one: ReportCase, { request }: Exchange): string[] {
  const mutation = request.token?.mutation;
  const own = idInRule(one.id).split("@", 1)[0];
  return [one.id, ...(mutation === undefined || mutation === own ? [] : ["--mutation", mutation])];
}

/** The organization of the request, where the profile alone does not say it. */
function organizationOf({ plan }: Report, { request }: Exchange): string[] {
  const [, id] = /\/orgs\/([\da-f-]{36})(?:[/?#]|$)/i.exec(request.url) ?? [];
  return id === undefined || id === plan.facts.organizations.primary ? [] : ["--organization", id];
}

/** The form of a good token, where it is not what `token` makes by itself. */
function formOf({ plan }: Report, operation: OperationId, { request }: Exchange): string[] {
  const { header, claims } = request.token ?? {};
  if (!header || !claims) return [];
  const { bindingClaim, issued, testIssuer } = plan.facts;
  const isUnbound = bindingClaim !== undefined && claims[bindingClaim] === undefined;
  const typ = header["typ"] ?? "none";
  // Only the issuer decides it in an issued token.
  const isFree =
    !issued && testIssuer.header["typ"] === undefined && (typ === "at+jwt" || typ === "none");
  return [
    ...(OPERATIONS[operation].organization && isUnbound ? ["--unbound"] : []),
    ...(isFree ? ["--typ", typ] : []),
  ];
}
