import { createPrivateKey, X509Certificate } from "node:crypto";

import { naming, SuiteError } from "../lib/errors.ts";
import { displayPath } from "../lib/paths.ts";
import { readRegularFile } from "../lib/regular-file.ts";

/** Four times the size of all authorities that an operating system trusts. */
const MOST_BYTES = 1024 * 1024;

/**
 * Reads a PEM file with certificates, as text.
 * @param cwd messages name the file relative to this folder
 * @throws {SuiteError} when it cannot be read, or its first certificate is invalid
 */
export function readCertificates(file: string, cwd: string): string {
  const pem = readPem(file, cwd);
  if (tried(() => new X509Certificate(pem))) return pem;
  throw new SuiteError(
    "ERR_PROFILE",
    `${displayPath(file, cwd)} does not hold a certificate in PEM`,
    { hint: "It begins with -----BEGIN CERTIFICATE-----." },
  );
}

/**
 * Reads the private key of a client certificate, as text.
 * @param file holds the private key, PEM, not encrypted
 * @param cert PEM text; the first certificate is the client's own
 * @param cwd messages name the file relative to this folder
 * @throws {SuiteError} when the key cannot be read, or belongs to another certificate. The message
 * never quotes the file.
 */
export function readPrivateKey(file: string, cert: string, cwd: string): string {
  const pem = readPem(file, cwd);
  const key = tried(() => createPrivateKey(pem));
  if (!key) {
    throw new SuiteError(
      "ERR_PROFILE",
      `${displayPath(file, cwd)} does not hold a usable private key in PEM`,
      { hint: "It must begin with -----BEGIN PRIVATE KEY-----, and must not need a passphrase." },
    );
  }
  if (!tried(() => new X509Certificate(cert))?.checkPrivateKey(key)) {
    throw new SuiteError(
      "ERR_PROFILE",
      `${displayPath(file, cwd)} is not the private key of \`request.cert\``,
      {
        hint: "Name both files of one pair; of a chain, the client's own certificate comes first.",
      },
    );
  }
  return pem;
}

function readPem(file: string, cwd: string): string {
  const hint = "The path is relative to the profile's folder.";
  const read = (): Buffer => readRegularFile(file, MOST_BYTES);
  return naming(displayPath(file, cwd), "ERR_PROFILE", read, hint).toString("utf8");
}

/** What a text holds; `undefined` where it does not. */
function tried<Held>(read: () => Held): Held | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
