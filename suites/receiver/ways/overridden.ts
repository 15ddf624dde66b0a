import { randomUUID } from "node:crypto";

import { type OperationId, type Scope, SCOPES } from "../../../src/contract/operations.ts";
import type { HttpRequest } from "../../../src/http/exchange.ts";
import { isObject, parseJson } from "../../../src/lib/json.ts";
import { addQuery } from "../../../src/lib/uri.ts";
import { combine, type Mutation } from "../../../src/mutations/mutation.ts";
import { boundElsewhere, boundNowhere } from "../../../src/mutations/token/binding.ts";
import { type Evidence, Finding, ofAll } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Attempt, AttemptOptions, Probe } from "../../../src/probe/probe.ts";
import { listedChanges } from "../../../src/probe/read/change-ids.ts";
import { findItems } from "../../../src/probe/read/items.ts";
import { exactJson } from "../../../src/probe/read/shapes.ts";
import { describeReply, hungUp, reception } from "../../../src/probe/reception.ts";
import { bodyText, newUnique, uniqueIn } from "../../../src/probe/request.ts";
import type { RuleCase } from "../../../src/probe/rule.ts";
import { isRecognisable, shows, unrecognisable } from "../../../src/probe/write/unique-marker.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import { singleScopes } from "../../shared/mutations/scope.ts";
import { readBack, showsWrites } from "../effects/read-back.ts";
import { overriddenRead, withOverride } from "../mutations/guard-bypass.ts";
import { doesNotReach } from "./expect-not-reached.ts";

/**
 * Requests whose method another one overrides. A guard may go by the method of the request, and the handler by the overriding
 * one, or the reverse. A receiver may ignore the override, refuse it, or serve the overriding method: only the effect tells.
 */

/** One way to send it. */
interface Way {
  readonly sent: "GET" | "POST" | "PATCH";
  readonly meant: string;
  /** Where the overriding method is. Default: in headers. */
  readonly place?: "query" | "body";
  /** The one scope of the token. It does not allow the effect. */
  readonly scope: Scope;
  /** The write whose body it has. Default: it has none. */
  readonly body?: OperationId;
}

interface Override {
  readonly name: string;
  readonly operation: OperationId;
  /** The effect that must not be. */
  readonly effect: "editOrganization" | "submitChange" | "feed";
  readonly ways: readonly Way[];
}

/** A write that claims to be a read, or a request for which a guard needs nothing. */
function asRead(sent: Way["sent"], body: OperationId, scope: Scope): Way[] {
  const way = { sent, meant: "GET", scope, body } as const;
  return [way, { ...way, place: "query" }, { ...way, meant: "OPTIONS" }];
}

const EDIT = { meant: "PATCH", scope: "org:read", body: "editOrganization" } as const;

/** The operation is the one of the path that the control is for. */
const OVERRIDES: readonly Override[] = [
  {
    name: "override-edit",
    operation: "viewOrganization",
    effect: "editOrganization",
    ways: [
      { ...EDIT, sent: "GET" },
      { ...EDIT, sent: "POST" },
      { ...EDIT, sent: "GET", place: "query" },
      { ...EDIT, sent: "POST", place: "query" },
      { ...EDIT, sent: "POST", place: "body" },
    ],
  },
  {
    name: "override-read",
    operation: "editOrganization",
    effect: "editOrganization",
    ways: asRead("PATCH", "editOrganization", "org:read"),
  },
  {
    name: "override-submit",
    operation: "readChangesFeed",
    effect: "submitChange",
    ways: [{ sent: "GET", meant: "POST", scope: "org.changes:read", body: "submitChange" }],
  },
  {
    name: "override-read",
    operation: "submitChange",
    effect: "submitChange",
    ways: asRead("POST", "submitChange", "org.changes:read"),
  },
  {
    name: "override-feed",
    operation: "readChangesFeed",
    effect: "feed",
    ways: [
      { sent: "GET", meant: "OPTIONS", scope: "org:read" },
      { sent: "GET", meant: "PATCH", scope: "org:read" },
      { sent: "GET", meant: "POST", scope: "org.changes:write" },
    ],
  },
  {
    name: "override-post",
    operation: "readChangesFeed",
    effect: "feed",
    ways: [
      { sent: "POST", meant: "GET", scope: "org:read" },
      // Without a body, it is no submission.
      { sent: "POST", meant: "GET", scope: "org.changes:write" },
      { sent: "POST", meant: "GET", scope: "org.changes:write", place: "query" },
    ],
  },
];

