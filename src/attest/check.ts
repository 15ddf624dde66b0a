import { isDeepStrictEqual } from "node:util";

import { type Jwk } from "../keys/algorithms.ts";
import { SuiteError } from "../lib/errors.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import { strictJson } from "../lib/strict-json.ts";
import type { Report } from "../report/report.ts";
import { type Envelope, openEnvelope } from "./envelope.ts";
import { PREDICATE_TYPE, STATEMENT_TYPE, SUITE, type TestResult, testResult } from "./statement.ts";

/** The result of checking an attestation of a report. */
export interface CheckedAttestation {
  /** Id of the key that has signed it; absent when none of the given keys has. */
  readonly signedBy?: string | undefined;
  readonly result?: TestResult["result"] | undefined;
  /** Whether the report was judged by the same files as those installed here. */
  readonly sameFiles?: boolean | undefined;
  /** The problems that were found, as phrases; empty when there are none. */
  readonly problems: readonly string[];
}

/** A report, with the digests of its file and of this installation. */
export interface AttestedReport {
  readonly report: Report;
  /** SHA-256 of the report's file, in hexadecimal. */
  readonly sha256: string;
  /** See `digestOfFiles`. */
  readonly installed: string;
}

/**
 * Checks who signed an attestation, and that it states what the report says.
 * @param keys the trusted keys
 */
export async function checkAttestation(
  envelope: Envelope,
  keys: readonly Jwk[],
  { report, sha256, installed }: AttestedReport,
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
  const problems = isAbout(statement, sha256)
    ? []
    : [`it is about another file: the SHA-256 of this report is ${sha256}`];
  const { predicate } = statement;
  let expected: TestResult;
  try {
    expected = testResult(report, attestedFiles(predicate) ?? installed);
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
    sameFiles: attestedFiles(predicate) === installed,
    problems,
  };
}

function isAbout({ subject }: JsonObject, sha256: string): boolean {
  if (!Array.isArray(subject)) return false;
  return subject.some(
    (one: unknown) =>
      isObject(one) && isObject(one["digest"]) && one["digest"]["sha256"] === sha256,
  );
}

/** The digest of the files that judged the report, from the predicate. */
function attestedFiles(predicate: unknown): string | undefined {
  const parts = isObject(predicate) ? predicate["configuration"] : undefined;
  const suite: unknown = Array.isArray(parts)
    ? parts.find((part: unknown) => isObject(part) && part["name"] === SUITE)
    : undefined;
  const digest =
    isObject(suite) && isObject(suite["digest"]) ? suite["digest"]["sha256"] : undefined;
  return typeof digest === "string" && /^[0-9a-f]{64}$/.test(digest) ? digest : undefined;
}
