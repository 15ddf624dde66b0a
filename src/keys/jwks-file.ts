import { join } from "node:path";

import { naming, SuiteError } from "../lib/errors.ts";
import { isObject } from "../lib/json.ts";
import { displayPath } from "../lib/paths.ts";
import { readRegularFile } from "../lib/regular-file.ts";
import { strictJson } from "../lib/strict-json.ts";
import type { Jwk } from "./algorithms.ts";

/** The public half of a keys folder, which a deployment trusts. */
export const PUBLIC_FILE = "jwks.json";

/** The private half of a keys folder, which signs tokens. */
export const PRIVATE_FILE = "private.jwks.json";

/**
 * Reads the signing keys of a JWK Set file, RFC 7517 §5, in its order. Skips keys with `use: enc`.
 * @param cwd see `displayPath`
 * @throws {SuiteError} when the file is missing, is not JSON, is not a JWK Set or holds no signing
 * key. The message quotes no value of the file.
 */
export function readJwks(
  folder: string,
  name: typeof PUBLIC_FILE | typeof PRIVATE_FILE,
  cwd?: string,
): Jwk[] {
  const file = join(folder, name);
  const shown = displayPath(file, cwd);
  const hint = `A keys folder holds ${PUBLIC_FILE} and ${PRIVATE_FILE}; \`orgsync-conformance keys generate <folder>\` makes one.`;
  const bytes = naming(shown, "ERR_KEYS", () => readRegularFile(file, MOST_BYTES), hint);
  const set = parseJson(bytes.toString("utf8"), shown);
  const keys: unknown = isObject(set) ? set["keys"] : undefined;
  if (!Array.isArray(keys)) {
    throw new SuiteError(
      "ERR_KEYS",
      `${shown} is not a JWK Set: it must be an object with a list "keys"`,
    );
  }
  const malformed = keys.findIndex((key) => !isObject(key) || typeof key["kty"] !== "string");
  if (malformed >= 0) {
    throw new SuiteError(
      "ERR_KEYS",
      `${shown}: keys[${malformed}] is not a JWK: it must be an object with "kty"`,
    );
  }
  const signing = (keys as Jwk[]).filter((key) => key["use"] !== "enc");
  if (signing.length === 0) throw new SuiteError("ERR_KEYS", `${shown} holds no signing key`);
  return signing;
}

/** Room for hundreds of keys. */
const MOST_BYTES = 1024 * 1024;

function parseJson(text: string, shown: string): unknown {
  try {
    // Some editors write a byte order mark.
    return strictJson(text.replace(/^\uFEFF/, ""));
  } catch (cause) {
    const why = text.includes("\uFFFD")
      ? "is not encoded in UTF-8; save it as UTF-8"
      : (cause as Error).message;
    throw new SuiteError("ERR_KEYS", `${shown} ${why}`, { cause });
  }
}

/** RFC 7517 §4; RFC 7518 §6.3.1 (RSA) and §6.2.1 (EC); RFC 8037 §2 (OKP). */
const PUBLIC_MEMBERS: ReadonlySet<string> = new Set(
  "kty use key_ops alg kid x5u x5c x5t x5t#S256 n e crv x y".split(" "),
);

/** A JWK with only the members that may be published. */
export function publicMembers(jwk: Jwk): Jwk {
  return Object.fromEntries(
    Object.entries(jwk).filter(([member]) => PUBLIC_MEMBERS.has(member)),
  ) as Jwk;
}

/** RFC 7518 §6.2.2 (EC), §6.3.2 (RSA) and §6.4 (symmetric); RFC 8037 §2 (OKP). */
const PRIVATE_MEMBERS = ["d", "p", "q", "dp", "dq", "qi", "k"];
/** Members of each further prime in `oth`, RFC 7518 §6.3.2.7. */
const PRIME_MEMBERS = ["r", "d", "t"];

/** The values of a JWK that must never be shown. */
export function privateValues(jwk: Readonly<Record<string, unknown>>): string[] {
  const { oth } = jwk;
  const primes = Array.isArray(oth) ? oth.filter(isObject) : [];
  return [
    ...PRIVATE_MEMBERS.map((name) => jwk[name]),
    ...primes.flatMap((prime) => PRIME_MEMBERS.map((name) => prime[name])),
  ].filter((value) => typeof value === "string");
}
