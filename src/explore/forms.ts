import { createHmac, createPublicKey, type JsonWebKey, sign as cryptoSign } from "node:crypto";

import type { HttpRequest } from "../http/exchange.ts";
import { otherCase } from "../lib/words.ts";
import type { Patch } from "../mutations/mutation.ts";
import { base64url } from "../tokens/compact.ts";
import type { TokenDraft } from "../tokens/draft.ts";
import { foreignCertificate, foreignKey } from "../tokens/foreign-keys.ts";
import { privateKeyOf, signRaw } from "../tokens/sign.ts";
import { chosen } from "./edits/edit.ts";

/** Forms of a token and of a request, by name, as programs write and misread them. */

type Segments = readonly [header: string, payload: string, signature: string];

/** Payloads in place of the claims as JSON. */
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

function changed(segment: string, at: number): string {
  const character = segment.at(at) === "A" ? "B" : "A";
  const index = at < 0 ? segment.length + at : at;
  return segment.slice(0, index) + character + segment.slice(index + 1);
}

function withMember(segment: string): string {
  return base64url(`${Buffer.from(segment, "base64url").toString().slice(0, -1)},"x":1}`);
}

/** Texts in place of the three segments. */
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
  "payload changed": ([h, p, s]) => `${h}.${withMember(p)}.${s}`,
  "header changed": ([h, p, s]) => `${withMember(h)}.${p}.${s}`,
  "in JSON": ([h, p, s]) => JSON.stringify({ protected: h, payload: p, signature: s }),
  "a word": () => "conformance",
  nothing: () => "",
};

/** The values of the Authorization lines. */
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

/** Presentations that only exploration draws. */
export const MORE_PRESENTATIONS: typeof PRESENTATIONS = {
  "token scheme": (token) => [`Token ${token}`],
  "JWT scheme": (token) => [`JWT ${token}`],
  "shorter scheme": (token) => [`Beare ${token}`],
  "no blank": (token) => [`Bearer${token}`],
  colon: (token) => [`Bearer: ${token}`],
  "equals sign": (token) => [`Bearer=${token}`],
  "another scheme after it": (token) => [`Bearer ${token}, Basic eDp4`],
  "another scheme before it": (token) => [`Basic eDp4, Bearer ${token}`],
  "a parameter": (token) => [`Bearer token="${token}"`],
  "OAuth scheme": (token) => [`OAuth ${token}`],
  "DPoP scheme": (token) => [`DPoP ${token}`],
  "scheme twice": (token) => [`Bearer Bearer ${token}`],
  "other credentials": () => ["Basic Y29uZm9ybWFuY2U6eA=="],
  "a word": () => ["Bearer conformance"],
  "the word null": () => ["Bearer null"],
  "the word undefined": () => ["Bearer undefined"],
  "an empty object": () => ["Bearer {}"],
};

function inField(name: string, prefix = ""): (request: HttpRequest, token: string) => HttpRequest {
  return (request, token) => ({
    ...request,
    headers: [...request.headers, [name, prefix + token]],
  });
}

/** Places of the token other than the Authorization header. */
export const CARRIERS: Readonly<
  Record<string, (request: HttpRequest, token: string) => HttpRequest>
> = {
  "X-Authorization": inField("x-authorization", "Bearer "),
  "Proxy-Authorization": inField("proxy-authorization", "Bearer "),
  "X-Access-Token": inField("x-access-token"),
  "X-Auth-Token": inField("x-auth-token"),
  "X-Forwarded-Access-Token": inField("x-forwarded-access-token"),
  "X-Id-Token": inField("x-id-token"),
  X_Access_Token: inField("x_access_token"),
  "X-Api-Key": inField("x-api-key"),
  "the parameter token": (request, token) => ({
    ...request,
    path: `${request.path}${request.path.includes("?") ? "&" : "?"}token=${token}`,
  }),
};

