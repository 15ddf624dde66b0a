import type { JsonObject } from "../lib/json.ts";

/** The three base64url segments of a compact JWS, RFC 7515 §7.1. */
export interface Segments {
  readonly header: string;
  readonly payload: string;
  readonly signature: string;
}

/** Base64url without padding, RFC 7515 §2. */
export function base64url(content: string | Uint8Array): string {
  return Buffer.from(content).toString("base64url");
}

/** Decodes a segment that the suite encoded, a JSON object. Throws on anything else. */
export function decodeSegment(segment: string): JsonObject {
  return JSON.parse(Buffer.from(segment, "base64url").toString()) as JsonObject;
}

/** Splits a compact serialization, RFC 7515 §7.1. A missing segment is empty. */
export function splitCompact(token: string): Segments {
  const [header = "", payload = "", signature = ""] = token.split(".");
  return { header, payload, signature };
}

/** Joins segments into the compact serialization, RFC 7515 §7.1. */
export function compact({ header, payload, signature }: Segments): string {
  return [header, payload, signature].join(".");
}
