import type { Change } from "../tokens/change.ts";
import type { JsonObject } from "../tokens/draft.ts";

/** The two JSON parts of a token, as far as they can be read. */
export interface TokenParts {
  readonly header?: JsonObject;
  readonly claims?: JsonObject;
}

/** A compact token's parts; claims only where they follow a header. */
export function decodeToken(token: string): TokenParts {
  const [header, claims] = token.split(".", 2).map(jsonObject);
  return header ? { header, ...(claims && { claims }) } : {};
}

/** Longer values are cut where they are shown or recorded: a report must be readable by every parser. */
const LONGEST_SHOWN = 400;

/** What a record tells of a token: its two parts, long values cut. */
export function noteToken(token: string): TokenParts {
  return Object.fromEntries(
    Object.entries(decodeToken(token)).map(([part, object]) => [
      part,
      Object.fromEntries(
        Object.entries(object).map(([name, value]) => {
          const json = JSON.stringify(value);
          return [name, json.length > LONGEST_SHOWN ? cut(json) : value];
        }),
      ),
    ]),
  );
}

/**
 * In which one thing a probe differs from its control: what the change says of itself, then each
 * header parameter and claim that it shows in.
 * @param good the parts of the token that the control was sent with
 * @param probe the token that the probe was sent with
 */
export function describeDifference(change: Change, good: TokenParts, probe: string): string[] {
  const sent = decodeToken(probe);
  return [
    change.what,
    ...members("header", good.header, sent.header),
    ...members("claim", good.claims, sent.claims),
  ];
}

function members(kind: string, a: JsonObject | undefined, b: JsonObject | undefined): string[] {
  if (!a || !b) return [];
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return names
    .filter((name) => JSON.stringify(a[name]) !== JSON.stringify(b[name]))
    .map((name) => `${kind} ${name}: ${shown(a[name])} -> ${shown(b[name])}`);
}

function shown(value: unknown): string {
  return value === undefined ? "absent" : cut(JSON.stringify(value));
}

function cut(json: string): string {
  return json.length > LONGEST_SHOWN
    ? `${json.slice(0, LONGEST_SHOWN / 2)}… (${json.length} characters)`
    : json;
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
