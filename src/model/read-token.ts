import { isObject, type JsonObject, parseJson } from "../lib/json.ts";
import { repeatedMembers } from "../lib/strict-json.ts";
import type { KnownIssuer } from "./known.ts";
import type { AskedToken, Flaw, Signature } from "./token.ts";
import { publicSecret, verifies } from "./verify.ts";

const BASE64URL = /^[\w-]*$/;
const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]*$/;
const BOM = "\uFEFF";

/** The texts of a token that a signature covers, and the signature. */
interface Parts {
  readonly header: string;
  readonly payload: string;
  readonly signature: string;
}

/**
 * Reads a token as leniently as any receiver might, and notes what is wrong with it.
 * @param issuers the trusted issuers, with whose keys its signature is verified; none where they are not known
 */
export function readToken(text: string, issuers: readonly KnownIssuer[] = []): AskedToken {
  const flaws = new Set<Flaw>();
  const { header: headerText, payload: payloadText, signature } = split(text, flaws);
  const header = objectIn(headerText, flaws);
  // RFC 7797: between the first and the last dot, the payload may stand as it is.
  const isRaw = header.object?.["b64"] === false && flaws.has("not compact");
  const raw = isRaw ? text.slice(text.indexOf(".") + 1, text.lastIndexOf(".")) : undefined;
  const payload =
    raw === undefined ? objectIn(payloadText, flaws) : jsonObject(Buffer.from(raw), flaws);
  if (isNested(header.object, payload.text)) flaws.add("nested token");
  const rank = ({ url }: KnownIssuer): number => (url === payload.object?.["iss"] ? 0 : 1);
  const parts = { header: headerText, payload: raw ?? payloadText, signature };
  return {
    flaws,
    header: header.object,
    claims: payload.object,
    repeated: [...new Set([...header.repeated, ...payload.repeated])],
    signature: signatureOf(
      raw === undefined ? parts : { ...parts, signature: text.slice(text.lastIndexOf(".") + 1) },
      header.object,
      // Where issuers share a key, it counts as that of the issuer that the token names.
      issuers.toSorted((a, b) => rank(a) - rank(b)),
      raw !== undefined,
    ),
    length: text.length,
  };
}

function split(text: string, flaws: Set<Flaw>): Parts {
  if (text.startsWith("{")) {
    flaws.add("not compact");
    const outer = parseJson(text);
    const read = (name: string): string => {
      const member = isObject(outer) ? outer[name] : undefined;
      return typeof member === "string" ? member : "";
    };
    return { header: read("protected"), payload: read("payload"), signature: read("signature") };
  }
  const segments = text.split(".");
  const full = segments.filter((one) => one !== "");
  const isPadded = segments.length > 3 && full.length === 3;
  if (segments.length !== 3) flaws.add(isPadded ? "empty segments" : "not compact");
  const [header = "", payload = "", signature = ""] = isPadded ? full : segments;
  return { header, payload, signature };
}

interface Read {
  readonly object: JsonObject | undefined;
  readonly text: string;
  readonly repeated: readonly string[];
}

function objectIn(segment: string, flaws: Set<Flaw>): Read {
  if (!BASE64URL.test(segment)) flaws.add("junk in encoding");
  return jsonObject(Buffer.from(segment, "base64url"), flaws);
}

function jsonObject(bytes: Buffer, flaws: Set<Flaw>): Read {
  const text = bytes.toString("utf8");
  const value = parsed(text.startsWith(BOM) ? text.slice(1) : text);
  if (!isObject(value)) return { object: undefined, text, repeated: [] };
  if (!Buffer.from(text).equals(bytes)) flaws.add("not UTF-8");
  if (text.startsWith(BOM)) flaws.add("byte order mark");
  if (parseJson(text) === undefined) flaws.add("nested deeply");
  const outermost = [...repeatedMembers(text)].filter((path) => path.length === 1).flat();
  return { object: value, text, repeated: outermost };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** RFC 7519 §5.2: `cty` of a token whose payload is another one. */
function isNested(header: JsonObject | undefined, payload: string): boolean {
  return /^JWT$/i.test(String(header?.["cty"])) && COMPACT.test(payload);
}

function signatureOf(
  { header: headerText, payload, signature }: Parts,
  header: JsonObject | undefined,
  issuers: readonly KnownIssuer[],
  isRaw: boolean,
): Signature {
  if (signature === "") return { is: "empty" };
  const alg = header?.["alg"];
  if (alg === undefined) return { is: "invalid" };
  const bytes = Buffer.from(signature, "base64url");
  const spelled = spellingOf(signature, bytes);
  const input = `${headerText}.${payload}`;
  // An `alg` of another type names no algorithm, which leaves that of the key.
  const algorithmFor = (jwk: JsonObject): string =>
    String(typeof alg === "string" ? alg : jwk["alg"]);
  const found = findKey(issuers, header?.["kid"], (jwk) =>
    verifies(algorithmFor(jwk), jwk, input, bytes),
  );
  if (found) {
    return { ...found, ...(isRaw && { unencoded: true }), ...(spelled && { spelled }) };
  }
  if (header?.["b64"] === false && !isRaw) {
    const plain = `${headerText}.${Buffer.from(payload, "base64url").toString()}`;
    const over = findKey(issuers, header["kid"], (jwk) =>
      verifies(algorithmFor(jwk), jwk, plain, bytes),
    );
    if (over) return { ...over, unencoded: true };
  }
  if (bytes[0] === 0) {
    const rest = bytes.subarray(1);
    const led = findKey(issuers, header?.["kid"], (jwk) =>
      verifies(algorithmFor(jwk), jwk, input, rest),
    );
    if (led) return { ...led, spelled: "with a leading zero" };
  }
  const jwks = issuers.flatMap(({ keys = [] }) => keys);
  return { is: "invalid", keyedBy: publicSecret(alg, jwks, input, bytes), spelled };
}

function spellingOf(text: string, bytes: Buffer): "with junk" | "otherwise" | undefined {
  if (bytes.toString("base64url") === text) return undefined;
  return /^[\w+/-]*={0,4}$/.test(text) ? "otherwise" : "with junk";
}

/** The key that verifies, the one that `kid` names before all others. */
function findKey(
  issuers: readonly KnownIssuer[],
  kid: unknown,
  isRight: (jwk: JsonObject) => boolean,
): Extract<Signature, { is: "valid" }> | undefined {
  const keys = issuers.flatMap(({ url, keys: own }) => (own ?? []).map((jwk) => ({ url, jwk })));
  const named = keys.filter(({ jwk }) => jwk["kid"] === kid);
  const others = keys.filter(({ jwk }) => jwk["kid"] !== kid);
  const found = [...named, ...others].find(({ jwk }) => isRight(jwk));
  if (!found) return undefined;
  return { is: "valid", issuer: found.url, kid: found.jwk["kid"], alg: found.jwk["alg"] };
}