const UUID = /[\da-f]{8}-[\da-f-]{27}/;

/** Paths in place of the route's. */
export const PATHS: Readonly<Record<string, (path: string) => string>> = {
  "slash after": (path) => `${path}/`,
  "slash doubled": (path) => path.replace("/orgs", "//orgs"),
  capitals: (path) => path.replace("/orgs", "/ORGS"),
  "id in capitals": (path) => path.replace(UUID, otherCase),
  dots: (path) => path.replace("/orgs", "/x/../orgs"),
  encoded: (path) => path.replace("/orgs", "/%6Frgs"),
  parameter: (path) => `${path};x=1`,
  extension: (path) => `${path}.json`,
  "one more": (path) => `${path}/x`,
  "below base": (path) => path.replace("/common-grants", ""),
  "no id": (path) => path.replace(/\/[\da-f]{8}-[\da-f-]{27}/, "/x"),
};

/** Paths that only exploration draws. */
export const MORE_PATHS: typeof PATHS = {
  "id with an encoded hyphen": (path) => path.replace(UUID, (id) => id.replace("-", "%2D")),
  "id with an encoded character": (path) =>
    path.replace(UUID, (id) => `%${id.charCodeAt(0).toString(16)}${id.slice(1)}`),
  "id without hyphens": (path) => path.replace(UUID, (id) => id.replaceAll("-", "")),
  "id in braces": (path) => path.replace(UUID, (id) => `%7B${id}%7D`),
  "id and a blank": (path) => path.replace(UUID, (id) => `${id}%20`),
  "dot segment": (path) => path.replace("/orgs", "/./orgs"),
  "encoded slash": (path) => path.replace(/\/(changes|[\da-f]{8}-)/, "%2F$1"),
  backslash: (path) => path.replace("/orgs/", "/orgs\\"),
  "empty parameter": (path) => path.replace("/orgs", "/orgs;"),
  "question mark": (path) => `${path}?`,
};

/** A way of making a token that the issuer did not sign as it stands. */
export interface Forgery {
  /** Members of the header that go with it. */
  readonly header?: (draft: TokenDraft, n: number) => Patch;
  /** The signature over the input. */
  readonly sign: (input: string, draft: TokenDraft, n: number) => Uint8Array;
}

/** Forms in which code may hand a public key to an HMAC. */
function secrets({ key }: TokenDraft): (string | Buffer)[] {
  const { publicJwk } = key;
  const pem = createPublicKey({ key: publicJwk as JsonWebKey, format: "jwk" });
  const text = String(pem.export({ type: "spki", format: "pem" }));
  return [
    text,
    "",
    text.trim(),
    pem.export({ type: "spki", format: "der" }),
    JSON.stringify(publicJwk),
    String(publicJwk["n"] ?? publicJwk["x"]),
    Buffer.from(String(publicJwk["n"] ?? publicJwk["x"]), "base64url"),
    key.kid,
    "secret",
    "\0",
  ];
}

const LENGTH = 64;

function good(input: string, { key }: TokenDraft): Buffer {
  return signRaw(key.alg, key, input);
}

