import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";

import {
  type OperationId,
  OPERATIONS,
  type Scope,
  SCOPES,
} from "../../../src/contract/operations.ts";
import type { HttpRequest, Reply } from "../../../src/http/exchange.ts";
import { isObject, parseJson } from "../../../src/lib/json.ts";
import { addQuery } from "../../../src/lib/uri.ts";
import { combine, type Mutation } from "../../../src/mutations/mutation.ts";
import {
  respelledFields,
  type Separators,
  SEPARATORS,
} from "../../../src/mutations/request/separators.ts";
import { boundElsewhere, boundNowhere } from "../../../src/mutations/token/binding.ts";
import { Finding, ofAll, together } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Attempt, AttemptOptions, Probe } from "../../../src/probe/probe.ts";
import { listedChanges } from "../../../src/probe/read/change-ids.ts";
import { findItems } from "../../../src/probe/read/items.ts";
import { exactJson } from "../../../src/probe/read/shapes.ts";
import { describeReply, isUnclear, reception } from "../../../src/probe/reception.ts";
import { bodyText, newUnique, uniqueIn } from "../../../src/probe/request.ts";
import type { RuleCase } from "../../../src/probe/rule.ts";
import { isRecognisable, shows, unrecognisable } from "../../../src/probe/write/unique-marker.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import { noCredentials } from "../../shared/mutations/credentials.ts";
import { onlyScope } from "../../shared/mutations/scope.ts";
import { readBack, showsWrites } from "../effects/read-back.ts";
import { withOverride } from "../mutations/guard-bypass.ts";
import { doesNotReach, UNDECIDED_BESIDE_WRITES } from "./expect-not-reached.ts";

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
  /** How the names of the headers are written. Default: with hyphens. */
  readonly spelling?: Separators;
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
  return [way, { ...way, place: "query" }, { ...way, meant: "OPTIONS" }, ...inEachSpelling(way)];
}

/** The same in headers whose names have other separators. A gateway may remove or look at the usual names alone. */
function inEachSpelling(way: Way): Way[] {
  return SEPARATORS.map((spelling) => ({ ...way, spelling }));
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
      ...inEachSpelling({ ...EDIT, sent: "POST" }),
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
      combine(onlyScope(way.scope), overriding(way)),
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
  const inAll = ways.map((way): Way => ({ ...way, scope: "org:read" }));
  return inAll.filter((way, at) => inAll.findIndex((one) => isDeepStrictEqual(one, way)) === at);
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
  // A receiver that ignores the overriding method rejects a write, and the answer itself shows the feed. A GET is answered.
  const goesBeside = OPERATIONS[operation].writes || override.effect === "feed";
  return {
    id: `${name}@${operation}`,
    title: `${token}, and X-HTTP-Method-Override and the like name another method`,
    grounds: {
      why: "what a request does is checked, whichever of its methods the receiver goes by",
      source: `${source}; CWE-650`,
    },
    operation,
    mutation: ways.map(mutate),
    control: { bound: options.bound },
    sends: ways.length,
    // What was written is read back, which no other write may hide.
    ...(mayWrite && { writes: goesBeside ? "beside" : "alone", phase: "state" }),
    inapplicable: whyNot(facts, override),
    judge: (probe) => judge(probe, override, mutate, options),
  };
}

function whyNot(facts: Facts, { effect }: Override): string | undefined {
  if (effect === "feed") return undefined;
  if (!facts.operations[effect]) return `${effect} is not offered`;
  return isRecognisable(facts, effect) ? undefined : unrecognisable(effect);
}

