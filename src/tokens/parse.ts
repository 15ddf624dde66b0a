import { isObject, type JsonObject, parseJson } from "../lib/json.ts";
import { repeatedMembers } from "../lib/strict-json.ts";
import { counted } from "../lib/words.ts";

/** A signed JWT in the compact serialization, as a reader without its key sees it. */
export interface ParsedToken {
  readonly header: JsonObject;
  readonly claims: JsonObject;
  /** Names of members that occur more than once in the header or the claims, such as `aud`. */
  readonly repeated: readonly string[];
}

const BASE64URL = /^[\w-]*$/;

/**
 * Parses a token of any origin, RFC 7519 §7.2. Verifies nothing.
 * @returns a phrase that says why it is not a signed JWT; the phrase quotes nothing of the token
 */
export function parseToken(token: string): ParsedToken | string {
  if (token === "") return "there is nothing";
  if (token.startsWith("{")) return "it is JSON; a JWT is in the compact serialization";
  const segments = token.split(".");
  if (segments.length === 5) {
    return "it has five segments, so it is encrypted (JWE), and only its recipient can read it";
  }
  if (segments.length !== 3) {
    return `it has ${counted(segments.length, "segment")} between dots, and a signed JWT has three`;
  }
  const [header = "", payload = "", signature = ""] = segments;
  for (const [name, segment] of Object.entries({ header, payload, signature })) {
    if (!BASE64URL.test(segment)) return `the ${name} is not base64url`;
  }
  const read = { header: objectIn(header), payload: objectIn(payload) };
  if (typeof read.header === "string") return `the header ${read.header}`;
  if (typeof read.payload === "string") return `the payload ${read.payload}`;
  return {
    header: read.header.object,
    claims: read.payload.object,
    repeated: [...read.header.repeated, ...read.payload.repeated],
  };
}

function objectIn(segment: string): { object: JsonObject; repeated: string[] } | string {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.from(segment, "base64url"));
  } catch {
    return "is not UTF-8";
  }
  const value = parseJson(text);
  if (value === undefined) return "is not JSON";
  if (!isObject(value)) return "is not a JSON object";
  const outermost = [...repeatedMembers(text)].filter((path) => path.length === 1).flat();
  return { object: value, repeated: [...new Set(outermost)] };
}
