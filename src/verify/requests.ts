import { isDeepStrictEqual } from "node:util";

import { controlledOperation } from "../contract/ids.ts";
import { type Operation, OPERATIONS } from "../contract/operations.ts";
import { UNJUDGED } from "../engine/judge.ts";
import type { Exchange } from "../http/exchange.ts";
import { pointerToken } from "../lib/json-pointer.ts";
import type { JsonObject } from "../lib/json.ts";
import {
  type Mutation,
  type MutationContext,
  type Patch,
  patchFor,
} from "../mutations/mutation.ts";
import { type Difference, noteToken } from "../probe/difference/difference.ts";
import { pathTemplate, seededUuid, uniqueIn } from "../probe/request.ts";
import { onlyMutation } from "../probe/rule.ts";
import { GREATEST_AGE } from "../probe/token-source.ts";
import type { Facts } from "../profile/facts.ts";
import { AGE_SECONDS } from "../tokens/draft.ts";
import type { CheckedCase, ReplayContext } from "./checked-case.ts";
import { formOf, secondsAhead, secondsOf, SKEW_SECONDS, WAITED_SECONDS } from "./good-form.ts";
import { checkMadeRequest, fieldsOf, OF_EACH_REQUEST, OF_EACH_TOKEN } from "./made-request.ts";
import { withoutBodies } from "./replay-probe.ts";
import { isSameText, type Note } from "./verification.ts";

/** Notes where a recorded control is not the good request of its operation. */
export function checkControls({ report, facts, exchanges }: ReplayContext, note: Note): void {
  const claims = report.rules.find(({ id }) => id === ISSUED_CLAIMS);
  const clocks = clocksOf([...exchanges.values()]);
  for (const [name, exchange] of exchanges) {
    const id = controlledOperation(exchange.caseId);
    if (id === undefined) continue;
    const told: Note = (where, what) =>
      note(`/exchanges/${pointerToken(name)}/request${where}`, what);
    checkGoodRequest(exchange, OPERATIONS[id], facts, told);
    if (!facts.issued) checkGoodToken(exchange, OPERATIONS[id], facts, clocks, told);
    else if (claims?.outcome === "pass") checkIssuedToken(exchange, facts, told);
  }
}

function checkGoodRequest(
  { id, request: { method, url, headers, body } }: Exchange,
  operation: Operation,
  facts: Facts,
  note: Note,
): void {
  if (method !== operation.method) note("/method", `${operation.id} is a ${operation.method}`);
  const { primary } = facts.organizations;
  const path = pathTemplate(facts, operation);
  // A request that looks for the ETag of an organization may be for another one.
  const isAny = primary === undefined || id.includes("-etag~");
  const template =
    facts.origin + (isAny ? path : path.replace("{orgId}", encodeURIComponent(primary)));
  if (!fitsTemplate(url, template)) note("/url", `it is not of the form ${template}`);
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  const needed = ["accept", "user-agent", ...Object.keys(facts.request.headers), "authorization"];
  for (const name of [...needed, ...(operation.writes ? ["content-type"] : [])]) {
    if (!names.has(name.toLowerCase())) note("/headers", `it has no field ${name}`);
  }
  const presented = headers.filter(([name]) => name.toLowerCase() === "authorization");
  if (
    presented.some(([, value]) => !value.startsWith("Bearer [redacted")) ||
    presented.length > 1
  ) {
    note("/headers", "it does not present one bearer token");
  }
  if (operation.writes !== (body !== undefined)) {
    note("/body", operation.writes ? "it has none" : "a good request has none");
  }
}

