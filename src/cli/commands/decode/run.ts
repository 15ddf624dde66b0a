import { checkNumber } from "../../../contract/checks.ts";
import { TIME_CLAIMS } from "../../../contract/claims.ts";
import { createRedactor } from "../../../http/recording/redact.ts";
import { SuiteError } from "../../../lib/errors.ts";
import type { JsonObject } from "../../../lib/json.ts";
import { createPage, heading, type Page, paragraph, table, toned } from "../../../report/layout.ts";
import { seenFromNow, spanInWords } from "../../../report/spans.ts";
import { printable } from "../../../report/untrusted.ts";
import { parseToken } from "../../../tokens/parse.ts";
import { type Examined, examineToken } from "../../../tokens/verify.ts";
import { type CommandIo, wantsColor } from "../../io.ts";
import { profiledTarget } from "../../run-target.ts";
import type { DecodeFlags } from "./flags.ts";

/** Servers do not accept longer header fields. */
const LONGEST_TOKEN = 64 * 1024;
const LONGEST_VALUE = 300;
const STATUS_COLUMN = 2;

/**
 * Prints the content of a token, and the result of each receiver check that can be judged offline. Never
 * prints the token.
 * @param argument the token; `-` or nothing reads it from stdin
 * @returns 0 when every check that can be judged holds, else 1
 * @throws SuiteError when it is not a JWT, or the profile cannot be used
 */
export async function explainToken(
  argument: string,
  flags: DecodeFlags,
  io: CommandIo,
): Promise<number> {
  const target = profiledTarget(flags, io);
  const token = bare(["", "-"].includes(argument) ? await readAll(io) : argument);
  if (token.length > LONGEST_TOKEN) throw noJwt(`it is longer than ${LONGEST_TOKEN / 1024} KiB`);
  const parsed = parseToken(token);
  if (typeof parsed === "string") throw noJwt(parsed);
  const now = Date.now() / 1000;
  const examined = await examineToken(token, parsed, target, now, spanInWords);
  const page = createPage(io.stdout.columns, wantsColor(io.stdout, io.env));
  // A claim may contain another token, or the signature of this one.
  const redact = createRedactor([token, token.slice(token.lastIndexOf(".") + 1)]);
  const clean = (text: string): string => printable(redact(text), LONGEST_VALUE);
  const lines = [
    ...members(page, "Header", parsed.header, clean, now),
    ...members(page, "Claims", parsed.claims, clean, now),
    ...checks(page, examined, clean),
    "",
    ...verdict(page, examined),
  ];
  io.stdout.write(`${lines.join("\n")}\n`);
  return examined.some(({ holds }) => holds === false) ? 1 : 0;
}

function noJwt(why: string): SuiteError {
  return new SuiteError("ERR_TOKEN", `This is not a signed JWT: ${why}`, {
    hint: "An access token of the contract is three base64url segments separated by dots.",
  });
}

/** Removes `Authorization:`, `Bearer` and quotes that may be copied along with a token. */
function bare(text: string): string {
  return text
    .trim()
    .replace(/^(["'])(.*)\1$/s, "$2")
    .replace(/^(?:authorization:\s*)?(?:bearer\s+)?/i, "");
}

async function readAll({ stdin, stderr }: CommandIo): Promise<string> {
  if (stdin.isTTY) stderr.write("Paste a token, then press Enter and Ctrl-D:\n");
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stdin) {
    chunks.push(Buffer.from(chunk));
    length += chunk.length;
    if (length > 2 * LONGEST_TOKEN) break;
  }
  return Buffer.concat(chunks).toString("utf8");
}

function members(
  page: Page,
  title: string,
  object: JsonObject,
  clean: (text: string) => string,
  now: number,
): string[] {
  const rows = Object.entries(object).map(([name, value]) => {
    const when = TIME_CLAIMS.includes(name) && typeof value === "number";
    return [
      clean(name),
      clean(JSON.stringify(value)) + (when ? ` (${seenFromNow(value - now)})` : ""),
    ];
  });
  return [heading(page, title), ...table(page, 2, rows), ""];
}

function checks(
  page: Page,
  examined: readonly Examined[],
  clean: (text: string) => string,
): string[] {
  const rows = examined.map(({ check, holds, why }) => [
    check === undefined ? "" : String(checkNumber(check)),
    check ?? "claims",
    holds === undefined ? "not known" : holds ? "ok" : "NOT OK",
    clean(why),
  ]);
  const paint = (cell: string, row: number, column: number): string => {
    const holds = examined[row]?.holds;
    if (column !== STATUS_COLUMN) return cell;
    return toned(page, holds === undefined ? "warn" : holds ? "pass" : "fail", cell);
  };
  return [heading(page, "Receiver checks"), ...table(page, 2, rows, paint)];
}

function verdict(page: Page, examined: readonly Examined[]): string[] {
  const failing = examined.filter(({ holds }) => holds === false);
  const [first] = failing;
  if (!first) {
    const text = "Every check that can be judged offline holds.";
    return paragraph(page, 0, text).map((line) => toned(page, "pass", line));
  }
  const where =
    first.check === undefined
      ? ""
      : ` A receiver must reject it, at check ${checkNumber(first.check)}.`;
  const text = `${failing.map(({ check = "claims" }) => check).join(", ")} not ok.${where}`;
  return paragraph(page, 0, text).map((line) => toned(page, "fail", line));
}
