import { OPERATION_IDS } from "../contract/operations.ts";
import { isObject } from "../lib/json.ts";
import {
  type AuthorizationServer,
  type Client,
  isUnattended,
  namedUrls,
} from "./authorization-server.ts";
import type { OperationProfile } from "./operation.ts";
import type { IssuedTokensSource, RequestSettings, Target, TestIssuer } from "./target.ts";

/** The facts that a report holds as they are. */
const AS_IT_IS = [
  "baseUrl",
  "origin",
  "basePath",
  "audience",
  "bindingClaim",
  "subject",
  "organizations",
  "denied",
  "consent",
  "readOnly",
  "writes",
  "otherWrites",
] as const;

/**
 * What a plan may depend on: the part of a target from which rules make their cases. A report holds it, masked, so that others
 * can make the plan again.
 */
export interface Facts extends Pick<Target, (typeof AS_IT_IS)[number] | "openapi"> {
  readonly operations: Readonly<Partial<Target["operations"]>>;
  readonly testIssuer: Pick<
    TestIssuer,
    "url" | "keys" | "key" | "algorithms" | "claims" | "header" | "serve"
  >;
  readonly issued?:
    | (Pick<IssuedTokensSource, "leavesOutTestIssuer"> & { readonly command?: object | undefined })
    | undefined;
  /** Present once the document is read. */
  readonly document?: object | undefined;
  readonly request: Pick<RequestSettings, "headers" | "callback">;
  readonly authorizationServer?:
    | (Pick<
        AuthorizationServer,
        "issuer" | "narrowing" | "subjects" | "probes" | "waitSeconds" | "scopes" | "clients"
      > & {
        /** Origins of the endpoints that the profile names. */
        readonly urls?: readonly string[] | undefined;
      })
    | undefined;
}

/** Stands for a value of which a plan only depends on whether it is there. */
export const GIVEN = "given";
const UNIQUE = "${unique}";

/**
 * The facts of a target as a report holds them: the same plan follows from them, and nothing in them is secret. Where only
 * the presence of a value matters, as of bodies, header fields, claims and secrets, a word stands for it.
 */
export function maskedFacts(target: Target): Facts {
  const { testIssuer, issued, request } = target;
  const { url, keys, key, algorithms, claims, header, serve } = testIssuer;
  return {
    ...picked(target, AS_IT_IS),
    testIssuer: {
      url,
      keys: keys.map(publicHalf),
      key: publicHalf(key),
      algorithms,
      claims: masked(claims),
      header: masked(header),
      ...(serve !== undefined && { serve: GIVEN }),
    },
    ...(issued && {
      issued: {
        leavesOutTestIssuer: issued.leavesOutTestIssuer,
        ...(issued.command && { command: {} }),
      },
    }),
    ...(target.openapi !== undefined && { openapi: GIVEN }),
    ...(target.openapi !== undefined && target.document && { document: {} }),
    operations: Object.fromEntries(
      OPERATION_IDS.flatMap((id) => {
        const operation = target.operations[id];
        return operation ? [[id, maskedOperation(operation)] as const] : [];
      }),
    ),
    request: {
      headers: masked(request.headers),
      ...(request.callback !== undefined && { callback: GIVEN }),
    },
    ...(target.authorizationServer && {
      authorizationServer: maskedServer(target.authorizationServer),
    }),
  };
}

/** Members of an object, in the order of their names. */
function picked<T, K extends keyof T>(object: T, names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(names.map((name) => [name, object[name]])) as Pick<T, K>;
}

function masked(object: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.keys(object).map((name) => [name, GIVEN]));
}

function publicHalf({ kid, alg, publicJwk }: TestIssuer["key"]): TestIssuer["key"] {
  return { kid, alg, publicJwk };
}

function maskedOperation(operation: OperationProfile): OperationProfile {
  const { body, invalidBody, changeId, headers: _headers, ...rest } = operation;
  const value = JSON.stringify(body ?? "").includes(UNIQUE) ? UNIQUE : GIVEN;
  return {
    ...rest,
    ...(body !== undefined && { body: isObject(body) ? { [GIVEN]: value } : value }),
    ...(invalidBody !== undefined && { invalidBody: GIVEN }),
    ...(changeId !== undefined && { changeId: GIVEN }),
  };
}

function maskedServer(server: AuthorizationServer): Facts["authorizationServer"] {
  const { issuer, narrowing, subjects, probes, waitSeconds, scopes, clients } = server;
  const urls = namedUrls(server).map((url) => new URL(url).origin);
  const secrets = [...new Set(clients.flatMap(({ secret }) => secret ?? []))];
  return {
    issuer,
    ...(urls.length > 0 && { urls: [...new Set(urls)] }),
    narrowing,
    ...(subjects && { subjects }),
    probes,
    waitSeconds,
    scopes,
    clients: clients.map((client) => maskedClient(client, secrets)),
  };
}

const CLIENT_AS_IT_IS = [
  "name",
  "flow",
  "id",
  "authentication",
  "scopes",
  "organization",
  "subject",
] as const;

/** @param secrets those of all clients, because clients may share one */
function maskedClient(client: Client, secrets: readonly string[]): Client {
  const { secret } = client;
  return {
    ...picked(client, CLIENT_AS_IT_IS),
    ...(secret !== undefined && { secret: `${GIVEN}-${secrets.indexOf(secret) + 1}` }),
    ...(client.redirectUri?.includes("?") && { redirectUri: `http://127.0.0.1/?${GIVEN}` }),
    ...(isUnattended(client) && { consent: [GIVEN] }),
    ...(client.refusal !== undefined && { refusal: [GIVEN] }),
    authorizationParameters: masked(client.authorizationParameters),
    tokenParameters: masked(client.tokenParameters),
  };
}
