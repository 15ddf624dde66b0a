import { dirname, join, resolve } from "node:path";

import { RULES } from "../../../../suites/index.ts";
import { digestOfFiles } from "../../../attest/check.ts";
import { signStatement } from "../../../attest/envelope.ts";
import { readPrivateKey } from "../../../attest/keys.ts";
import { statementOf, testResult } from "../../../attest/statement.ts";
import { SuiteError } from "../../../lib/errors.ts";
import { writeNamed } from "../../../lib/write-whole.ts";
import { createPage } from "../../../report/layout.ts";
import { readWholeReport } from "../../../report/read-report.ts";
import { printable } from "../../../report/untrusted.ts";
import { verifyWithPacks } from "../../../verify/verify-packs.ts";
import { type CommandIo, wantsColor } from "../../io.ts";
import { verificationPage } from "../verify/verification-page.ts";
import type { AttestFlags } from "./flags.ts";

const USUAL_FILE = "attestation.json";

/**
 * Verifies a report, then signs its result or writes the predicate.
 * @returns the exit code: 0 attested, 1 the report is not consistent
 * @throws SuiteError when the report or the key cannot be used, or a file cannot be written
 */
export async function attest(file: string, flags: AttestFlags, io: CommandIo): Promise<number> {
  const { cwd, stdout, stderr, env } = io;
  const { key: keyFile, predicate: predicateFile } = flags;
  if (keyFile === undefined && predicateFile === undefined) {
    throw new SuiteError("ERR_FLAG", "No signing key is named", {
      hint: "Name a private JWK with --key, or write only the predicate to a file with --predicate.",
    });
  }
  const key = keyFile === undefined ? undefined : readPrivateKey(resolve(cwd, keyFile), keyFile);
  const { report, sha256 } = readWholeReport(resolve(cwd, file), file);
  const predicate = testResult(report, digestOfFiles());
  const packs =
    report.packs === undefined ? [] : (await import("../../../../suites/packs.ts")).PACKS;
  const verification = await verifyWithPacks(report, RULES, packs);
  const { unknownPacks = [] } = verification;
  if (unknownPacks.length > 0) {
    throw new SuiteError(
      "ERR_REPORT",
      `Packs that the suite does not have cannot be judged again, nor attested: ${printable(unknownPacks.join(", "), 200)}`,
      { hint: "Attest the report of a run without them." },
    );
  }
  if (!verification.consistent) {
    const page = createPage(stderr.columns, wantsColor(stderr, env));
    stderr.write(
      `${verificationPage(page, report, verification).join("\n")}\nNothing was attested.\n`,
    );
    return 1;
  }
  const verdicts = [
    report.verdict,
    ...(report.packs ?? []).map(({ title, verdict }) => `${title}: ${verdict}`),
  ];
  const said = `The statement says ${predicate.result} (${verdicts.join("; ")}).`;
  if (predicateFile !== undefined) {
    await write(resolve(cwd, predicateFile), predicateFile, predicate);
    stdout.write(`Written to ${predicateFile}. ${said}\n`);
  }
  if (key) {
    const shown = flags.out ?? join(dirname(file), USUAL_FILE);
    const envelope = await signStatement(statementOf(predicate, sha256), key);
    await write(resolve(cwd, shown), shown, envelope);
    stdout.write(`Signed: ${shown}. ${said}\n`);
  }
  return 0;
}

function write(path: string, shown: string, value: unknown): Promise<void> {
  return writeNamed(path, shown, `${JSON.stringify(value)}\n`, "ERR_FLAG");
}