/** Cases for tokens with a lesser scope than the effect requires, `override-<effect>@<operation>`. */
export function rejectsOverriddenScope(facts: Facts): RuleCase[] {
  return OVERRIDES.map((override) =>
    caseOf(facts, override, "the token has a lesser scope", "contract, Receiver checks 5", (way) =>
      combine(singleScopes[way.scope], overriding(way)),
    ),
  );
}

/** Cases for a token that is bound to another organization and has every scope, named in the same way. */
export function rejectsOverriddenBinding(facts: Facts): RuleCase[] {
  const bound = combine(facts.issued ? boundElsewhere : boundNowhere, everyScope);
  return OVERRIDES.map((override) => ({
    ...caseOf(
      facts,
      { ...override, ways: withoutScopes(override.ways) },
      bound.what,
      "contract, Receiver checks 6",
      (way) => combine(bound, overriding(way)),
      { bound: true },
    ),
    needs: ["claimsNamespace"] as const,
  }));
}

/** The ways that differ in more than the scope of the token. */
function withoutScopes(ways: readonly Way[]): Way[] {
  return ways.filter(
    ({ sent, meant, place }, at) =>
      ways.findIndex((one) => one.sent === sent && one.meant === meant && one.place === place) ===
      at,
  );
}

const everyScope: Mutation = {
  name: "every-scope",
  what: "it grants every scope",
  token: { claims: { scope: SCOPES.join(" ") } },
  asks: () => ({ scopes: SCOPES }),
};

function caseOf(
  facts: Facts,
  override: Override,
  token: string,
  source: string,
  mutate: (way: Way) => Mutation,
  options: AttemptOptions = {},
): RuleCase {
  const { name, operation, ways } = override;
  const mayWrite = ways.some(({ sent, body }) => sent !== "GET" || body !== undefined);
  return {
    id: `${name}@${operation}`,
    title: `${token}, and X-HTTP-Method-Override and the like name another method`,
    why: "what a request does is checked, whichever of its methods the receiver goes by",
    source: `${source}; CWE-650`,
    operation,
    mutation: ways.map(mutate),
    control: { bound: options.bound },
    sends: ways.length,
    // What was written is read back, which no other write may hide.
    ...(mayWrite && { writes: "alone", phase: "state" }),
    inapplicable: whyNot(facts, override),
    judge: (probe) => judge(probe, override, mutate, options),
  };
}

/** Why the effect of a case cannot be, or cannot be seen. */
function whyNot(facts: Facts, { effect }: Override): string | undefined {
  if (effect === "feed") return undefined;
  if (!facts.operations[effect]) return `${effect} is not offered`;
  return isRecognisable(facts, effect) ? undefined : unrecognisable(effect);
}

/** The request with its method overridden. A GET with a body has a connection of its own, because few servers expect that. */
function overriding({ sent, meant, place, body }: Way): Mutation {
  return {
    name: `${sent}-as-${meant}`,
    what: `${sent}, overridden with ${meant}`,
    request: (spec, { target }) => {
      const headers = spec.headers.filter(([name]) => name.toLowerCase() !== "content-type");
      const isOdd = sent === "GET" && body !== undefined;
      const plain: HttpRequest = {
        ...spec,
        headers,
        method: sent,
        ...(isOdd && { connection: randomUUID() }),
      };
      const full = body === undefined ? plain : withBody(plain, target, body);
      switch (place) {
        case "query":
          // Forms have it in lower case.
          return { ...full, path: addQuery(full.path, `_method=${meant.toLowerCase()}`) };
        case "body":
          return withMember(full, "_method", meant);
        default:
          return withOverride(full, meant);
      }
    },
  };
}

/** The request with the body of a write, and with what this operation sends beside the body. */
function withBody(spec: HttpRequest, { operations }: Facts, id: OperationId): HttpRequest {
  const { body = {}, contentType = "application/json", headers = {} } = operations[id] ?? {};
  const type = ["content-type", contentType] as const;
  if (spec.body !== undefined) return { ...spec, headers: [...spec.headers, type] };
  const unique = newUnique();
  const further = Object.entries(headers).map(
    ([name, value]) => [name, value.replaceAll("${unique}", unique)] as const,
  );
  return {
    ...spec,
    body: bodyText(body, unique),
    headers: [...spec.headers, type, ...further],
  };
}

