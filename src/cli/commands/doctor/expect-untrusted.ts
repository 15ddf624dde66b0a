import { expectUntrusted, type TrustFinding } from "../../../doctor/expect-untrusted.ts";
import { SuiteError } from "../../../lib/errors.ts";
import { counted } from "../../../lib/words.ts";
import { createPage, paragraph } from "../../../report/layout.ts";
import { printableAll } from "../../../report/untrusted.ts";
import { tellGitHubError } from "../../github.ts";
import { type CommandIo, wantsColor } from "../../io.ts";
import { type RunTarget, withRunTarget } from "../../run-target.ts";
import type { DoctorFlags } from "./command.ts";

const EXIT: Readonly<Record<TrustFinding["state"], number>> = {
  untrusted: 0,
  trusted: 1,
  unreachable: 2,
  unknown: 3,
};

/**
 * Implements `doctor --expect-untrusted`: checks that a deployment does not trust the test issuer.
 * @returns the exit code
 * @throws SuiteError when a second base URL is given, or the profile cannot be used
 * @throws Interrupted when the user stops the command
 */
export async function showTrust(
  unwanted: string,
  baseUrl: string | undefined,
  flags: DoctorFlags,
  io: CommandIo,
  signal: AbortSignal,
): Promise<number> {
  if (baseUrl !== undefined) {
    throw new SuiteError("ERR_FLAG", "--expect-untrusted takes the only base URL to check", {
      hint: `Leave ${baseUrl} out, or run doctor twice.`,
    });
  }
  const offline = { ...flags, dryRun: true };
  const look = ({ target }: RunTarget): Promise<TrustFinding> => expectUntrusted(target, signal);
  const found = printableAll(await withRunTarget(unwanted, offline, io, look, signal));
  const text = flags.json ? `${JSON.stringify(found, null, 2)}\n` : page(found, io);
  io.stdout.write(text);
  if (found.state === "unreachable") tellGitHubError([found.detail], io);
  return EXIT[found.state];
}

function page(
  { baseUrl, issuer, state, detail, remedy, requests }: TrustFinding,
  io: CommandIo,
): string {
  const sheet = createPage(io.stdout.columns, wantsColor(io.stdout, io.env));
  const { green, yellow, dim } = sheet.colors;
  const said = {
    untrusted: `Not trusted: ${baseUrl} does not accept tokens of ${issuer}: ${detail}.`,
    trusted: `TRUSTED: ${baseUrl} trusts the test issuer ${issuer}: ${detail}.`,
    unknown: `Not known whether ${baseUrl} trusts ${issuer}: ${detail}`,
    unreachable: detail,
  }[state];
  const paint = state === "untrusted" ? green : yellow;
  return `${[
    ...paragraph(sheet, 0, said).map(paint),
    ...(remedy === undefined ? [] : paragraph(sheet, 0, remedy)),
    dim(`${counted(requests, "request")}, no PATCH and no POST`),
  ].join("\n")}\n`;
}
