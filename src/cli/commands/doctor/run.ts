import { randomInt } from "node:crypto";
import { existsSync } from "node:fs";
import { resolve } from "node:path";

import { RULES } from "../../../../suites/index.ts";
import { areaOf } from "../../../contract/ids.ts";
import { OPERATION_IDS, OPERATIONS } from "../../../contract/operations.ts";
import type { Check } from "../../../doctor/check.ts";
import { type Examination, examine } from "../../../doctor/checks.ts";
import { expectUntrusted, type TrustFinding } from "../../../doctor/expect-untrusted.ts";
import { Interrupted } from "../../../http/client.ts";
import { SuiteError } from "../../../lib/errors.ts";
import { counted } from "../../../lib/words.ts";
import { argument } from "../../../report/curl.ts";
import { createPage, heading, type Page, paragraph, table } from "../../../report/layout.ts";
import { printableAll } from "../../../report/untrusted.ts";
import { tellGitHubError } from "../../github.ts";
import { INTERRUPTED, type CommandIo, wantsColor } from "../../io.ts";
import { DEFAULT_PROFILE } from "../../profile-file.ts";
import { type RunTarget, toldOf, withRunTarget } from "../../run-target.ts";
import type { DoctorFlags } from "./flags.ts";

const EXIT: Readonly<Record<Examination["state"], number>> = {
  ready: 0,
  unknown: 0,
  "not-ready": 3,
  unreachable: 2,
};

/**
 * Implements `doctor`: checks the set-up and prints the findings.
 * @throws SuiteError when there is no target, or the profile cannot be used
 */
export async function doctor(
  baseUrl: string | undefined,
  flags: DoctorFlags,
  io: CommandIo,
): Promise<number> {
  const { expectUntrusted: unwanted } = flags;
  const nothing = unwanted === undefined && baseUrl === undefined && flags.profile === undefined;
  if (nothing && !existsSync(resolve(io.cwd, DEFAULT_PROFILE))) {
    throw new SuiteError(
      "ERR_PROFILE",
      `There is nothing to check: no base URL and no ${DEFAULT_PROFILE}`,
      { hint: "`orgsync-conformance init` writes a profile." },
    );
  }
  const interrupt = new AbortController();
  const { signal } = interrupt;
  const stopListening = io.onStop(() => interrupt.abort());
  let found: Examination;
  try {
    if (unwanted !== undefined) return await showTrust(unwanted, baseUrl, flags, io, signal);
    const look = ({ target }: RunTarget): Promise<Examination> =>
      examine(target, { rules: RULES, seed: randomInt(2 ** 32), writes: flags.writes, signal });
    // `doctor` itself fetches a remote document and reports on it, like everything else.
    found = await withRunTarget(baseUrl, flags, io, look, { signal, offline: true });
  } catch (error) {
    if (error instanceof Interrupted) return INTERRUPTED;
    throw error;
  } finally {
    stopListening();
  }
  const shown = printableAll(found);
  const page = createPage(io.stdout.columns, wantsColor(io.stdout, io.env));
  io.stdout.write(
    flags.json
      ? `${JSON.stringify(shown, null, 2)}\n`
      : `${examinationPage(page, shown, toldOf(baseUrl, flags)).join("\n")}\n`,
  );
  if (found.state === "unreachable") tellGitHubError(unreachable(shown), io);
  // Once something was written, an interrupted command still says what stays.
  if (signal.aborted) return INTERRUPTED;
  return EXIT[found.state];
}

/** What keeps the deployment from being reached, and what to do. */
function unreachable({ baseUrl, checks }: Examination): string[] {
  const first = checks.find(({ state }) => state === "problem");
  return [`${baseUrl} cannot be reached.`, first?.detail, first?.remedy].filter(
    (line) => line !== undefined,
  );
}

const GROUPS: readonly (readonly [area: string, title: string])[] = [
  ["connection", "Connection"],
  ["token", "Tokens"],
  ["organization", "Organizations"],
  ["operation", "Operations"],
  ["profile", "Profile"],
];
const STATES: Readonly<Record<Check["state"], string>> = {
  ok: "ok",
  problem: "PROBLEM",
  violation: "VIOLATION",
  unknown: "not known",
};
const STATE_COLUMNS = Math.max(...Object.values(STATES).map(({ length }) => length));
const SIDES: Readonly<Record<NonNullable<Check["side"]>, string>> = {
  deployment: "at the deployment",
  profile: "in the profile",
  network: "on the network",
};