function withMember(spec: HttpRequest, name: string, value: string): HttpRequest {
  const body = parseJson(spec.body ?? "");
  return isObject(body) ? { ...spec, body: JSON.stringify({ ...body, [name]: value }) } : spec;
}

async function judge(
  probe: Probe,
  { operation, effect, ways }: Override,
  mutate: (way: Way) => Mutation,
  options: AttemptOptions,
): Promise<Finding> {
  let unclear: Finding | undefined;
  let unseen: Finding | undefined;
  const sent: Evidence[] = [];
  for (const way of ways) {
    let written: string | undefined;
    const attempt = await probe.attempt(
      noting(mutate(way), (body) => (written = uniqueIn(body))),
      {
        ...options,
        operation,
      },
    );
    const { reply, evidence } = attempt;
    sent.push(evidence);
    const received = reception(reply);
    if (received === "rejected" || received === "redirected" || hungUp(reply)) continue;
    if (received === "unclear") {
      unclear = Finding.inconclusive(describeReply(reply), evidence);
      continue;
    }
    const found = effect === "feed" ? showsFeed(probe, attempt) : await isWritten(probe, written);
    if (found === "unseen") {
      unseen = Finding.notApplicable(phrase`writes cannot be seen anywhere`);
    } else if (found && way.meant === "OPTIONS" && (await servesOptions(probe))) {
      const reason = phrase`whoever claims to send OPTIONS needs no token, which receiver.token-required reports`;
      unclear = Finding.inconclusive(reason, evidence);
    } else if (found) {
      return {
        kind: "fail",
        expected: phrase`the request does nothing that its token does not allow`,
        actual: phrase`${way.sent} as ${way.meant}: ${describeReply(reply)}, and ${found.what}`,
        evidence: { ...evidence, probes: [...evidence.probes, ...found.exchanges] },
        certainty: "proof",
      };
    }
  }
  return unclear ?? unseen ?? Finding.pass(ofAll(sent));
}

/** Whether a request without a token is served if it claims to be OPTIONS. Then the token of such a request was not looked at. */
async function servesOptions(probe: Probe): Promise<boolean> {
  const sent = await probe.tryAttempt(overriddenRead, { operation: "viewOrganization" });
  const { primary } = await probe.organizations();
  return (
    "attempt" in sent && (await doesNotReach(probe, sent.attempt, primary ?? "")).kind === "fail"
  );
}

/** What was done, and the exchanges beside the request's own that show it. */
interface Effect {
  readonly what: string;
  readonly exchanges: readonly string[];
}

async function isWritten(
  probe: Probe,
  value: string | undefined,
): Promise<Effect | "unseen" | undefined> {
  if (value === undefined) return undefined;
  const readings = await readBack(probe);
  const shown = readings.find((reading) => shows(reading, value));
  if (shown) return { what: `what was written is in ${shown.where}`, exchanges: [shown.exchange] };
  return showsWrites(probe, readings) ? undefined : "unseen";
}

/** Whether the answer has a change that the feed listed. */
function showsFeed({ target }: Probe, { reply, control }: Attempt): Effect | undefined {
  const profile = target.operations.readChangesFeed;
  const [listed, shown] = [control.reply, reply].map((one) => [
    ...(findItems(exactJson(one), profile) ?? []).map((item) => JSON.stringify(item)),
    ...(listedChanges(one, profile, control.place.organization) ?? []).flatMap(({ ids }) =>
      ids.map(({ id }) => id),
    ),
  ]) as [string[], string[]];
  return shown.some((one) => listed.includes(one))
    ? { what: "it has changes of the feed", exchanges: [] }
    : undefined;
}

/** The mutation, and what its request has as a body. */
function noting(mutation: Mutation, note: (body: string) => void): Mutation {
  return {
    ...mutation,
    request: (spec, context, token) => {
      const changed = mutation.request?.(spec, context, token) ?? spec;
      note(changed.body ?? "");
      return changed;
    },
  };
}
