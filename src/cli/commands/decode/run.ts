import { checkNumber } from "../../../contract/checks.ts";
import { TIME_CLAIMS } from "../../../contract/claims.ts";
import { createRedactor } from "../../../http/recording/redact.ts";
import { SuiteError } from "../../../lib/errors.ts";
import type { JsonObject } from "../../../lib/json.ts";
import { seenFromNow } from "../../../lib/spans.ts";
import { createPage, heading, type Page, paragraph, table, toned } from "../../../report/layout.ts";
import { printable } from "../../../report/untrusted.ts";
import { parseToken } from "../../../tokens/parse.ts";
import { type CommandIo, wantsColor } from "../../io.ts";
import { profiledTarget } from "../../run-target.ts";
import type { DecodeFlags } from "./flags.ts";
import { explainedParts, type Part } from "./parts.ts";

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
  const parts = explainedParts(token, target, now);
  const page = createPage(io.stdout.columns, wantsColor(io.stdout, io.env));
  // A claim may contain another token, or the signature of this one.
  const redact = createRedactor([token, token.slice(token.lastIndexOf(".") + 1)]);
  const clean = (text: string): string => printable(redact(text), LONGEST_VALUE);
  const lines = [
    ...members(page, "Header", parsed.header, clean, now),
    ...members(page, "Claims", parsed.claims, clean, now),
    ...checks(page, parts, clean),
    "",
    ...verdict(page, parts),
  ];
  io.stdout.write(`${lines.join("\n")}\n`);
  return parts.some(isFailing) ? 1 : 0;
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

const STATES: Readonly<
  Record<Part["state"], { readonly cell: string; readonly tone: "pass" | "warn" | "fail" }>
> = {
  ok: { cell: "ok", tone: "pass" },
  MUST: { cell: "NOT OK", tone: "fail" },
  SHOULD: { cell: "NOT OK", tone: "fail" },
  open: { cell: "open", tone: "warn" },
  unknown: { cell: "not known", tone: "warn" },
};

function isFailing({ state }: Part): boolean {
  return state === "MUST" || state === "SHOULD";
}

function checks(page: Page, parts: readonly Part[], clean: (text: string) => string): string[] {
  const rows = parts.map(({ part, state, why }) => [
    part === "claims" ? "" : String(checkNumber(part)),
    part,
    STATES[state].cell,
    clean(why),
  ]);
  const paint = (cell: string, row: number, column: number): string => {
    const state = parts[row]?.state;
    return column === STATUS_COLUMN && state ? toned(page, STATES[state].tone, cell) : cell;
  };
  return [heading(page, "Receiver checks"), ...table(page, 2, rows, paint)];
}

function names(parts: readonly Part[]): string {
  return parts.map(({ part }) => part).join(", ");
}

function verdict(page: Page, parts: readonly Part[]): string[] {
  const failing = parts.filter(isFailing);
  const [first] = failing;
  if (!first) {
    const open = parts.filter(({ state }) => state === "open");
    const text =
      open.length > 0
        ? `No check fails. The contract leaves open what a receiver does: ${names(open)}.`
        : "Every check that can be judged offline holds.";
    return paragraph(page, 0, text).map((line) =>
      toned(page, open.length > 0 ? "warn" : "pass", line),
    );
  }
  const binding = failing.find(({ state }) => state === "MUST");
  const where = binding
    ? binding.part === "claims"
      ? ""
      : ` A receiver must reject it, at check ${checkNumber(binding.part)}.`
    : " A receiver should reject it.";
  const text = `${names(failing)} not ok.${where}`;
  return paragraph(page, 0, text).map((line) => toned(page, "fail", line));
}