/** The request with its method overridden. A GET with a body has a connection of its own, because few servers expect that. */
function overriding({ sent, meant, place, spelling, body }: Way): Mutation {
  return {
    name: `${sent}-as-${meant}`,
    what: `${sent}, overridden with ${meant}${spelling === undefined ? "" : `, in headers with ${spelling}`}`,
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
          return respelledFields(full, withOverride(full, meant), spelling);
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

/** A way that was sent, and what it may have written. */
interface Sent extends Attempt {
  readonly way: Way;
  readonly written: string | undefined;
}

async function judge(
  probe: Probe,
  { operation, effect, ways }: Override,
  mutate: (way: Way) => Mutation,
  options: AttemptOptions,
): Promise<Finding> {
  const send = async (way: Way, mutation = mutate(way)): Promise<Sent> => {
    let written: string | undefined;
    const noted = noting(mutation, (body) => (written = uniqueIn(body)));
    const attempt = await probe.attempt(noted, { ...options, operation });
    return { ...attempt, way, written };
  };
  const effectsOf = (sent: readonly Sent[]): Promise<Effects> => {
    const open = sent.filter(({ reply }) => ["accepted", "broken"].includes(reception(reply)));
    return effect === "feed" ? showFeed(probe, open) : findWritten(probe, open);
  };
  /** Whether the same is done without a token. Then the token was not looked at. */
  const isOpen = async (way: Way): Promise<boolean> => {
    if (OPERATIONS[operation].writes) return showsAnybody(probe, way);
    const tokenless = await send(way, combine(noCredentials, overriding(way)));
    return (await effectsOf([tokenless])).shown.length > 0;
  };
  // What the last write wrote is shown, whichever ways wrote before it. So all are sent before any is looked for.
  const sent = await together(ways.map((way) => send(way)));
  const { shown, unseen, undecided } = await effectsOf(sent);
  for (const { by, what, exchanges } of shown) {
    if (await isOpen(by.way)) continue;
    return {
      kind: "fail",
      expected: phrase`the request does nothing that its token does not allow`,
      actual: phrase`${by.way.sent} as ${by.way.meant}: ${describeReply(by.reply)}, and ${what}`,
      evidence: { ...by.evidence, probes: [...by.evidence.probes, ...exchanges] },
      certainty: "proof",
    };
  }
  const [done] = shown;
  if (done) {
    const reason = phrase`the same is done without a token, which receiver.token-required reports`;
    return Finding.inconclusive(reason, done.by.evidence);
  }
  if (undecided) return UNDECIDED_BESIDE_WRITES;
  const unclear = sent.find(({ reply }) => isUnclear(reply));
  if (unclear) return Finding.inconclusive(describeReply(unclear.reply), unclear.evidence);
  return unseen
    ? Finding.notApplicable(phrase`writes cannot be seen anywhere`)
    : Finding.pass(ofAll(sent.map(({ evidence }) => evidence)));
}

/** Whether an organization is viewed without a token where the method is overridden in this way. No further write is made for that. */
async function showsAnybody(probe: Probe, { body: _body, ...way }: Way): Promise<boolean> {
  const mutation = combine(noCredentials, overriding({ ...way, sent: "GET" }));
  const sent = await probe.tryAttempt(mutation, { operation: "viewOrganization" });
  const { primary } = await probe.organizations();
  return (
    "attempt" in sent && (await doesNotReach(probe, sent.attempt, primary ?? "")).kind === "fail"
  );
}

interface Effects {
  /** What was done by each request, and the exchanges beside its own that show it. */
  readonly shown: readonly {
    readonly by: Sent;
    readonly what: string;
    readonly exchanges: readonly string[];
  }[];
  /** Whether writes cannot be seen. Default: they can. */
  readonly unseen?: boolean;
  /** Whether another write may hide what was written. Default: none may. */
  readonly undecided?: boolean;
}

async function findWritten(probe: Probe, sent: readonly Sent[]): Promise<Effects> {
  if (!sent.some(({ written }) => written !== undefined)) return { shown: [] };
  const readings = await readBack(probe);
  const shown = sent.flatMap((by) => {
    const reading = readings.find((one) => by.written !== undefined && shows(one, by.written));
    if (!reading) return [];
    return [{ by, what: `what was written is in ${reading.where}`, exchanges: [reading.exchange] }];
  });
  return shown.length > 0
    ? { shown }
    : { shown, unseen: !showsWrites(probe, readings), undecided: probe.besideWrites };
}

/** The requests whose answer has a change that the feed listed. */
async function showFeed({ target }: Probe, sent: readonly Sent[]): Promise<Effects> {
  const profile = target.operations.readChangesFeed;
  const changesIn = (reply: Reply, { control: { place } }: Sent): string[] => [
    ...(findItems(exactJson(reply), profile) ?? []).map((item) => JSON.stringify(item)),
    ...(listedChanges(reply, profile, place.organization) ?? []).flatMap(({ ids }) =>
      ids.map(({ id }) => id),
    ),
  ];
  const shown = sent.filter((by) => {
    const listed = changesIn(by.control.reply, by);
    return changesIn(by.reply, by).some((one) => listed.includes(one));
  });
  return { shown: shown.map((by) => ({ by, what: "it has changes of the feed", exchanges: [] })) };
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
