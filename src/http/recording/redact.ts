import { mapTexts } from "../../lib/json.ts";
import { base64Pieces } from "./base64.ts";
import { unescaped, views } from "./escapes.ts";

const SHORTEST_SECRET = 4;
/** Shorter secrets may be part of another word by chance. */
const SHORTEST_TELLTALE = 12;
/** The most levels of nested escapes that are decoded. */
const ROUNDS = 6;
/** A secret that is spelled in one way, such as most tokens. */
const PLAIN = /^[\w.-]+$/;
/** The characters of a secret by which it is recognised in base64. */
const LONGEST_PIECE = 64;

/** Every compact JWS or JWE begins with `{"` in base64url. */
const TOKEN_START = "eyJ";
/** A JOSE header has at least the length of `{"alg":""}`. */
const SHORTEST_HEADER = 8;
/** A segment of a token on its own is longer than this, such as claims in a gateway's header. */
const SHORTEST_SEGMENT = 40;
/** The start of a token that was encoded in base64 again. */
const WRAPPED_START = "ZXlK";
const WRAPPED_TOKEN = /(?<![\w+/-])ZXlK[\w+/-]{40,}={0,2}/g;

/** Replaces secrets in a text. It is made once for a set of secrets. */
export type Redactor = (text: string) => string;

/** A text to search for. */
interface Needle {
  readonly text: string;
  /** Matches whole words only: `1234` does not match inside the number 412345. */
  readonly word: boolean;
  /** A piece of base64. A match removes the whole run of base64 around it. */
  readonly base64: boolean;
}

/** The search texts for a set of secrets. */
export type Needles = readonly Needle[];

interface Span {
  readonly from: number;
  readonly to: number;
  readonly label: "[redacted]" | "[redacted token]";
}

/** Creates a redactor for the given values; see `redactorFor`. */
export function createRedactor(secrets: readonly string[]): Redactor {
  return redactorFor(needlesOf(secrets));
}

/**
 * The search texts for the given values, plain and in base64. Values below four characters are
 * ignored.
 */
export function needlesOf(secrets: readonly string[]): Needles {
  const long = [...new Set(secrets)].filter(({ length }) => length >= SHORTEST_SECRET);
  const found = new Map<string, Needle>();
  const add = (text: string, base64: boolean): void => {
    if (text.length < SHORTEST_SECRET || found.has(text)) return;
    found.set(text, { text, word: !base64 && text.length < SHORTEST_TELLTALE, base64 });
  };
  for (const secret of long) {
    const isPlain = PLAIN.test(secret);
    for (const text of isPlain ? [secret] : spellings(secret)) add(text, false);
    // The beginning is enough: a match removes the whole run.
    const start = Buffer.from(secret.slice(0, LONGEST_PIECE)).toString("utf8");
    const inside = isPlain
      ? [start]
      : [start, JSON.stringify(start).slice(1, -1), encodeURIComponent(start)];
    const pieces = [...new Set(inside)].flatMap(base64Pieces);
    for (const piece of pieces) add(piece, true);
    if (pieces.length > 0) continue;
    const whole = Buffer.from(secret).toString("base64").replace(/=+$/, "");
    for (const text of [whole, whole.replaceAll("+", "-").replaceAll("/", "_")]) add(text, false);
  }
  return [...found.values()];
}

/** A secret in the ways that it is written without being escaped. */
function spellings(secret: string): readonly string[] {
  // A secret may look like an escape, or end with the start of one.
  const open = secret.replace(/\\+$/, "");
  return [secret, secret.replaceAll(" ", "+"), open, unescaped(open, ROUNDS)];
}

/**
 * Creates a redactor. It finds the given texts in every spelling of JSON, HTML, URLs and base64, also
 * nested and mixed. It also replaces everything that looks like a compact token, whoever it belongs
 * to. It takes time proportional to the text.
 */
export function redactorFor(needles: Needles): Redactor {
  return (text) => {
    const spans = views(text, ROUNDS).flatMap((view) =>
      spansIn(view.text, needles).map(({ from, to, label }) => ({
        from: view.origin(from),
        to: view.origin(to),
        label,
      })),
    );
    return spans.length === 0 ? text : without(text, spans);
  };
}

