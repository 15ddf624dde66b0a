import type { Change } from "../tokens/change.ts";
import type { JsonObject } from "../tokens/draft.ts";

/** A compact token's two JSON parts as far as they can be read. */
export function decodeToken(token: string): { header?: JsonObject; claims?: JsonObject } {
  const [header, payload] = token.split(".", 2);
  const parts = { header: jsonObject(header), claims: jsonObject(payload) };
  return {
    ...(parts.header && { header: parts.header }),
    ...(parts.claims && { claims: parts.claims }),
  };
}

/**
 * In which one thing a probe differs from its control: what the change says of itself, then each
 * header parameter and claim that it shows in.
 */
export function describeDifference(change: Change, good: string, probe: string): string[] {
  const [a, b] = [decodeToken(good), decodeToken(probe)];
  return [
    change.what,
    ...members("header", a.header, b.header),
    ...members("claim", a.claims, b.claims),
  ];
}

function members(kind: string, a: JsonObject | undefined, b: JsonObject | undefined): string[] {
  if (!a || !b) return [];
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return names
    .filter((name) => shown(a[name]) !== shown(b[name]))
    .map((name) => `${kind} ${name}: ${shown(a[name])} -> ${shown(b[name])}`);
}

function shown(value: unknown): string {
  return value === undefined ? "absent" : JSON.stringify(value);
}

function jsonObject(segment: string | undefined): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(segment ?? "", "base64url").toString("utf8"));
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as JsonObject)
      : undefined;
  } catch {
    return undefined;
  }
}
