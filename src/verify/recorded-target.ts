import { controlId } from "../contract/ids.ts";
import { type OperationId, OPERATION_IDS } from "../contract/operations.ts";
import type { Exchange } from "../http/exchange.ts";
import { isObject, type JsonObject, parseJson } from "../lib/json.ts";
import { invalidBody, otherJson, respelledJson } from "../probe/openapi/invalid-body.ts";
import { uniqueIn } from "../probe/request.ts";
import type { Facts } from "../profile/facts.ts";
import type { OperationProfile } from "../profile/operation.ts";
import type { IssuerKey, Target } from "../profile/target.ts";
import { foreignKey } from "../tokens/foreign-keys.ts";
import { notRecorded } from "./missing.ts";
import { isLetIn, type Sent } from "./recorded-exchanges.ts";

/** The header fields of a good request that no profile sets for one operation alone. */
const OF_THE_SUITE = ["accept", "user-agent", "conformance-case", "content-type", "authorization"];

/** The mutations whose requests have the body that the profile declares invalid. */
const DECLARED: ReadonlySet<string> = new Set(
  [invalidBody, ...respelledJson, ...otherJson].map(({ name }) => name),
);

/**
 * The target of a run as its record shows it. A report says of bodies, header fields and claims of the profile only that they are
 * there, so they are taken from the good requests. The private keys are of the suite: what they sign is never recorded.
 * @throws NotRecorded from the result, when the document or an invalid body is read that is not recorded
 */
export function recordedTarget(
  facts: Facts,
  exchanges: ReadonlyMap<string, Exchange>,
  senders: Sent["senders"],
): Target {
  const all = [...exchanges.values()];
  const goodOf = (id: OperationId): Exchange | undefined => {
    const marked = senders.get(controlId(id))?.filter((one) => !one.id.includes("-unmarked")) ?? [];
    return marked.find(isLetIn) ?? marked[0];
  };
  const standing = Object.keys(facts.request.headers).map((name) => name.toLowerCase());
  const own = new Set([...OF_THE_SUITE, ...standing]);
  const [anyGood] = OPERATION_IDS.flatMap((id) => goodOf(id) ?? []);
  const { header, claims } = anyGood?.request.token ?? {};
  const operations = Object.fromEntries(
    OPERATION_IDS.flatMap((id) => {
      const given = facts.operations[id];
      if (!given) return [];
      const wrong = all.find(
        ({ operation, request }) =>
          operation === id && DECLARED.has(request.token?.mutation ?? "") && request.body,
      );
      return [[id, operationOf(given, goodOf(id)?.request, wrong?.request.body, own)] as const];
    }),
  );
  const { testIssuer } = facts;
  const target = {
    ...facts,
    packs: [],
    secrets: [],
    request: { headers: { ...facts.request.headers }, timeoutMs: 0 },
    operations,
    testIssuer: {
      ...testIssuer,
      bundled: false,
      header: valuesOf(testIssuer.header, header),
      claims: valuesOf(testIssuer.claims, claims),
    },
  } as unknown as Target;
  return Object.defineProperty(target, "document", {
    enumerable: false,
    get: () => notRecorded("document"),
  });
}

/** Values for members of which only the names are known. */
function valuesOf(names: object, from: JsonObject = {}): JsonObject {
  return Object.fromEntries(
    Object.entries(names).map(([name, given]) => [name, from[name] ?? given]),
  );
}

/**
 * Facts whose keys can sign: with keys of the suite, because those of the issuer are secret. No report shows signatures.
 * @throws TypeError when an algorithm is unknown
 */
export function withThrowawayKeys(facts: Facts): Facts {
  const { testIssuer, authorizationServer } = facts;
  return {
    ...facts,
    testIssuer: {
      ...testIssuer,
      keys: testIssuer.keys.map(withThrowawayKey),
      key: withThrowawayKey(testIssuer.key),
    },
    ...(authorizationServer && {
      authorizationServer: {
        ...authorizationServer,
        clients: authorizationServer.clients.map((client) => ({
          ...client,
          ...(client.authentication === "private_key_jwt" && {
            key: foreignKey("ES256").privateJwk,
          }),
        })),
      },
    }),
  };
}

function operationOf(
  given: OperationProfile,
  good: Exchange["request"] | undefined,
  wrong: string | undefined,
  own: ReadonlySet<string>,
): OperationProfile {
  const unique = uniqueIn(good?.body ?? "");
  const template = (text: string): string =>
    unique === undefined ? text : text.replaceAll(unique, "${unique}");
  const headers = (good?.headers ?? []).filter(([name]) => !own.has(name.toLowerCase()));
  const goodBody = ({ body: text }: Exchange["request"]): unknown => {
    if (text === undefined) return given.body;
    return isObject(given.body) ? (parseJson(template(text)) ?? given.body) : template(text);
  };
  const operation = {
    ...given,
    headers: Object.fromEntries(headers.map(([name, value]) => [name, template(value)])),
  };
  const bodies = {
    body: () => (good === undefined ? notRecorded("profile") : goodBody(good)),
    invalidBody: () => (wrong === undefined ? notRecorded("profile") : bodyIn(wrong)),
  };
  for (const name of ["body", "invalidBody"] as const)
    if (given[name] !== undefined)
      Object.defineProperty(operation, name, { enumerable: false, get: bodies[name] });
  return operation;
}

/** A body of the profile, which has one value of its own in each request. */
function bodyIn(text: string): unknown {
  const json = parseJson(text.replaceAll(uniqueIn(text) ?? text, "${unique}"));
  return isObject(json) ? json : text;
}

function withThrowawayKey(key: IssuerKey): IssuerKey {
  return { ...key, privateJwk: foreignKey(key.alg).privateJwk, signsNothing: true };
}
