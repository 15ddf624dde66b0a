import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";

import { SuiteError } from "../lib/errors.ts";
import { displayPath } from "../lib/paths.ts";
import { readRegularFile } from "../lib/regular-file.ts";

/** All the authorities that an operating system trusts take a quarter of this. */
const MOST_BYTES = 1024 * 1024;

/** What a client shows in mutual TLS, both PEM. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}

/**
 * Certificates from a PEM file, the whole file as text.
 * @param cwd messages name the file relative to this folder
 * @throws {SuiteError} when it cannot be read, or the first of them is none
 */
export function readCertificates(file: string, cwd: string): string {
  const pem = readPem(file, cwd);
  if (firstCertificate(pem)) return pem;
  throw new SuiteError("ERR_PROFILE", `${displayPath(file, cwd)} holds no certificate in PEM`, {
    hint: "It begins with -----BEGIN CERTIFICATE-----.",
  });
}

/**
 * A client certificate with its private key.
 * @param cert PEM text; the first certificate is the client's own
 * @param keyFile holds the private key, PEM, not encrypted
 * @param cwd messages name the file relative to this folder
 * @throws {SuiteError} when the key cannot be read, or is another certificate's. The message never quotes the file.
 */
export function readClientCertificate(
  cert: string,
  keyFile: string,
  cwd: string,
): ClientCertificate {
  const pem = readPem(keyFile, cwd);
  const key = privateKey(pem);
  if (!key) {
    throw new SuiteError(
      "ERR_PROFILE",
      `${displayPath(keyFile, cwd)} holds no private key in PEM that can be used`,
      {
        hint: "It begins with -----BEGIN PRIVATE KEY-----, and no passphrase protects it.",
      },
    );
  }
  if (!firstCertificate(cert)?.checkPrivateKey(key)) {
    throw new SuiteError(
      "ERR_PROFILE",
      `${displayPath(keyFile, cwd)} is not the private key of request.cert`,
      {
        hint: "Name both files of one pair; of a chain, the client's own certificate comes first.",
      },
    );
  }
  return { cert, key: pem };
}

function readPem(file: string, cwd: string): string {
  try {
    return readRegularFile(file, MOST_BYTES).toString("utf8");
  } catch (cause) {
    const { message } = cause as Error;
    throw new SuiteError("ERR_PROFILE", `${displayPath(file, cwd)} ${message}`, {
      hint: "It is found from the profile's folder.",
      cause,
    });
  }
}

function firstCertificate(pem: string): X509Certificate | undefined {
  try {
    return new X509Certificate(pem);
  } catch {
    return undefined;
  }
}

function privateKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}
