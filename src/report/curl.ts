import type { Exchange } from "../http/exchange.ts";
import { isPrintable } from "./untrusted.ts";

/** The placeholder for a token in a recorded exchange. */
const REDACTED = /\[redacted(?: token)?\]/g;

/**
 * A recorded request as a `curl` command for a POSIX shell, one line for each part. `$TOKEN` takes the
 * place of the redacted access token; other redacted values stay as they are recorded.
 */
export function curlCommand({ request }: Pick<Exchange, "request">): string[] {
  const { method, url, headers, body } = request;
  const first = ["curl", "-i"];
  if (method === "HEAD") first.push("--head");
  else if (method !== "GET" || body !== undefined) first.push("-X", shellWord(method));
  // Without these options curl would normalise the path and expand brackets and braces.
  if (/\/\.\.?(?:[/?#]|$)/.test(url)) first.push("--path-as-is");
  if (/[[\]{}]/.test(url.replaceAll(REDACTED, ""))) first.push("--globoff");
  const parts = [
    [...first, withToken(url)].join(" "),
    ...headers.map(([name, value]) => `  -H ${headerLine(name, value)}`),
  ];
  if (body !== undefined) {
    // Without this, curl would send the body as a form.
    if (!headers.some(([name]) => name.toLowerCase() === "content-type")) {
      parts.push("  -H 'content-type:'");
    }
    parts.push(`  --data-raw ${withToken(body)}`);
  }
  return parts.map((part, index) => (index < parts.length - 1 ? `${part} \\` : part));
}

/** curl sends a header without a value when it is written as `name;`. */
function headerLine(name: string, value: string): string {
  if (value === "") return shellWord(`${name};`);
  const line = `${name}: ${value}`;
  return name.toLowerCase() === "authorization" ? withToken(line) : shellWord(line);
}

/** Text as one word of the shell, with `$TOKEN` in the places of redacted tokens. */
function withToken(text: string): string {
  const parts = text.split(REDACTED);
  if (parts.length === 1) return shellWord(text);
  if (parts.every((part) => isPrintable(part) && !/["$`\\!]/.test(part))) {
    return `"${parts.join("$TOKEN")}"`;
  }
  return parts.map((part) => (part === "" ? "" : shellWord(part))).join('"$TOKEN"');
}

/** A word of a command line, quoted for a shell where it has to be. */
export function argument(word: string): string {
  return /^[\w./:@%+=-]+$/.test(word) ? word : shellWord(word);
}

/**
 * Folds a command into lines of at most `width` columns that a shell reads as one command. A word that is
 * longer than a line is broken into adjacent parts, which a shell joins.
 * @param words the arguments, not quoted
 */
export function foldCommand(words: readonly string[], width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of words) {
    const whole = argument(word);
    if (line !== "" && line.length + whole.length + CONTINUED.length > width) {
      lines.push(line + CONTINUED);
      line = "";
    }
    if (whole.length + CONTINUED.length <= width) {
      line += line === "" ? whole : ` ${whole}`;
      continue;
    }
    const parts = word.match(new RegExp(`.{1,${Math.max(8, width - 4)}}`, "gsu")) ?? [];
    lines.push(...parts.slice(0, -1).map((part) => `${shellWord(part)}\\`));
    line = shellWord(parts.at(-1) ?? "");
  }
  return [...lines, line];
}

const CONTINUED = " \\";

/** Text as one word of the shell, with ANSI-C escapes for what does not survive a terminal. */
function shellWord(text: string): string {
  if (/^[A-Z]+$/.test(text)) return text;
  if (isPrintable(text)) return `'${text.replaceAll("'", `'\\''`)}'`;
  const escaped = [...Buffer.from(text, "utf8")].map((byte) =>
    byte < 0x20 || byte > 0x7e || byte === 0x27 || byte === 0x5c
      ? `\\${byte.toString(8).padStart(3, "0")}`
      : String.fromCharCode(byte),
  );
  return `$'${escaped.join("")}'`;
}