/** Whether a URL is one of a template, whose parameters are whole segments. */
function fitsTemplate(url: string, template: string): boolean {
  const wanted = template.split("/");
  const segments = url.split("/");
  return (
    segments.length === wanted.length &&
    wanted.every((part, at) => {
      const segment = segments[at] ?? "";
      return part.startsWith("{") ? /^[^?#]+$/.test(segment) : isSameText(segment, part);
    })
  );
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

/** A control's token must be good, by the clock of the suite or by that of the answer. */
function checkGoodToken(
  exchange: Exchange,
  operation: Operation,
  facts: Facts,
  clocks: ReturnType<typeof clocksOf>,
  note: Note,
): void {
  const { header, claims } = exchange.request.token ?? {};
  if (!header || !claims) {
    note("/token", "a good request has a token");
    return;
  }
  const { testIssuer } = facts;
  const expected = {
    header: { alg: testIssuer.key.alg, kid: testIssuer.key.kid },
    claims: { iss: testIssuer.url, sub: facts.subject, aud: facts.audience },
  };
  for (const [part, members] of Object.entries(expected)) {
    const told = part === "header" ? header : claims;
    for (const [name, value] of Object.entries(members)) {
      if (name in (part === "header" ? testIssuer.header : testIssuer.claims)) continue;
      if (told[name] !== value) note(`/token/${part}/${name}`, `in a good token it is ${value}`);
    }
  }
  const { scope, iat, exp } = claims;
  if (!("scope" in testIssuer.claims) && !String(scope).split(" ").includes(operation.scope)) {
    note("/token/claims/scope", `${operation.id} needs ${operation.scope}`);
  }
  const now = Date.parse(exchange.startedAt) / 1000;
  const isOver = Number(exp) <= now + clocks.slowest - SKEW_SECONDS;
  if (isOver || Number(iat) > now + clocks.fastest + SKEW_SECONDS) {
    note("/token/claims/exp", "its times do not fit the time at which it was sent");
  }
}

/** The clocks that good tokens may follow, in seconds ahead of the suite's own: that one, and those of the answers. */
function clocksOf(exchanges: readonly Exchange[]): { slowest: number; fastest: number } {
  const ahead = exchanges.map(secondsAhead);
  return { slowest: Math.min(0, ...ahead), fastest: Math.max(0, ...ahead) };
}

/** Notes where the probe of a case that is judged by its own answer differs from its control in more than it states. */
export function checkDifferences({ planned, one, context, note }: CheckedCase): void {
  const { caseId, testCase } = planned;
  const { outcome, evidence } = one;
  const { facts, exchanges } = context;
  const { control: { bracket } = {}, operation } = testCase;
  const mutation = onlyMutation(testCase);
  if (bracket !== "decides" || !mutation || mutation.remote) return;
  if (UNJUDGED.has(outcome) || !evidence) return;
  const good = exchanges.get(evidence.controls?.[0] ?? "");
  if (!good || !operation || controlledOperation(good.caseId) !== operation) return;
  const { differences = [] } = evidence;
  if (mutation.refused && differences.length === 0) {
    note("/evidence/differences", "its probe must differ from a good request");
  }
  for (const [at, id] of evidence.probes.entries()) {
    const probe = exchanges.get(id);
    if (probe?.caseId !== caseId || probe.request.token?.mutation !== mutation.name) continue;
    const told: Note = (where, what) => note(`/evidence/probes/${at}${where}`, what);
    const compared: Compared = { control: good, probe, differences, note: told };
    const made = (withFacts: Facts, atMs: number): MutationContext => ({
      target: withFacts,
      operation: OPERATIONS[operation],
      form: { ...formOf(good, facts), atMs },
      organization: facts.organizations.primary,
      otherOrganization: facts.organizations.other,
      uuid: (label) => seededUuid(context.report.seed, label),
    });
    if (!facts.issued) {
      checkMembers(compared);
      checkMutation(compared, mutation, (atMs) => made(facts, atMs));
    }
    checkRequest(compared);
    checkMadeRequest(good, probe, mutation, made(withoutBodies(facts), 0), told);
  }
}

/** A probe and its control, with the differences that are stated. */
interface Compared {
  readonly control: Exchange;
  readonly probe: Exchange;
  readonly differences: readonly Difference[];
  readonly note: Note;
}

/** Notes members of the token that differ although no difference says so, or differ in another way. */
function checkMembers({ control, probe, differences, note }: Compared): void {
  for (const [part, key] of [
    ["header", "header"],
    ["claim", "claims"],
  ] as const) {
    const good = control.request.token?.[key];
    const sent = probe.request.token?.[key];
    if (!good || !sent) continue;
    const stated = new Map(
      differences.flatMap((one) => (one.part === part && "name" in one ? [[one.name, one]] : [])),
    );
    for (const name of new Set([...Object.keys(good), ...Object.keys(sent), ...stated.keys()])) {
      if (name === "__proto__" || OF_EACH_TOKEN.has(name)) continue;
      const one = stated.get(name);
      const differs = !isDeepStrictEqual(good[name], sent[name]);
      if (one && !differs) note(`/${part}/${name}`, "it does not differ from the control");
      if (!one && differs)
        note(`/${part}/${name}`, "it differs from the control, and no difference says so");
      if (one && "control" in one && !isDeepStrictEqual(one.control, good[name]))
        note(`/${part}/${name}`, "the control has another value");
    }
  }
}

/** Good tokens differ in their age, see `Session.newAge`, and wait until they are sent. */
const AGED_SECONDS = GREATEST_AGE + 60;

/** Makes the mutation again, of the control's token, and notes members of the probe's that it makes otherwise. */
function checkMutation(
  { control, probe, note }: Compared,
  { token: change = {} }: Mutation,
  contextAt: (atMs: number) => MutationContext,
): void {
  const { target: facts } = contextAt(0);
  const { header, claims } = control.request.token ?? {};
  const { primary, other } = facts.organizations;
  if (!header || !claims || primary === undefined || other === undefined) return;
  const key = change.key?.(facts) ?? facts.testIssuer.key;
  const form = formOf(control, facts);
  const patchesAt = (seconds: number): Record<"header" | "claims", Patch> => {
    const iat = seconds + form.clockOffsetSeconds - AGE_SECONDS;
    const draft = {
      header: { ...header, alg: key.alg, kid: key.kid },
      claims: { ...claims, iat },
      key,
    };
    const context = contextAt(seconds * 1000);
    return {
      header: patchFor(change.header, draft, context),
      claims: patchFor(change.claims, draft, context),
    };
  };
  const sentAt = secondsOf(probe);
  const drafted = { at: sentAt, within: WAITED_SECONDS };
  const iat = probe.request.token?.claims?.["iat"];
  // The age of a token tells more exactly than the time of its request when it was drafted.
  const isAged = !("iat" in patchesAt(sentAt).claims) && !("iat" in facts.testIssuer.claims);
  if (isAged && typeof iat === "number") {
    drafted.within = AGED_SECONDS / 2;
    drafted.at = iat + AGE_SECONDS + AGED_SECONDS / 2 - form.clockOffsetSeconds;
  }
  const patches = patchesAt(drafted.at);
  for (const part of ["header", "claims"] as const) {
    const sent = probe.request.token?.[part];
    // A text of its own need not hold the members that it was made of.
    const isText = (part === "header" ? change.headerText : change.payload) !== undefined;
    if (!sent || isText) continue;
    const patch = patches[part];
    const expected = noteToken({ [part]: JSON.parse(JSON.stringify(patch)) as JsonObject })[part];
    for (const name of Object.keys(patch)) {
      if (isMade(name, sent[name], expected?.[name], drafted.within)) continue;
      note(
        `/request/token/${part}/${pointerToken(name)}`,
        "the mutation of this case makes another value",
      );
    }
  }
}

/** Whether a member has the value that a mutation makes. Times depend on the moment, and a `jti` on the time. */
function isMade(name: string, sent: unknown, expected: unknown, within: number): boolean {
  if (OF_EACH_TOKEN.has(name)) {
    const [is, was] = [Number(sent), Number(expected)];
    if (Number.isNaN(was)) return typeof sent === typeof expected;
    // A mutation may give a time in milliseconds.
    const unit = was > 1e11 ? 1000 : 1;
    return typeof sent === typeof expected && Math.abs(is - was) <= within * unit;
  }
  return typeof sent === "string" && typeof expected === "string"
    ? isSameText(sent, expected)
    : isDeepStrictEqual(sent, expected);
}

/** Compares the parts of a request other than the token with what a mutation makes. */
function checkRequest({
  control: { request: control },
  probe: { request: probe },
  differences,
  note,
}: Compared): void {
  const stated = new Set(
    differences.map((one) => (one.part === "field" ? `field ${one.name}` : one.part)),
  );
  const parts: [string, unknown, unknown][] = [
    ["method", control.method, probe.method],
    ["path", control.url, probe.url],
    ["body", control.body && plain(control.body), probe.body && plain(probe.body)],
  ];
  const fields = [fieldsOf(control, plain), fieldsOf(probe, plain)] as const;
  for (const name of new Set(fields.flatMap((one) => [...one.keys()]))) {
    if (OF_EACH_REQUEST.has(name)) continue;
    const part = name === "authorization" ? name : `field ${name}`;
    parts.push([part, fields[0].get(name), fields[1].get(name)]);
  }
  for (const [part, good, sent] of parts) {
    if (good !== sent && !stated.has(part))
      note("", `its ${part} differs from the control's, and no difference says so`);
  }
}

/** A text without the value that no other request has. */
function plain(text: string): string {
  const unique = uniqueIn(text);
  return unique === undefined ? text : text.replaceAll(unique, "");
}
