import type { JsonObject } from "../lib/json.ts";
import type { IssuerKey, TestIssuer } from "../profile/target.ts";
import { base64url, compact } from "./compact.ts";
import { foreignKey } from "./foreign-keys.ts";
import { signAside } from "./sign.ts";

/** The whole header and claims of a token that a person writes, and who signs them. */
export interface EditedToken {
  /**
   * - `issuer`: the key of the test issuer that `kid` names, or else the one of good tokens
   * - `other`: a key of the same type that no receiver trusts
   * - `none`: the signature is empty
   */
  readonly key: "issuer" | "other" | "none";
  readonly header: JsonObject;
  /** See `filledClaims` for what may stand in place of values. */
  readonly claims: JsonObject;
}

export interface SignedToken {
  readonly token: string;
  /** The claims as they were signed. */
  readonly claims: JsonObject;
  /** The key and the algorithm of the signature. Absent where it is empty. */
  readonly signedWith?: { readonly alg: string; readonly kid: string } | undefined;
}

/** The claims in which `"now+600"` stands for a time. */
export const RELATIVE_CLAIMS: ReadonlySet<string> = new Set(["exp", "iat", "nbf", "auth_time"]);
const RELATIVE = /^now(?:([+-])(\d{1,12}))?$/;
const UNIQUE = "${unique}";
/** Stands for a value of the profile that is not shown. */
export const OF_PROFILE = "${profile}";

/** What stands in place of values. */
export interface Filling {
  /** The time in seconds since the epoch. */
  readonly now: number;
  /** In place of `${unique}`. */
  readonly unique: string;
  readonly issuer: Pick<TestIssuer, "claims" | "header">;
}

/**
 * Signs header and claims exactly as they are, with the algorithm of the header where the key has it, or else with its own.
 * @param issuer with the private halves of its keys
 */
export async function signEdited(
  { key: choice, header: given, claims: written }: EditedToken,
  issuer: TestIssuer,
  filling: Filling,
): Promise<SignedToken> {
  const header = filledHeader(given, filling);
  const claims = filledClaims(written, filling);
  const [first, payload] = [header, claims].map((part) => base64url(JSON.stringify(part)));
  const segments = { header: first ?? "", payload: payload ?? "", signature: "" };
  if (choice === "none") return { token: compact(segments), claims };
  const alg = typeof header["alg"] === "string" ? header["alg"] : issuer.key.alg;
  const key = choice === "other" ? keyOfNobody(alg, issuer.key.alg) : keyOfIssuer(header, issuer);
  const input = `${segments.header}.${segments.payload}`;
  const made =
    (await signature(alg, key, input)) ?? (await signature(key.alg, key, input, "or throw"));
  const token = compact({ ...segments, signature: base64url(made?.bytes ?? "") });
  return { token, claims, signedWith: { alg: made?.alg ?? key.alg, kid: key.kid } };
}

function filledHeader(header: JsonObject, { issuer }: Filling): JsonObject {
  return mapped(header, (value, name) => (value === OF_PROFILE ? issuer.header[name] : value));
}

/**
 * Claims with values in the places of `"now"`, `"now-60"` and `"now+600"` as the whole of a time, of `${unique}` in a text, and
 * of `"${profile}"` as the whole of a claim that the profile sets.
 */
function filledClaims(claims: JsonObject, { now, unique, issuer }: Filling): JsonObject {
  return mapped(claims, (value, name) => {
    if (typeof value !== "string") return value;
    if (value === OF_PROFILE) return issuer.claims[name];
    const [whole, sign, seconds = "0"] = RELATIVE.exec(value) ?? [];
    if (whole !== undefined && RELATIVE_CLAIMS.has(name)) {
      return sign === "-" ? now - Number(seconds) : now + Number(seconds);
    }
    return value.replaceAll(UNIQUE, unique);
  });
}

function mapped(object: JsonObject, change: (value: unknown, name: string) => unknown): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [name, change(value, name)]),
  );
}

function keyOfIssuer({ kid }: JsonObject, { keys, key }: TestIssuer): IssuerKey {
  return keys.find((one) => one.kid === kid) ?? key;
}

function keyOfNobody(alg: string, usual: string): IssuerKey {
  try {
    return foreignKey(alg);
  } catch {
    return foreignKey(usual);
  }
}

/** `undefined` where the key cannot sign with the algorithm. */
async function signature(
  alg: string,
  key: IssuerKey,
  input: string,
  otherwise?: "or throw",
): Promise<{ readonly alg: string; readonly bytes: Buffer } | undefined> {
  try {
    return { alg, bytes: await signAside(alg, key, input) };
  } catch (error) {
    if (otherwise) throw error;
    return undefined;
  }
}
