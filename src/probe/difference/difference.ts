import { isObject, type JsonObject } from "../../lib/json.ts";

/** The JSON parts of a token, as far as they can be read. */
export interface TokenParts {
  readonly header?: JsonObject | undefined;
  readonly claims?: JsonObject | undefined;
}

/** Decodes a compact token. There are claims only where there is a header. */
export function decodeToken(token: string): TokenParts {
  const [header, claims] = token.split(".", 2).map(jsonObject);
  return header ? { header, ...(claims && { claims }) } : {};
}

/** Longer values are cut where they are shown or recorded, so that every parser can read a report. */
const LONGEST_SHOWN = 400;

/** What the record shows of a token: its two parts, with long values cut. */
export function noteToken(token: TokenParts): TokenParts {
  return Object.fromEntries(
    Object.entries(token).map(([part, object]) => [
      part,
      Object.fromEntries(Object.entries(object).map(([name, value]) => [name, shown(value)])),
    ]),
  );
}

/**
 * One place in which a probe differs from its control. `control` and `probe` are the values there; an
 * absent member means that the request has no such thing. Long values are cut.
 */
export type Difference =
  /** A member of the token's header or claims; values as JSON. */
  | {
      readonly part: "header" | "claim";
      readonly name: string;
      readonly control?: unknown;
      readonly probe?: unknown;
    }
  /** The number of segments of the token. A good token has three. */
  | { readonly part: "segments"; readonly control: number; readonly probe: number }
  /** The same members, or the same signature, as another base64url text. */
  | { readonly part: "encoding"; readonly of: "header" | "payload" | "signature" }
  /** The same members as another JSON text, which differs from character `at` (counted from 1) on. */
  | {
      readonly part: "text";
      readonly of: "header" | "payload";
      readonly at: number;
      readonly control: string;
      readonly probe: string;
    }
  /** The lengths of the signatures in bytes. `at` is the only byte that differs, counted from 1. */
  | {
      readonly part: "signature";
      readonly control: number;
      readonly probe: number;
      readonly at?: number;
    }
  /** The request line, a header field, the body, or how the token is presented: `Bearer [token]`. */
  | {
      readonly part: "method" | "path" | "body" | "authorization";
      readonly control?: string | undefined;
      readonly probe?: string | undefined;
    }
  | {
      readonly part: "field";
      readonly name: string;
      readonly control?: string | undefined;
      readonly probe?: string | undefined;
    };

/** The members of header and claims in which a token differs from a good one. */
export function memberDifferences(good: TokenParts, probe: TokenParts): Difference[] {
  return [
    ...members("header", good.header, probe.header),
    ...members("claim", good.claims, probe.claims),
  ];
}

function members(
  part: "header" | "claim",
  a: JsonObject | undefined,
  b: JsonObject | undefined,
): Difference[] {
  if (!a || !b) return [];
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  return names
    .filter((name) => JSON.stringify(a[name]) !== JSON.stringify(b[name]))
    .map((name) => ({
      part,
      name,
      ...(a[name] !== undefined && { control: shown(a[name]) }),
      ...(b[name] !== undefined && { probe: shown(b[name]) }),
    }));
}

/** A value as it may be recorded. A long value becomes the beginning of its JSON. */
function shown(value: unknown): unknown {
  const json = JSON.stringify(value);
  return json.length > LONGEST_SHOWN
    ? `${json.slice(0, LONGEST_SHOWN / 2)}… (${json.length} characters)`
    : value;
}

function jsonObject(segment: string | undefined): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(segment ?? "", "base64url").toString("utf8"));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
