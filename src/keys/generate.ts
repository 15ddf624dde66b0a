import { existsSync } from "node:fs";
import { writeFile, appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";

import { calculateJwkThumbprint, exportJWK, generateKeyPair } from "jose";

import { SuiteError } from "../lib/errors.ts";
import { makeFolder } from "../lib/make-folder.ts";
import { displayPath } from "../lib/paths.ts";
import { ALGORITHMS, type Algorithm, type Jwk, USUAL_ALGORITHMS } from "./algorithms.ts";
import { PRIVATE_FILE, PUBLIC_FILE, publicMembers } from "./jwks-file.ts";

export interface GeneratedKeys {
  readonly publicFile: string;
  readonly privateFile: string;
  readonly keys: readonly { readonly kid: string; readonly alg: Algorithm }[];
}

/**
 * Makes the keys of a test issuer: a folder with `jwks.json` and `private.jwks.json`. Only the owner can read the
 * latter, and git ignores it. Each `kid` is the key's thumbprint, RFC 7638. Keys are RSA with 2048 bits, or on the
 * algorithm's curve. The first algorithm has two keys, which exposes a receiver that takes the first key that fits.
 * @param folder created when it is missing
 * @param options.algorithms one key for each, in this order, then a second one for the first; default: RS256, PS256,
 * ES256, EdDSA
 * @throws {SuiteError} when an algorithm is unknown, when either file exists, or when they cannot be written
 */
export async function generateKeys(
  folder: string,
  options: { readonly algorithms?: readonly string[] | undefined } = {},
): Promise<GeneratedKeys> {
  const algorithms = knownAlgorithms(options.algorithms ?? USUAL_ALGORITHMS);
  const publicFile = join(folder, PUBLIC_FILE);
  const privateFile = join(folder, PRIVATE_FILE);
  for (const file of [publicFile, privateFile]) {
    if (existsSync(file)) throw alreadyThere(file);
  }
  const keys = await Promise.all(withSecond(algorithms).map(newKey));
  makeKeyFolder(folder);
  await ignorePrivateKeys(folder);
  await writeNew(
    privateFile,
    { comment: "Private keys of a test issuer. Never trust them in production.", keys },
    0o600,
  );
  await writeNew(publicFile, { keys: keys.map(publicMembers) }, 0o644);
  return { publicFile, privateFile, keys: keys.map(({ kid, alg }) => ({ kid, alg })) };
}

function knownAlgorithms(algorithms: readonly string[]): Algorithm[] {
  if (algorithms.length === 0)
    throw new SuiteError("ERR_FLAG", "No algorithm is named for the new keys");
  return algorithms.map((wanted) => {
    const known = ALGORITHMS.find((alg) => alg === wanted);
    if (known) return known;
    throw new SuiteError("ERR_FLAG", `${wanted} is not an algorithm that keys can be made for`, {
      hint: `Known ones: ${ALGORITHMS.join(", ")}.`,
    });
  });
}

/** Repeats the first algorithm at the end, unless the list already repeats it. */
function withSecond(algorithms: readonly Algorithm[]): readonly Algorithm[] {
  const [first, ...others] = algorithms;
  return first === undefined || others.includes(first) ? algorithms : [...algorithms, first];
}

/** A new private key for an algorithm, as a JWK with `use` `sig`. Its `kid` is its SHA-256 thumbprint, RFC 7638. */
export async function newKey(alg: Algorithm): Promise<Jwk & { kid: string; alg: Algorithm }> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  const { kty, ...members } = await exportJWK(privateKey);
  if (!kty) throw new TypeError(`the key made for ${alg} has no type`);
  const jwk = { kty, ...members };
  return { ...jwk, kid: await calculateJwkThumbprint(jwk), alg, use: "sig" };
}

function makeKeyFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (cause) {
    throw new SuiteError("ERR_KEYS", `${displayPath(folder)} cannot be made a folder`, {
      hint: "Name a folder, or one yet to be made, that you may write to.",
      cause,
    });
  }
}

async function writeNew(file: string, content: object, mode: number): Promise<void> {
  try {
    await writeFile(file, `${JSON.stringify(content, null, 2)}\n`, { flag: "wx", mode });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") throw alreadyThere(file);
    throw new SuiteError("ERR_KEYS", `${displayPath(file)} cannot be written`, { cause });
  }
}

function alreadyThere(file: string): SuiteError {
  return new SuiteError(
    "ERR_KEYS",
    `${displayPath(file)} exists already; keys are never overwritten`,
    { hint: "Name another folder, or remove the old keys first." },
  );
}

/**
 * Makes git ignore the private keys of a folder: adds their file to the folder's `.gitignore`, unless
 * it is listed there.
 * @param folder an existing folder
 * @throws {SuiteError} when the file cannot be read or written
 */
export async function ignorePrivateKeys(folder: string): Promise<void> {
  const file = join(folder, ".gitignore");
  try {
    const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return "";
      throw error;
    });
    const lines = text.split(/\r?\n/).map((line) => line.trim());
    if (lines.includes(PRIVATE_FILE) || lines.includes(`/${PRIVATE_FILE}`)) return;
    const newLine = text === "" || text.endsWith("\n") ? "" : "\n";
    await appendFile(file, `${newLine}${PRIVATE_FILE}\n`);
  } catch (cause) {
    throw new SuiteError("ERR_KEYS", `${displayPath(file)} cannot be written`, {
      hint: `It keeps ${PRIVATE_FILE} out of version control.`,
      cause,
    });
  }
}
