import type { OperationId } from "../../../src/contract/operations.ts";
import { addQuery } from "../../../src/lib/uri.ts";
import type { Mutation } from "../../../src/mutations/mutation.ts";
import { custom, type MutationCase } from "../../../src/probe/cases.ts";
import { type Evidence, Finding, ofAll, together } from "../../../src/probe/finding.ts";
import { listFact, phrase, valueFact } from "../../../src/probe/phrase.ts";
import type { Attempt, Fixture, Probe } from "../../../src/probe/probe.ts";
import { describeReply, isUnclear } from "../../../src/probe/reception.ts";
import type { RuleCase } from "../../../src/probe/rule.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import { noCredentials } from "../../shared/mutations/credentials.ts";
import { type GoodAnswer, goodAnswer, isServedAlike } from "../../shared/served-alike.ts";
import { EVERY_READ, operationsFor, unlessServed, usedOrAnew } from "./check-options.ts";

/**
 * Requests without a token that have a public path where the resource of the request is not named. A guard that compares
 * paths with a list of public ones may look at the whole target, and take the query or what follows a `#` for the path's end.
 */

/** Paths that most deployments serve to everybody. */
const PUBLIC_PATHS = [
  "/health",
  "/healthz",
  "/livez",
  "/readyz",
  "/status",
  "/ping",
  "/metrics",
  "/favicon.ico",
  "/robots.txt",
  "/.well-known/openid-configuration",
  "/.well-known/jwks.json",
  "/login",
  "/docs",
  "/openapi.json",
  "/static/app.css",
  "/assets/app.js",
  "/index.html",
  "/logo.png",
];
/** A path that is in no list. */
const UNKNOWN_PATH = "/conformance";

/** Where a request has such a path. */
interface Place {
  readonly name: string;
  readonly what: string;
  /** @param next another public path, for a place that has room for two */
  readonly add: (target: string, path: string, next: string) => string;
}

const PLACES: readonly Place[] = [
  {
    name: "public-in-query",
    what: "the query begins with a public path such as /health and ends in another one",
    add: (target, path, next) => addQuery(target, `${path}&conformance=${next}`),
  },
  {
    name: "public-after-hash",
    what: "the path goes on with `%23`, an encoded `#`, and a public path such as /health",
    add: (target, path) => `${target}%23${path}`,
  },
  {
    name: "public-after-semicolon",
    what: "the path goes on with `;` and a public path such as /health",
    add: (target, path) => `${target};${path}`,
  },
];

/** The places in which the paths are sent, `<place>@<operation>`, on one read. */
export function rejectsOnPublicPaths(facts: Facts): RuleCase[] {
  const [read] = operationsFor(facts, {}, EVERY_READ);
  if (read === undefined) return [];
  return PLACES.flatMap((place) =>
    custom([read], [{ ...noCredentials, name: place.name }], (probe, one) =>
      judge(probe, one, place),
    ).map((one) => ({
      ...one,
      title: `no Authorization header; ${place.what}`,
      mutation: PUBLIC_PATHS.map((_, at) => tokenless(place, at)),
      grounds: {
        why: "the path alone names the resource, and every route requires a bearer access token",
        source: "contract, Endpoints; CVE-2025-54576",
      },
      sends: place.name === "public-in-query" ? PUBLIC_PATHS.length + 1 : 1,
    })),
  );
}

function withPath({ name, what, add }: Place, path: string, next: string): Mutation {
  return {
    name,
    what,
    request: (spec) => ({ ...spec, path: add(spec.path, path, next) }),
  };
}

function tokenless(place: Place, at: number): Mutation {
  const path = PUBLIC_PATHS[at] ?? "";
  const next = PUBLIC_PATHS[(at + 1) % PUBLIC_PATHS.length] ?? "";
  return { ...noCredentials, ...withPath(place, path, next), name: `${place.name}-${at + 1}` };
}

async function judge(probe: Probe, { operation }: MutationCase, place: Place): Promise<Finding> {
  const good = await usedOrAnew(probe, servedWith(place, operation));
  if ("kind" in good) return good;
  const sent = await together(PUBLIC_PATHS.map((_, at) => probe.attempt(tokenless(place, at))));
  const besideGood = (attempts: readonly Attempt[]): Evidence => {
    const { probes, controls = [] } = ofAll(attempts.map(({ evidence }) => evidence));
    return { probes, controls: [good.exchange, ...controls] };
  };
  const served = sent.filter((one) => isServedAlike(probe, one, good.answer));
  if (served.length > 0) {
    const targets = served.map((one) => phrase`\`${valueFact(targetOf(one))}\``);
    return {
      kind: "fail",
      expected: phrase`no request without a token is answered as one with a good token`,
      actual: phrase`answered as with a good token: ${listFact(targets)}`,
      evidence: besideGood(served),
      certainty: "proof",
    };
  }
  const unclear = sent.find(({ reply }) => isUnclear(reply));
  return unclear
    ? Finding.inconclusive(describeReply(unclear.reply), unclear.evidence)
    : Finding.pass(besideGood(sent));
}

/** The last segment of the path that was requested, and what follows it. */
function targetOf({ reply, control: { operation } }: Attempt): string {
  const { url } = reply.exchange.request;
  const at = url.indexOf(operation.path.split("{")[0] ?? "");
  return url.slice(Math.max(at, 0));
}

/** What a good token gets on a path that no list has in that place, or why it shows nothing. */
function servedWith(place: Place, operation: OperationId): Fixture<Served | Finding> {
  return {
    name: `${place.name} ${operation}`,
    scope: "run",
    async setup(probe) {
      const mutation = withPath(place, UNKNOWN_PATH, UNKNOWN_PATH);
      const attempt = await probe.attempt(mutation, { operation, purpose: "wanted" });
      const { reply } = attempt;
      const refused = phrase`a good token is refused there too: ${describeReply(reply)}`;
      const unserved = unlessServed(attempt, refused);
      if (unserved) return unserved;
      const answer = goodAnswer(probe, attempt);
      return answer
        ? { answer, exchange: reply.exchange.id }
        : Finding.notApplicable(phrase`a good token gets another answer there`);
    },
  };
}

interface Served {
  readonly answer: GoodAnswer;
  readonly exchange: string;
}
