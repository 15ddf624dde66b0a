import { generateKeyPairSync } from "node:crypto";

import { type OperationId, OPERATIONS, SCOPES } from "../../src/contract/operations.ts";
import { PATHS, PAYLOADS, PRESENTATIONS, TEXTS } from "../../src/explore/forms.ts";
import type { HttpRequest } from "../../src/http/exchange.ts";
import type { KnownIssuer } from "../../src/model/known.ts";
import type { IssuerKey } from "../../src/profile/target.ts";
import { base64url } from "../../src/tokens/compact.ts";
import { foreignKey } from "../../src/tokens/foreign-keys.ts";
import { signRaw } from "../../src/tokens/sign.ts";
import { referenceTarget } from "../support/target.ts";
import { BASE_URL, BINDING, BODY, NOW } from "./in-process.ts";

/** Makes requests of draws, which are data: a good request, and up to three changes. */

const { testIssuer } = referenceTarget();
export const ISSUER: KnownIssuer = {
  url: "https://issuer.example.com/realm",
  keys: testIssuer.keys.map(({ publicJwk }) => publicJwk),
};
const second = generateKeyPairSync("ec", { namedCurve: "P-256" });
export const ES256: IssuerKey = testIssuer.keys.find(({ alg }) => alg === "ES256") as IssuerKey;
export const EDDSA: IssuerKey = testIssuer.keys.find(({ alg }) => alg === "EdDSA") as IssuerKey;
/** Of the second issuer. Its key has the name of one of the first issuer's. */
const SECOND: IssuerKey = {
  kid: ES256.kid,
  alg: "ES256",
  privateJwk: second.privateKey.export({ format: "jwk" }),
  publicJwk: {
    ...(second.publicKey.export({ format: "jwk" }) as Record<string, unknown>),
    kid: ES256.kid,
    alg: "ES256",
  },
};
export const BESIDE: KnownIssuer = { url: "https://login.example.com", keys: [SECOND.publicJwk] };

/** The issuers that the receiver trusts. */
export const ISSUERS: readonly [KnownIssuer, KnownIssuer] = [ISSUER, BESIDE];

export const SIGNERS: Readonly<Record<string, IssuerKey>> = {
  ES256,
  EDDSA,
  SECOND,
  FOREIGN: foreignKey("ES256"),
};

export type Change =
  | { readonly of: "claim" | "header"; readonly name: string; readonly value: unknown }
  | { readonly of: "signer"; readonly key: string; readonly named: boolean }
  | { readonly of: "payload"; readonly how: string }
  | { readonly of: "text"; readonly how: string }
  | { readonly of: "authorization"; readonly how: string }
  | { readonly of: "path"; readonly how: string }
  | { readonly of: "method"; readonly method: string }
  | { readonly of: "query"; readonly query: string }
  | { readonly of: "field"; readonly name: string; readonly value: string }
  | { readonly of: "body"; readonly body: string | undefined; readonly type?: string };

/** One request as data. */
export interface Draw {
  readonly operation: OperationId;
  readonly organization: string;
  readonly change: string;
  readonly subject: string;
  readonly bound: boolean;
  readonly typ: string | undefined;
  readonly allScopes: boolean;
  readonly changes: readonly Change[];
  /** Whether it has the token of the draw before it. */
  readonly again: boolean;
}

/** A value that stands for no member. */
export const ABSENT = "(absent)";

/** A drawn request, ready to be sent, and the text of its token. */
export interface Made {
  readonly request: HttpRequest;
  readonly token: string;
}

/** Makes a request of a draw. */
export function make(one: Draw, before: string | undefined, unique: string): Made {
  const operation = OPERATIONS[one.operation];
  const token = one.again && before !== undefined ? before : tokenOf(one);
  const path = operation.path
    .replace("{orgId}", one.organization)
    .replace("{changeId}", one.change);
  const good: HttpRequest = {
    method: operation.method,
    path: `/common-grants${path}`,
    headers: operation.writes ? [["content-type", "application/json"]] : [],
    ...(operation.writes && { body: BODY.replace("${unique}", unique) }),
  };
  const request = one.changes.reduce(withChange, good);
  const presented = one.changes.findLast(({ of }) => of === "authorization");
  const lines =
    presented?.of === "authorization"
      ? (PRESENTATIONS[presented.how]?.(token) ?? [])
      : [`Bearer ${token}`];
  const credentials = lines.map((line) => ["authorization", line] as const);
  return { token, request: { ...request, headers: [...request.headers, ...credentials] } };
}

function withChange(request: HttpRequest, change: Change): HttpRequest {
  switch (change.of) {
    case "path":
      return { ...request, path: PATHS[change.how]?.(request.path) ?? "" };
    case "method":
      return { ...request, method: change.method };
    case "query":
      return { ...request, path: `${request.path.split("?", 1)[0] ?? ""}?${change.query}` };
    case "field":
      return { ...request, headers: [...request.headers, [change.name, change.value]] };
    case "body":
      return request.body === undefined ? request : { ...request, body: change.body };
    default:
      return request;
  }
}

const signatures = new Map<string, string>();
const SIGNATURES_KEPT = 5000;

/** Many draws differ in the request alone, and signing takes longer than all else. */
function signatureOf(key: IssuerKey, input: string): string {
  const name = `${String(key.publicJwk["x"])} ${input}`;
  const known = signatures.get(name) ?? base64url(signRaw(key.alg, key, input));
  if (signatures.size >= SIGNATURES_KEPT) signatures.clear();
  signatures.set(name, known);
  return known;
}

function tokenOf(one: Draw): string {
  const { changes } = one;
  const signer = changes.findLast((change) => change.of === "signer");
  const key = SIGNERS[signer?.key ?? "ES256"] ?? ES256;
  const isBeside = signer?.key === "SECOND" && signer.named;
  const claims: Record<string, unknown> = {
    iss: isBeside ? BESIDE.url : ISSUER.url,
    sub: one.subject,
    aud: BASE_URL,
    iat: NOW - 60,
    exp: NOW + 600,
    scope: one.allScopes ? SCOPES.join(" ") : OPERATIONS[one.operation].scope,
    grant_type: "client_credentials",
    ...(one.bound && { [BINDING]: one.organization }),
  };
  const header: Record<string, unknown> = {
    alg: key.alg,
    kid: key.kid,
    ...(one.typ !== undefined && { typ: one.typ }),
  };
  for (const change of changes) {
    if (change.of === "claim") setMember(claims, change.name, change.value);
    if (change.of === "header") setMember(header, change.name, change.value);
  }
  const payload = changes.reduce(
    (json, change) => (change.of === "payload" ? (PAYLOADS[change.how]?.(json) ?? "") : json),
    JSON.stringify(claims),
  );
  const segments = [JSON.stringify(header), payload].map((part) => base64url(part));
  const [first = "", rest = ""] = segments;
  const signature = signatureOf(key, `${first}.${rest}`);
  const altered = changes.findLast((change) => change.of === "text");
  return altered
    ? (TEXTS[altered.how]?.([first, rest, signature]) ?? "")
    : `${first}.${rest}.${signature}`;
}

function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (value === ABSENT) delete object[name];
  else object[name] = value;
}
