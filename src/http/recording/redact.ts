import { mapTexts } from "../../lib/json.ts";
import type { RedactedKind } from "../exchange.ts";
import { encodedParts, type Found } from "./encodings.ts";
import { joined, plain, type View, views } from "./escapes.ts";
import { createSecrets, type Secrets } from "./secrets.ts";
import { brokenTokens, tokensIn } from "./tokens.ts";

/** The most levels of nested escapes that are decoded. */
const ROUNDS = 6;
/** The most levels of base64 and hex in each other. */
const ENCODED_LEVELS = 3;
/** The characters that are looked at for each character of a text, and for a short text. */
const [WORK, LEAST_WORK] = [100, 1_000_000];
/** The characters of a text that is searched together with others. A longer one is searched once. */
const SHORT = 8192;
/** What was decoded holds text only if it has so many characters in a row that could encode a secret. */
const TEXT = /[\0\t\n\r -~]{11}/;

/** Replaces secrets in a text. */
export type Redactor = (text: string) => string;

/** A text without its secrets. */
export interface Redacted {
  readonly text: string;
  /** The kinds of the parts that were replaced, each once. */
  readonly kinds: readonly RedactedKind[];
}

/** Creates a redactor for values that were all configured; see `redacted`. */
export function createRedactor(values: readonly string[]): Redactor {
  return redactorOf(createSecrets(values));
}

/** Creates a redactor for secrets, including those that are added later; see `redacted`. */
export function redactorOf(secrets: Secrets): Redactor {
  return (text) => redacted(text, secrets).text;
}

/**
 * Replaces secrets in a text. It finds them in every spelling of JSON, HTML and URLs, in base64 and hex, in each
 * other and broken by blanks. It also replaces everything that looks like a compact token, whoever it belongs to.
 * It takes time proportional to the text: what is nested too often to be searched is replaced as a whole.
 */
export function redacted(text: string, secrets: Secrets): Redacted {
  const found = text === "" ? [] : partsOf(text, secrets);
  return found.length === 0
    ? { text, kinds: [] }
    : { text: without(text, found), kinds: [...new Set(found.map(({ kind }) => kind))] };
}

function isShort(text: string): boolean {
  return text.length <= SHORT;
}

/**
 * Redacts texts. Most hold nothing to redact, and searching all short ones at once takes a fraction of
 * the time. That is safe because whatever is found in a text is found in all of them together.
 * @param cleanOne redacts the text with this index; default: `clean`
 * @param isClean whether a text is known to hold no secret; default: none is
 * @returns `texts` itself where nothing was redacted
 */
export function redactAll(
  texts: readonly string[],
  clean: Redactor,
  {
    cleanOne = clean,
    isClean = () => false,
  }: {
    readonly cleanOne?: (text: string, nth: number) => string;
    readonly isClean?: ((text: string) => boolean) | undefined;
  } = {},
): readonly string[] {
  const searched = texts.map((text) => !isClean(text));
  const together = texts.filter((text, nth) => searched[nth] && isShort(text)).join("\n");
  const areShortClean = clean(together) === together;
  const cleaned = texts.map((text, nth) =>
    !searched[nth] || (areShortClean && isShort(text)) ? text : cleanOne(text, nth),
  );
  return cleaned.every((text, nth) => text === texts[nth]) ? texts : cleaned;
}

/**
 * Redacts every string in a value; member names stay. Returns the value itself where nothing was redacted.
 * @param isClean see `redactAll`
 */
export function redactTexts<T>(value: T, clean: Redactor, isClean?: (text: string) => boolean): T {
  const texts = textsIn(value);
  const cleaned = redactAll(texts, clean, { isClean });
  if (cleaned === texts) return value;
  let at = 0;
  return mapTexts(value, () => cleaned[at++] ?? "") as T;
}

/** The strings in a value; member names are none. */
export function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** The parts of a text to replace. */
function partsOf(text: string, secrets: Secrets): readonly Found[] {
  let left = WORK * text.length + LEAST_WORK;
  const whole: Found = { from: 0, to: text.length, kind: "unclear" };

  function search(one: string, levels: number): Found[] {
    left -= one.length;
    if (left < 0) return [];
    if (levels < ENCODED_LEVELS && !TEXT.test(one)) return secrets.in(one);
    const asIs = plain(one);
    const bare = joined(asIs);
    return [
      ...views(asIs, ROUNDS),
      // Escapes may be broken themselves.
      ...(bare === asIs ? [] : views(bare, ROUNDS).slice(1)),
    ].flatMap((view) => inView(view, levels));
  }

  function inView(view: View, levels: number): Found[] {
    const bare = joined(view);
    left -= view.text.length + bare.text.length;
    return [
      ...placed(view, secrets.in(view.text)),
      ...placed(view, tokensIn(view.text)),
      ...(bare === view ? [] : placed(bare, secrets.inJoined(bare.text))),
      ...placed(bare, brokenTokens(view, bare)),
      ...(levels === 0
        ? []
        : placed(
            bare,
            encodedParts(bare.text, (decoded) => search(decoded, levels - 1)),
          )),
    ];
  }

  const found = search(text, ENCODED_LEVELS);
  return left < 0 ? [whole] : found;
}

/** Parts of a view, as parts of the original text. */
function placed(view: View, parts: readonly Found[]): Found[] {
  return parts.map(({ kind, ...part }) => {
    const [from, to] = view.place(part.from, part.to);
    return { from, to, kind };
  });
}

/** Replaces each part with its label. Overlapping parts get one label. */
function without(text: string, parts: readonly Found[]): string {
  const sorted = parts.toSorted((a, b) => a.from - b.from || b.to - a.to);
  let result = "";
  let end = 0;
  let label: string | undefined;
  for (const { from, to, kind } of sorted) {
    const own = kind === "token" ? "[redacted token]" : "[redacted]";
    if (label !== undefined && from < end) {
      if (kind !== "token") label = own;
    } else {
      result += (label ?? "") + text.slice(end, from);
      label = own;
    }
    end = Math.max(end, to);
  }
  return result + (label ?? "") + text.slice(end);
}
