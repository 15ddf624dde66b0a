import { controlledOperation } from "../contract/ids.ts";
import { type OperationId, OPERATIONS } from "../contract/operations.ts";
import type { Exchange } from "../http/exchange.ts";
import { pointerToken } from "../lib/json-pointer.ts";
import { composeRequest } from "../probe/compose.ts";
import { type PathParams, seededUuid, withoutMarks } from "../probe/request.ts";
import type { Facts } from "../profile/facts.ts";
import { draftToken } from "../tokens/draft.ts";
import { differencesOf } from "./compare-request.ts";
import type { ReplayContext } from "./context.ts";
import { formOf, secondsAhead, secondsOf, SKEW_SECONDS } from "./good-form.ts";
import { placeIn } from "./recorded-exchanges.ts";
import type { Note } from "./verification.ts";

/** Notes where a recorded control is not the good request of its operation, composed as a run does it. */
export async function checkControls(context: ReplayContext, note: Note): Promise<void> {
  const { report, facts, exchanges } = context;
  const claims = report.rules.find(({ id }) => id === ISSUED_CLAIMS);
  const clocks = clocksOf([...exchanges.values()]);
  for (const [name, exchange] of exchanges) {
    const id = controlledOperation(exchange.caseId);
    if (id === undefined) continue;
    const where = `/exchanges/${pointerToken(name)}/request`;
    if (isRedacted(exchange, facts)) note(`${where}/token`, "it redacts what the plan says openly");
    // A forged plan may be one of which no token can be made.
    for (const part of await otherParts(exchange, id, context).catch(() => ["form"]))
      note(where, `a good request of ${id} has another ${part}`);
    if (!facts.issued) checkTimes(exchange, clocks, (within, what) => note(where + within, what));
    else if (claims?.outcome === "pass")
      checkIssuedToken(exchange, facts, (within, what) => note(where + within, what));
  }
}

/** Whether a token lacks what the facts show, and no secret claim of the profile takes its place. */
function isRedacted({ request: { token } }: Exchange, { issued, testIssuer }: Facts): boolean {
  const { iss, aud, sub } = { ...token?.claims, ...testIssuer.claims };
  const { kid, alg } = { ...token?.header, ...testIssuer.header };
  return !issued && /\[redacted/.test(JSON.stringify([iss, aud, sub, kid, alg]));
}

/** In what a control is otherwise than the good request of its form, as phrases. */
async function otherParts(
  exchange: Exchange,
  id: OperationId,
  { report, facts, target, made }: ReplayContext,
): Promise<string[]> {
  const operation = OPERATIONS[id];
  const form = formOf(exchange, facts);
  const { primary, other } = facts.organizations;
  const own: PathParams = placeIn(exchange, operation, facts) ?? {};
  // A request that looks for the ETag of an organization may be for another one.
  const isAny = primary === undefined || exchange.id.includes("-etag~");
  const place: PathParams = {
    ...own,
    ...(operation.organization && !isAny && { organization: primary }),
  };
  const organization = place.organization ?? primary;
  const uuid = (label: string): string => seededUuid(report.seed, label);
  const composed = await composeRequest({
    context: { target, operation, form, organization, otherOrganization: other, uuid },
    place,
    draft: draftToken(target, operation, form, organization),
  });
  const { request, token, note: tokenNote } = composed;
  const spec = exchange.id.includes("-unmarked") ? withoutMarks(request) : request;
  const drafted = { at: secondsOf(exchange), keepsIssueTime: true };
  const expected = made({ caseId: exchange.caseId, spec, token, tokenNote });
  return differencesOf(expected, exchange, facts.issued ? undefined : drafted);
}

/** The rule that judges the claims of issued tokens. */
const ISSUED_CLAIMS = "authorization-server.claims";

/** Where the claims of all issued tokens passed, a control's token has them too. */
function checkIssuedToken(
  { request: { token } }: Exchange,
  { audience, authorizationServer }: Facts,
  note: Note,
): void {
  const { iss, aud } = token?.claims ?? {};
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (authorizationServer && iss !== authorizationServer.issuer)
    note("/token/claims/iss", `the authorization server is ${authorizationServer.issuer}`);
  if (!audiences.includes(audience)) note("/token/claims/aud", `the audience is ${audience}`);
}

/** A control's token must be valid when it is sent, by the clock of the suite or by that of the answer. */
function checkTimes(exchange: Exchange, clocks: ReturnType<typeof clocksOf>, note: Note): void {
  const { iat, exp } = exchange.request.token?.claims ?? {};
  const now = Date.parse(exchange.startedAt) / 1000;
  const isOver = Number(exp) <= now + clocks.slowest - SKEW_SECONDS;
  if (isOver || Number(iat) > now + clocks.fastest + SKEW_SECONDS)
    note("/token/claims/exp", "its times do not fit the time at which it was sent");
}

/** The clocks that good tokens may follow, in seconds ahead of the suite's own: that one, and those of the answers. */
function clocksOf(exchanges: readonly Exchange[]): { slowest: number; fastest: number } {
  const ahead = exchanges.map(secondsAhead);
  return { slowest: Math.min(0, ...ahead), fastest: Math.max(0, ...ahead) };
}