/** Signatures that no key of the issuer verifies. */
export const FORGERIES: Readonly<Record<string, Forgery>> = {
  "another key": { sign: (input, { key }) => signRaw(key.alg, foreignKey(key.alg), input) },
  "another key that it names": {
    header: (_draft, n) => ({ kid: chosen(["foreign", undefined, "x", "", null, 0], n) }),
    sign: (input, { key }) => signRaw(key.alg, foreignKey(key.alg), input),
  },
  "another key that it brings": {
    header: ({ key }, n) => {
      const { publicJwk } = foreignKey(key.alg);
      const jwk = { ...publicJwk, alg: key.alg };
      return chosen<Patch>(
        [
          { jwk },
          { jwk: { ...jwk, kid: "foreign" }, kid: "foreign" },
          { jku: "https://x.example/jwks.json", kid: "foreign" },
          { jwks: { keys: [jwk] } },
          { jwk, kid: undefined },
          { x5u: "https://x.example/x.pem" },
          { kid: JSON.stringify(jwk) },
          { kid: `data:application/json,${encodeURIComponent(JSON.stringify({ keys: [jwk] }))}` },
          { keys: [jwk] },
          { x5c: [foreignCertificate(key.alg)] },
        ],
        n,
      );
    },
    sign: (input, { key }) => signRaw(key.alg, foreignKey(key.alg), input),
  },
  "a byte changed": {
    sign: (input, draft, n) => {
      const bytes = Buffer.from(good(input, draft));
      const at = n % bytes.length;
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      return bytes;
    },
  },
  "the last byte changed": {
    sign: (input, draft) => {
      const bytes = Buffer.from(good(input, draft));
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
      return bytes;
    },
  },
  shortened: { sign: (input, draft, n) => good(input, draft).subarray(0, -1 - n) },
  lengthened: {
    sign: (input, draft, n) => Buffer.concat([good(input, draft), Buffer.alloc(1 + n)]),
  },
  "without its beginning": { sign: (input, draft, n) => good(input, draft).subarray(1 + n) },
  empty: { sign: () => Buffer.alloc(0) },
  zeros: { sign: (input, draft) => Buffer.alloc(good(input, draft).length) },
  "one byte": { sign: (_input, _draft, n) => Buffer.from([n]) },
  "of other bytes": { sign: (_input, _draft, n) => Buffer.alloc(LENGTH, n + 1) },
  "in DER": {
    sign: (input, { key }) => cryptoSign("sha256", Buffer.from(input), privateKeyOf(key)),
  },
  "over another hash": {
    sign: (input, { key }) =>
      signRaw(
        key.alg.replace(/256|384|512/, (bits) => (bits === "512" ? "256" : "512")),
        key,
        input,
      ),
  },
  "halves swapped": {
    sign: (input, draft) => {
      const bytes = good(input, draft);
      const half = bytes.length / 2;
      return Buffer.concat([bytes.subarray(half), bytes.subarray(0, half)]);
    },
  },
  "over the payload alone": { sign: (input, draft) => good(input.split(".")[1] ?? "", draft) },
  "over the header alone": { sign: (input, draft) => good(input.split(".")[0] ?? "", draft) },
  "over another text": {
    sign: (input, draft, n) => good(input + chosen([".", " ", "\n", "x"], n), draft),
  },
  "an HMAC with the public key": {
    header: (_draft, n) => ({ alg: chosen(["HS256", "HS384", "HS512"], n >> 4) }),
    sign: (input, draft, n) => {
      const hash = chosen(["sha256", "sha384", "sha512"], n >> 4);
      return createHmac(hash, chosen(secrets(draft), n & 15))
        .update(input)
        .digest();
    },
  },
  "an HMAC under the issuer's algorithm": {
    sign: (input, draft, n) =>
      createHmac("sha256", chosen(secrets(draft), n))
        .update(input)
        .digest(),
  },
  unsecured: {
    header: (_draft, n) => ({
      alg: chosen(["none", "None", "NONE", "nOnE", "none ", "", null, undefined, [], ["none"]], n),
    }),
    sign: () => Buffer.alloc(0),
  },
  "unsecured with a signature": {
    header: (_draft, n) => ({ alg: chosen(["none", "NONE", "None"], n) }),
    sign: (input, { key }) => signRaw(key.alg, foreignKey(key.alg), input),
  },
  "another algorithm that it names": {
    header: (_draft, n) => ({
      alg: chosen(["RS512", "ES512", "PS256", "HS1", "x", "RS1", "A128KW", "dir", "EdDSA"], n),
    }),
    sign: (input, { key }) => signRaw(key.alg, foreignKey(key.alg), input),
  },
};