/** @param told the words by which the target was named */
function examinationPage(page: Page, examination: Examination, told: readonly string[]): string[] {
  const target = told.map((word) => ` ${argument(word)}`).join("");
  const { baseUrl, state, requests, checks, written } = examination;
  const titleColumns = Math.max(...checks.map(({ title }) => title.length));
  const sections = GROUPS.flatMap(([area, title]) => {
    const own = checks.filter(({ id }) => areaOf(id) === area);
    return own.length === 0 ? [] : [heading(page, title), ...lines(page, own, titleColumns), ""];
  });
  const count = (wanted: Check["state"]): number =>
    checks.filter((check) => check.state === wanted).length;
  const violations = count("violation");
  const conclusion = {
    ready:
      violations === 0
        ? `Ready. \`orgsync-conformance run${target}\` certifies ${baseUrl}.`
        : `Ready. \`orgsync-conformance run${target}\` will find ${baseUrl} not conformant: ${counted(violations, "violation")} ${violations === 1 ? "shows" : "show"} already.`,
    unknown: `Nothing is wrong so far. Some tokens need a person's consent. Only \`orgsync-conformance run${target}\` asks for it, so only a run can show whether everything is ready.`,
    "not-ready": `Not ready: ${counted(count("problem"), "problem")}. Begin with the first: others may follow from it.`,
    unreachable: `${baseUrl} cannot be reached.`,
  }[state];
  const isUntried =
    state === "ready" &&
    !written &&
    checks.some((one) => one.state === "unknown" && isOfWrite(one));
  const paint = state === "ready" && violations === 0 ? page.colors.green : page.colors.yellow;
  return [
    ...sections,
    ...(written ? writtenLines(page, written) : []),
    page.colors.dim(
      written
        ? `${counted(requests, "request")}, ${counted(written.sent, "PATCH or POST", "PATCH and POST")} included`
        : `${counted(requests, "request")}, no PATCH and no POST`,
    ),
    "",
    ...paragraph(page, 0, conclusion).map(paint),
    ...(isUntried ? paragraph(page, 0, untriedWrites(target)) : []),
  ];
}

function isOfWrite({ id }: Check): boolean {
  return OPERATION_IDS.some((one) => OPERATIONS[one].writes && id === `operation.${one}`);
}

function untriedWrites(target: string): string {
  return `Writes were not tried: \`orgsync-conformance doctor${target} --writes\` sends the good request of each once.`;
}

/** What was restored after the writes, and what stays. */
function writtenLines(
  page: Page,
  { restored, leftBehind }: NonNullable<Examination["written"]>,
): string[] {
  const rows = [
    ...(restored.length > 0 ? [["restored", restored.join(", ")]] : []),
    ...leftBehind.map((one, at) => [at === 0 ? "stays" : "", one]),
  ];
  return rows.length === 0 ? [] : [heading(page, "Written"), ...table(page, 2, rows), ""];
}

function lines(page: Page, checks: readonly Check[], titleColumns: number): string[] {
  const { green, yellow, dim } = page.colors;
  const tones = { ok: green, problem: yellow, violation: yellow, unknown: dim };
  const rows = checks.flatMap(({ state, title, detail, remedy, side }) => [
    [STATES[state].padEnd(STATE_COLUMNS), title.padEnd(titleColumns), detail],
    ...(remedy === undefined ? [] : [["", side === undefined ? "" : SIDES[side], remedy]]),
  ]);
  return table(page, 2, rows, (cell, row, column) => {
    const state = checks.find((check) => STATES[check.state] === rows[row]?.[0]?.trim())?.state;
    return column === 0 && state !== undefined ? tones[state](cell) : cell;
  });
}

const TRUST_EXIT: Readonly<Record<TrustFinding["state"], number>> = {
  untrusted: 0,
  trusted: 1,
  unreachable: 2,
  unknown: 3,
};

/** Implements `doctor --expect-untrusted`: checks that a deployment does not trust the test issuer. */
async function showTrust(
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
  const look = ({ target }: RunTarget): Promise<TrustFinding> => expectUntrusted(target, signal);
  const reading = { signal, offline: true };
  const found = printableAll(await withRunTarget(unwanted, flags, io, look, reading));
  const text = flags.json ? `${JSON.stringify(found, null, 2)}\n` : trustPage(found, io);
  io.stdout.write(text);
  if (found.state === "unreachable") tellGitHubError([found.detail], io);
  return TRUST_EXIT[found.state];
}

function trustPage(
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
