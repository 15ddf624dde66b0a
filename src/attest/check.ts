import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { isDeepStrictEqual } from "node:util";

import type { Jwk } from "../keys/algorithms.ts";
import { SuiteError } from "../lib/errors.ts";
import { isObject } from "../lib/json.ts";
import { packageRoot } from "../lib/package-root.ts";
import { strictJson } from "../lib/strict-json.ts";
import type { WholeReport } from "../report/read-report.ts";
import { type Envelope, openEnvelope } from "./envelope.ts";
import { PREDICATE_TYPE, STATEMENT_TYPE, SUITE, type TestResult, testResult } from "./statement.ts";

export interface CheckedAttestation {
  /** Id of the key that has signed it; absent when none of the given keys has. */
  readonly signedBy?: string | undefined;
  readonly result?: TestResult["result"] | undefined;
  /** Whether the report was judged by the same files as those installed here. */
  readonly sameFiles?: boolean | undefined;
  /** The problems that were found, as phrases; empty when there are none. */
  readonly problems: readonly string[];
}

/**
 * Checks who signed an attestation, and that it states what the report says.
 * @param keys the trusted keys
 */
export async function checkAttestation(
  envelope: Envelope,
  keys: readonly Jwk[],
  { report, sha256 }: WholeReport,
): Promise<CheckedAttestation> {
  const opened = await openEnvelope(envelope, keys);
  if (!opened) return { problems: ["none of the keys has signed it"] };
  const { payload, keyId: signedBy } = opened;
  let statement: unknown;
  try {
    statement = strictJson(payload);
  } catch (error) {
    return { signedBy, problems: [`its statement ${(error as Error).message}`] };
  }
  if (!isObject(statement) || statement["_type"] !== STATEMENT_TYPE) {
    return { signedBy, problems: [`it contains no statement of the type ${STATEMENT_TYPE}`] };
  }
  if (statement["predicateType"] !== PREDICATE_TYPE) {
    return { signedBy, problems: [`its predicate is not of the type ${PREDICATE_TYPE}`] };
  }
  const { subject, predicate } = statement;
  const isAbout = listIn(subject).some((one) => digestIn(one) === sha256);
  const problems = isAbout
    ? []
    : [`it is about another file: the SHA-256 of this report is ${sha256}`];
  const installed = digestOfFiles();
  const attested = attestedFiles(predicate);
  let expected: TestResult;
  try {
    expected = testResult(report, attested ?? installed);
  } catch (error) {
    if (!(error instanceof SuiteError)) throw error;
    return { signedBy, problems: [...problems, error.message] };
  }
  if (!isDeepStrictEqual(predicate, JSON.parse(JSON.stringify(expected)))) {
    problems.push("it does not match the content of the report");
  }
  return {
    signedBy,
    result: expected.result,
    sameFiles: attested === installed,
    problems,
  };
}

function attestedFiles(predicate: unknown): string | undefined {
  const parts = isObject(predicate) ? listIn(predicate["configuration"]) : [];
  return digestIn(parts.find((part) => isObject(part) && part["name"] === SUITE));
}

/** The SHA-256 of an in-toto descriptor; `undefined` where it has none. */
function digestIn(descriptor: unknown): string | undefined {
  const digest = isObject(descriptor) ? descriptor["digest"] : undefined;
  const sha256 = isObject(digest) ? digest["sha256"] : undefined;
  return typeof sha256 === "string" && /^[0-9a-f]{64}$/.test(sha256) ? sha256 : undefined;
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The files of the package that decide the outcome of a run: code and data. */
const JUDGING = ["package.json", "bin", "dist/src", "dist/suites", "dist/fixtures", "fixtures"];
/** This folder is not part of the package. */
const LEFT_OUT = "dist/src/proof/";

/**
 * SHA-256, in hexadecimal, of the installed files that decide the outcome of a run. The input is one line for each
 * file, in the order of paths: the file's SHA-256, two blanks and its path, as `sha256sum` prints it.
 */
export function digestOfFiles(): string {
  const lines = JUDGING.flatMap(filesOf)
    .map((file) => relative(packageRoot, file).split(sep).join("/"))
    .filter((name) => !name.startsWith(LEFT_OUT))
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((name) => `${digestOf(readFileSync(join(packageRoot, name)))}  ${name}\n`);
  return digestOf(lines.join(""));
}

function filesOf(name: string): string[] {
  const path = join(packageRoot, name);
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function digestOf(bytes: string | Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
