export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object, which excludes arrays and `null`. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** No API nests deeper than this, and recursive code can still walk it. */
const DEEPEST = 256;

/**
 * Parses a JSON text. A byte order mark is ignored, as RFC 8259 §8.1 allows.
 * @returns `undefined` where the text is not JSON, or is nested deeper than 256 levels
 */
export function parseJson(text: string): unknown {
  const json = text.startsWith("\uFEFF") ? text.slice(1) : text;
  if (isTooDeep(json)) return undefined;
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * The value that a body of a profile or a request holds: a text is parsed, and any other value is it already.
 * @returns `undefined` where the text is not JSON; see `parseJson`
 */
export function contentOf(body: unknown): unknown {
  return typeof body === "string" ? parseJson(body) : body;
}

/** Copies a JSON value and passes every string in it through `change`; member names stay as they are. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, mapTexts(member, change)]),
  );
}

/**
 * Puts quotes around the integers of a JSON text that a number cannot hold exactly, so that they are
 * parsed as strings of their digits.
 */
export function quoteLongIntegers(json: string): string {
  const parts: string[] = [];
  let done = 0;
  for (const token = /"|-?\d[\d.eE+-]*/g; ;) {
    const [found] = token.exec(json) ?? [];
    if (found === undefined) break;
    const end = token.lastIndex;
    if (found === '"') token.lastIndex = endOfString(json, end - 1) + 1;
    else if (/^-?\d+$/.test(found) && !Number.isSafeInteger(Number(found))) {
      parts.push(json.slice(done, end - found.length), `"${found}"`);
      done = end;
    }
  }
  return parts.join("") + json.slice(done);
}

/** JSON with the members of objects sorted by name. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    isObject(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

/** Counts brackets outside strings. */
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length && depth <= DEEPEST; at++) {
    const character = text.charAt(at);
    if (character === '"') at = endOfString(text, at);
    else if (character === "[" || character === "{") depth += 1;
    else if (character === "]" || character === "}") depth -= 1;
  }
  return depth > DEEPEST;
}

/** The index of the quote that closes the string opened at `start`, or the text's length. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text[end - 1 - escapes] === "\\") escapes += 1;
    if (escapes % 2 === 0) return end;
  }
  return text.length;
}
