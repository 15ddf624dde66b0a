import { resolve } from "node:path";

import { RULES } from "../../../../suites/index.ts";
import { createPage } from "../../../report/layout.ts";
import { readWholeReport } from "../../../report/read-report.ts";
import { verificationPage } from "../../../verify/page.ts";
import { verifyReport } from "../../../verify/verify.ts";
import { type CommandIo, wantsColor } from "../../io.ts";
import type { VerifyFlags } from "./flags.ts";

const CONSISTENT = 0;
const INCONSISTENT = 1;

/**
 * Judges a report again and prints what came of it.
 * @param file as the person named it
 * @returns the exit code: 0 consistent, 1 not
 * @throws SuiteError when it cannot be read, or another version of the suite made it
 */
export async function verify(file: string, flags: VerifyFlags, io: CommandIo): Promise<number> {
  const { stdout, env, cwd } = io;
  const { report } = readWholeReport(resolve(cwd, file), file);
  const verification = await verifyReport(report, RULES);
  if (flags.json) stdout.write(`${JSON.stringify(verification, null, 2)}\n`);
  else {
    const page = createPage(stdout.columns, wantsColor(stdout, env));
    stdout.write(`${verificationPage(page, report, verification).join("\n")}\n`);
  }
  return verification.consistent ? CONSISTENT : INCONSISTENT;
}