/**
 * Redacts texts. Most hold nothing to redact, and searching all of them at once takes a fraction of
 * the time. That is safe because no escape, token or piece of base64 crosses the end of a line.
 */
export function redactAll(texts: readonly string[], clean: Redactor): readonly string[] {
  const together = texts.join("\n");
  return clean(together) === together ? texts : texts.map(clean);
}

/**
 * Redacts every string in a value; member names stay. Returns the value itself where nothing was
 * redacted.
 */
export function redactTexts<T>(value: T, clean: Redactor): T {
  const texts = textsIn(value);
  const redacted = redactAll(texts, clean);
  if (redacted === texts) return value;
  let at = 0;
  return mapTexts(value, () => redacted[at++] ?? "") as T;
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function spansIn(text: string, needles: Needles): Span[] {
  const spans: Span[] = [];
  // Most texts contain no needle, and each text is searched for dozens.
  for (const needle of needles.filter((one) => text.includes(one.text))) {
    let at = text.indexOf(needle.text);
    while (at >= 0) {
      const span = spanOf(text, at, needle);
      if (span) spans.push(span);
      at = text.indexOf(needle.text, span ? Math.max(span.to, at + 1) : at + 1);
    }
  }
  if (text.includes(TOKEN_START)) spans.push(...tokensIn(text));
  if (text.includes(WRAPPED_START)) {
    for (const { 0: run, index } of text.matchAll(WRAPPED_TOKEN)) {
      spans.push({ from: index, to: index + run.length, label: "[redacted token]" });
    }
  }
  return spans;
}

function spanOf(text: string, at: number, needle: Needle): Span | undefined {
  const label = "[redacted]";
  let [from, to] = [at, at + needle.text.length];
  if (needle.word && (isInside(text, from) || isInside(text, to))) return undefined;
  if (needle.base64) {
    while (isBase64(text[from - 1])) from -= 1;
    while (isBase64(text[to]) || text[to] === "=") to += 1;
  }
  return { from, to, label };
}

/** Whether a letter or digit stands on both sides of an index. */
function isInside(text: string, at: number): boolean {
  return at > 0 && /^[A-Za-z0-9]{2}$/.test(text.slice(at - 1, at + 1));
}

function isBase64(character = ""): boolean {
  return /^[\w+/-]$/.test(character);
}

/** Searches each run of token characters once, however long it is. */
function* tokensIn(text: string): Generator<Span> {
  const rest = /[\w.-]*/y;
  for (let from = text.indexOf(TOKEN_START); from >= 0;) {
    rest.lastIndex = from;
    const run = rest.exec(text)?.[0] ?? "";
    const to = from + run.length;
    const at = tokenIn(run);
    if (at >= 0) yield { from: from + at, to, label: "[redacted token]" };
    from = text.indexOf(TOKEN_START, to);
  }
}

/**
 * The index in a run where a compact token, or a long segment of one, begins; -1 where there is none.
 */
function tokenIn(run: string): number {
  for (let at = run.indexOf(TOKEN_START); at >= 0; at = run.indexOf(TOKEN_START, at + 1)) {
    const dot = run.indexOf(".", at);
    if (dot < 0) return run.length - at < SHORTEST_SEGMENT ? -1 : at;
    if (dot >= at + SHORTEST_HEADER) return at;
  }
  return -1;
}

/** Replaces each span with its label. Overlapping spans get one label. */
function without(text: string, spans: readonly Span[]): string {
  const sorted = spans.toSorted((a, b) => a.from - b.from || b.to - a.to);
  let result = "";
  let end = 0;
  let group: Span | undefined;
  const close = (): void => {
    if (group) result += group.label;
  };
  for (const span of sorted) {
    if (group && span.from < end) {
      if (span.label === "[redacted]") group = span;
    } else {
      close();
      result += text.slice(end, span.from);
      group = span;
    }
    end = Math.max(end, span.to);
  }
  close();
  return result + text.slice(end);
}
