import { dirname, join, resolve } from "node:path";

import { RULES } from "../../../../suites/index.ts";
import { checkAttestation, type CheckedAttestation } from "../../../attest/check.ts";
import { readEnvelope } from "../../../attest/envelope.ts";
import { readPublicKeys } from "../../../attest/keys.ts";
import { naming, SuiteError } from "../../../lib/errors.ts";
import { readRegularFile } from "../../../lib/regular-file.ts";
import { writeNamed } from "../../../lib/write-whole.ts";
import type { Pack } from "../../../probe/pack.ts";
import { createPage, paragraph } from "../../../report/layout.ts";
import { readWholeReport, type WholeReport } from "../../../report/read-report.ts";
import { printable } from "../../../report/untrusted.ts";
import { verifyWithPacks } from "../../../verify/verify-packs.ts";
import { type CommandIo, wantsColor } from "../../io.ts";
import { namedPacks } from "../../packs.ts";
import type { VerifyFlags } from "./flags.ts";
import { type Checked, checkedHtml } from "./html.ts";
import { askDeployment } from "./live.ts";
import { attestationLines, liveLines, refusal, SHOWS } from "./page.ts";
import { verificationPage } from "./verification-page.ts";

const HOLDS = 0;
const HOLDS_NOT = 1;
const OTHER_VERDICT = 3;
/** Many times the size of a statement. */
const LARGEST_ATTESTATION = 4 * 1024 * 1024;
const USUAL_PAGE = "verification.html";

/**
 * Judges a report again and, if the flags ask for it, checks its attestation and the deployment. Prints the results.
 * @returns the exit code: 0 when everything holds, 3 when it does but the verdict is not the required one, else 1
 * @throws SuiteError when a file cannot be read, or another version of the suite made the report
 */
export async function verify(
  file: string,
  baseUrl: string | undefined,
  flags: VerifyFlags,
  io: CommandIo,
): Promise<number> {
  const { stdout, env, cwd } = io;
  checkFlags(baseUrl, flags);
  const whole = readWholeReport(resolve(cwd, file), file);
  const attestation = await attestationOf(whole, flags, io);
  if (attestation && attestation.problems.length > 0) {
    const page = createPage(stdout.columns, wantsColor(stdout, env));
    const lines = flags.json
      ? [JSON.stringify({ attestation }, null, 2)]
      : paragraph(page, 0, refusal(attestation)).map(page.colors.bold);
    stdout.write(`${lines.join("\n")}\n`);
    return HOLDS_NOT;
  }
  const verification = await verifyWithPacks(whole.report, RULES, await packsOf(whole, flags, io));
  for (const title of verification.unknownPacks ?? []) {
    io.stderr.write(
      `Not judged again: ${printable(title)}. The suite has no such pack; name its file with --pack.\n`,
    );
  }
  // A report that is not consistent is not worth comparing with the deployment.
  const live =
    flags.live !== undefined && verification.consistent
      ? await askDeployment(whole.report, flags.live, baseUrl, flags, io)
      : undefined;
  const checked: Checked = { whole, verification, attestation, live };
  if (flags.report !== undefined) await writePage(file, checked, flags, io);
  print(checked, flags, io);
  if (!verification.consistent || (live && live.others.length > 0)) return HOLDS_NOT;
  const { verdict } = verification;
  if (flags.require === undefined || verdict === flags.require) return HOLDS;
  io.stderr.write(`The exit code is 3 by --require conformant: the verdict is ${verdict}.\n`);
  return OTHER_VERDICT;
}

/** The packs whose rules are here: the suite's own, where the report has a pack, and those of `--pack`. */
async function packsOf(
  { report }: WholeReport,
  { pack }: VerifyFlags,
  io: CommandIo,
): Promise<readonly Pack[]> {
  if (report.packs === undefined) return [];
  const { findPacks, PACKS } = await import("../../../../suites/packs.ts");
  return [...PACKS, ...findPacks((await namedPacks(pack, false, io)) ?? [])];
}

function print(
  { whole: { report }, verification, attestation, live }: Checked,
  { json }: VerifyFlags,
  { stdout, env }: CommandIo,
): void {
  if (json) {
    stdout.write(`${JSON.stringify({ ...verification, attestation, live }, null, 2)}\n`);
    return;
  }
  const page = createPage(stdout.columns, wantsColor(stdout, env));
  const lines = [
    ...verificationPage(page, report, verification, live),
    ...(attestation ? attestationLines(page, report, attestation) : []),
    ...(live ? liveLines(page, live) : []),
    "",
    ...SHOWS,
  ];
  stdout.write(`${lines.join("\n")}\n`);
}

async function writePage(
  file: string,
  checked: Checked,
  { out }: VerifyFlags,
  { cwd, stderr }: CommandIo,
): Promise<void> {
  const shown = out ?? join(dirname(file), USUAL_PAGE);
  await writeNamed(resolve(cwd, shown), shown, checkedHtml(checked), "ERR_FLAG");
  stderr.write(`Page: ${shown}\n`);
}

function checkFlags(baseUrl: string | undefined, flags: VerifyFlags): void {
  const { attestation, keys, live, sample, power, wrong, seed, report, out } = flags;
  if ((attestation === undefined) !== (keys === undefined)) {
    throw new SuiteError("ERR_FLAG", "--attestation and --keys go together", {
      hint: "A signature proves something only with the known keys of its signer.",
    });
  }
  const idle = Object.entries({
    "A base URL": baseUrl,
    "--sample": sample,
    "--power": power,
    "--wrong": wrong,
    "--seed": seed,
  }).find(([, value]) => value !== undefined);
  if (live === undefined && idle) {
    throw new SuiteError("ERR_FLAG", `${idle[0]} has no meaning without --live`, {
      hint: "--live names the profile of the deployment to ask.",
    });
  }
  if (sample !== undefined && power !== undefined) {
    throw new SuiteError("ERR_FLAG", "--sample and --power exclude each other", {
      hint: "--sample is a number of cases; --power says how likely a wrong case must be found.",
    });
  }
  const [odd] = report?.filter((format) => format !== "html") ?? [];
  if (odd !== undefined) {
    throw new SuiteError("ERR_FLAG", `verify makes no report of the format ${odd}`, {
      hint: "The format is html.",
    });
  }
  if (out !== undefined && report === undefined) {
    throw new SuiteError("ERR_FLAG", "--out has no meaning without --report html");
  }
}

async function attestationOf(
  whole: WholeReport,
  { attestation, keys }: VerifyFlags,
  { cwd }: CommandIo,
): Promise<CheckedAttestation | undefined> {
  if (attestation === undefined || keys === undefined) return undefined;
  const at = (path: string): string => resolve(cwd, path);
  const read = (): Buffer => readRegularFile(at(attestation), LARGEST_ATTESTATION);
  const envelope = readEnvelope(naming(attestation, "ERR_REPORT", read).toString("utf8"));
  if (typeof envelope === "string") {
    throw new SuiteError("ERR_REPORT", `${attestation} is not a DSSE envelope: ${envelope}`, {
      hint: "Name a file that `orgsync-conformance attest` wrote.",
    });
  }
  const known = await readPublicKeys(keys, at);
  return checkAttestation(envelope, known, whole);
}
