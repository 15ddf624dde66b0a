import { createTransport } from "../http/connection/transport.ts";
import type { Jwk } from "../keys/algorithms.ts";
import { bufferOf } from "../lib/bytes.ts";
import { naming, SuiteError } from "../lib/errors.ts";
import { isObject } from "../lib/json.ts";
import { readRegularFile } from "../lib/regular-file.ts";
import { strictJson } from "../lib/strict-json.ts";
import { isLoopbackHost } from "../lib/uri.ts";

/** Room for hundreds of keys. */
const MOST_BYTES = 1024 * 1024;
const MOST_KEYS = 200;
const TIMEOUT_MS = 10_000;

/**
 * Reads a private JWK (RFC 7517) from a file. The error message quotes no value of the file.
 * @throws SuiteError when the file contains no private JWK
 */
export function readPrivateKey(path: string, shown: string): Jwk {
  const jwk = jsonOf(readText(path, shown), shown);
  if (!isObject(jwk) || typeof jwk["kty"] !== "string" || typeof jwk["d"] !== "string") {
    throw new SuiteError("ERR_KEYS", `${shown} contains no private JWK`, {
      hint: 'A private JWK is a JSON object with "kty" and "d", RFC 7517. A key that signs attestations is no key of a test issuer.',
    });
  }
  return jwk as Jwk;
}

/**
 * Reads a JWK Set (RFC 7517 §5) from a file or an `https` URL; on this machine also from an `http` URL.
 * @param resolve makes a path absolute
 * @throws SuiteError when it cannot be read or is not a JWK Set
 */
export async function readPublicKeys(
  named: string,
  resolve: (path: string) => string,
): Promise<Jwk[]> {
  const isUrl = /^https?:\/\//i.test(named);
  const set = jsonOf(isUrl ? await fetchText(named) : readText(resolve(named), named), named);
  const keys: unknown = isObject(set) ? set["keys"] : undefined;
  if (!Array.isArray(keys) || keys.length > MOST_KEYS) {
    throw new SuiteError("ERR_KEYS", `${named} is not a JWK Set: an object with a list "keys"`);
  }
  return keys.filter((key): key is Jwk => isObject(key) && typeof key["kty"] === "string");
}

function jsonOf(text: string, shown: string): unknown {
  return naming(shown, "ERR_KEYS", () => strictJson(text));
}

function readText(path: string, shown: string): string {
  return naming(shown, "ERR_KEYS", () => readRegularFile(path, MOST_BYTES).toString("utf8"));
}

async function fetchText(url: string): Promise<string> {
  if (!URL.canParse(url)) throw new SuiteError("ERR_KEYS", `${url} is not a URL`);
  const { protocol, hostname, origin, pathname, search } = new URL(url);
  if (protocol !== "https:" && !isLoopbackHost(hostname)) {
    throw new SuiteError(
      "ERR_KEYS",
      `${url} is not an https URL, so an attacker on the network could replace the keys`,
    );
  }
  const request = { headers: {}, timeoutMs: TIMEOUT_MS };
  const transport = createTransport({ origin, request, secrets: [] }, 1);
  const accept = ["accept", "application/jwk-set+json, application/json"] as const;
  try {
    const spec = { method: "GET", path: pathname + search, headers: [accept] };
    const answer = await transport.transmit(spec, true);
    if ("fault" in answer) throw new Error(answer.fault.message);
    if (answer.status !== 200) throw new Error(`it was answered ${answer.status}`);
    if (answer.cut || answer.body.length > MOST_BYTES) {
      throw new Error("it is too large for a key set");
    }
    return bufferOf(answer.body).toString("utf8");
  } catch (cause) {
    const { message } = cause as Error;
    throw new SuiteError("ERR_KEYS", `${url} could not be read: ${message}`, { cause });
  } finally {
    await transport.close();
  }
}
