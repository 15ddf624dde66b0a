import { generateKeyPairSync } from "node:crypto";

import { type OperationId, OPERATIONS, SCOPES } from "../../src/contract/operations.ts";
import type { HttpRequest } from "../../src/http/exchange.ts";
import { otherCase } from "../../src/lib/words.ts";
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

export const PAYLOADS: Readonly<Record<string, (json: string) => string>> = {
  array: (json) => `[${json}]`,
  text: (json) => JSON.stringify(json),
  null: () => "null",
  cut: (json) => json.slice(0, -1),
  followed: (json) => `${json}x`,
  spaced: (json) => json.replace("{", "{ "),
  "byte order mark": (json) => `\uFEFF${json}`,
  "issuer first": (json) => `{"iss":"https://x.example",${json.slice(1)}`,
  "issuer last": (json) => `${json.slice(0, -1)},"iss":"https://x.example"}`,
  escaped: (json) => json.replaceAll("/", String.raw`\/`),
};

type Segments = readonly [header: string, payload: string, signature: string];

function changed(segment: string, at: number): string {
  const character = segment.at(at) === "A" ? "B" : "A";
  const index = at < 0 ? segment.length + at : at;
  return segment.slice(0, index) + character + segment.slice(index + 1);
}

export const TEXTS: Readonly<Record<string, (segments: Segments) => string>> = {
  "signature changed": ([h, p, s]) => `${h}.${p}.${changed(s, 5)}`,
  "signature cut": ([h, p, s]) => `${h}.${p}.${s.slice(0, -4)}`,
  "signature longer": ([h, p, s]) => `${h}.${p}.${s}AAAA`,
  "signature padded": ([h, p, s]) => `${h}.${p}.${s}==`,
  "signature in base64": ([h, p, s]) => `${h}.${p}.${s.replaceAll("-", "+").replaceAll("_", "/")}`,
  "signature with junk": ([h, p, s]) => `${h}.${p}.${s.slice(0, 9)}!${s.slice(9)}`,
  "no signature": ([h, p]) => `${h}.${p}.`,
  "two segments": ([h, p]) => `${h}.${p}`,
  "four segments": ([h, p, s]) => `${h}.${p}.${s}.${s}`,
  "dot before": ([h, p, s]) => `.${h}.${p}.${s}`,
  "dot after": ([h, p, s]) => `${h}.${p}.${s}.`,
  "payload changed": ([h, p, s]) =>
    `${h}.${base64url(`${Buffer.from(p, "base64url").toString().slice(0, -1)},"x":1}`)}.${s}`,
  "header changed": ([h, p, s]) =>
    `${base64url(`${Buffer.from(h, "base64url").toString().slice(0, -1)},"x":1}`)}.${p}.${s}`,
  "in JSON": ([h, p, s]) => JSON.stringify({ protected: h, payload: p, signature: s }),
  "a word": () => "conformance",
  nothing: () => "",
};

export const PRESENTATIONS: Readonly<Record<string, (token: string) => readonly string[]>> = {
  none: () => [],
  empty: () => [""],
  "in lower case": (token) => [`bearer ${token}`],
  "in upper case": (token) => [`BEARER ${token}`],
  "two spaces": (token) => [`Bearer  ${token}`],
  tab: (token) => [`Bearer\t${token}`],
  quoted: (token) => [`Bearer "${token}"`],
  "a word after it": (token) => [`Bearer ${token} x`],
  comma: (token) => [`Bearer ${token},`],
  "no scheme": (token) => [token],
  basic: (token) => [`Basic ${token}`],
  "longer scheme": (token) => [`Bearers ${token}`],
  "scheme alone": () => ["Bearer"],
  twice: (token) => [`Bearer ${token}`, `Bearer ${token}`],
  "beside a word": (token) => [`Bearer x`, `Bearer ${token}`],
};

export const PATHS: Readonly<Record<string, (path: string) => string>> = {
  "slash after": (path) => `${path}/`,
  "slash doubled": (path) => path.replace("/orgs", "//orgs"),
  capitals: (path) => path.replace("/orgs", "/ORGS"),
  "id in capitals": (path) => path.replace(/[\da-f]{8}-[\da-f-]{27}/, otherCase),
  dots: (path) => path.replace("/orgs", "/x/../orgs"),
  encoded: (path) => path.replace("/orgs", "/%6Frgs"),
  parameter: (path) => `${path};x=1`,
  extension: (path) => `${path}.json`,
  "one more": (path) => `${path}/x`,
  "below base": (path) => path.replace("/common-grants", ""),
  "no id": (path) => path.replace(/\/[\da-f]{8}-[\da-f-]{27}/, "/x"),
};

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
