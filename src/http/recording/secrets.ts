import type { Part } from "./encodings.ts";
import { unescaped, withoutBlanks } from "./escapes.ts";

/** Shorter values are not hidden. */
const SHORTEST_SECRET = 4;
/** Shorter secrets may be part of another word by chance, so they are hidden as whole words only. */
const GRAM = 8;
/** A run of a secret that is this part of it, and no shorter than a gram, is hidden too. */
const TELLTALE = 1 / 3;
/** A secret may look like an escape that was escaped itself. */
const ROUNDS = 6;
/** A secret that is spelled in one way, such as most tokens. */
const PLAIN = /^[\w.-]+$/;
/** The characters of a secret by which it is recognised in base64 without regard to case. */
const LONGEST_PIECE = 64;
/** A power of two. Most grams of a text have no mark, and are no further looked at. */
const MARKS = 2 ** 17;
const BASE = 0x01000193;
const BASE_OF_FIRST = Array.from({ length: GRAM - 1 }).reduce<number>(
  (power) => Math.imul(power, BASE),
  1,
);

/** A part of a text that is a secret, or a run of one. */
export interface SecretPart extends Part {
  readonly kind: "secret" | "part of a secret";
}

/** The values that must not be recorded. It grows while a run sends credentials and gets them. */
export interface Secrets {
  /** Adds values that are secret as a whole, unless they are said openly. */
  add(values: readonly string[]): void;
  /** The secrets in a text, in time proportional to it, however many secrets there are. Ignores case. */
  in(text: string): SecretPart[];
  /** The secrets in a text whose blanks were removed, which has no words. */
  inJoined(text: string): SecretPart[];
}

/** One spelling of a secret. */
interface Needle {
  /** In lower case. */
  readonly text: string;
  /** The shortest run that is hidden. */
  readonly shortest: number;
  /** Whether the profile or the environment gave it: it is secret even where it is said openly. */
  readonly configured: boolean;
}

/** Eight characters of a needle. */
interface Gram {
  readonly needle: Needle;
  readonly at: number;
}

/**
 * Creates a set of secrets.
 * @param configured their runs of eight characters or a third, whichever is longer, are secret too
 * @param open what is no secret: a run of a configured secret, or another secret, that occurs there is not hidden
 */
export function createSecrets(configured: readonly string[], open = ""): Secrets {
  const known = new Set<string>();
  const openly = folded(open);
  /** Secrets that are shorter than a gram. */
  const words = new Map<string, Pick<Needle, "configured">>();
  const marks = new Uint8Array(MARKS);
  const grams = new Map<string, Gram[]>();

  function index(needle: Needle): void {
    const { text, shortest } = needle;
    // Each run of the shortest length has one of these grams. The end tells tokens apart.
    const isWhole = shortest === text.length;
    const step = isWhole ? text.length : shortest - GRAM + 1;
    for (let at = isWhole ? text.length - GRAM : 0; at + GRAM <= text.length; at += step) {
      const gram = text.slice(at, at + GRAM);
      const others = grams.get(gram);
      if (others) others.push({ needle, at });
      else grams.set(gram, [{ needle, at }]);
      marks[markOf(gram)] = 1;
    }
  }

  function addOne(secret: string, isConfigured: boolean): void {
    if (secret.length < SHORTEST_SECRET || known.has(secret)) return;
    known.add(secret);
    for (const spelt of PLAIN.test(secret) ? [secret] : new Set(spellings(secret))) {
      if (spelt.length < SHORTEST_SECRET) continue;
      const text = folded(spelt);
      if (text.length < GRAM) {
        words.set(spelt, { configured: isConfigured });
        for (const coding of ["base64", "base64url", "hex"] as const) {
          const encoded = Buffer.from(spelt).toString(coding).replace(/=+$/, "");
          words.set(encoded, { configured: isConfigured });
        }
        continue;
      }
      const shortest = isConfigured
        ? Math.min(text.length, Math.max(GRAM, Math.ceil(text.length * TELLTALE)))
        : text.length;
      index({ text, shortest, configured: isConfigured });
    }
    for (const piece of isConfigured ? base64Pieces(secret.slice(0, LONGEST_PIECE)) : []) {
      const text = folded(piece);
      index({ text, shortest: text.length, configured: true });
    }
  }
  for (const secret of configured) addOne(secret, true);

  function isOpen(text: string, { from, to }: Part): boolean {
    return openly.includes(text.slice(from, to));
  }

  /** The secrets that were sent are looked for as a whole, because there are many and they may be long. */
  function wholeAt(text: string, from: number, { needle, at }: Gram): SecretPart | undefined {
    const start = from - at;
    if (start < 0 || !text.startsWith(needle.text, start)) return undefined;
    const part = { from: start, to: start + needle.text.length };
    if (!needle.configured && isOpen(text, part)) return undefined;
    return { ...part, kind: "secret" };
  }

  /** The longest run of a needle around a gram of a text, if it is one to hide. */
  function runAt(text: string, from: number, { needle, at }: Gram): SecretPart | undefined {
    const secret = needle.text;
    let [before, after] = [0, GRAM];
    while (before < at && before < from && text[from - before - 1] === secret[at - before - 1])
      before += 1;
    while (at + after < secret.length && text[from + after] === secret[at + after]) after += 1;
    const length = before + after;
    if (length < needle.shortest) return undefined;
    const part = { from: from - before, to: from + after };
    if (length === secret.length) return { ...part, kind: "secret" };
    return isOpen(text, part) ? undefined : { ...part, kind: "part of a secret" };
  }

  function runsIn(original: string): SecretPart[] {
    const text = folded(original);
    const found: SecretPart[] = [];
    if (grams.size === 0) return found;
    /** Where the last part that was found of a needle ends: a text of one letter has a gram everywhere. */
    const ends = new Map<Needle, number>();
    let hash = 0;
    for (let to = 0; to < text.length; to++) {
      if (to >= GRAM) hash = (hash - Math.imul(text.charCodeAt(to - GRAM), BASE_OF_FIRST)) | 0;
      hash = (Math.imul(hash, BASE) + text.charCodeAt(to)) | 0;
      if (to < GRAM - 1 || marks[mark(hash)] === 0) continue;
      const from = to - GRAM + 1;
      for (const gram of grams.get(text.slice(from, to + 1)) ?? []) {
        const { needle } = gram;
        const isWhole = needle.shortest === needle.text.length;
        const end = ends.get(needle) ?? 0;
        if (isWhole ? from - gram.at < end : from + GRAM <= end) continue;
        const part = isWhole ? wholeAt(text, from, gram) : runAt(text, from, gram);
        if (!part) continue;
        found.push(part);
        ends.set(needle, part.to);
      }
    }
    return found;
  }

  function* wordsIn(text: string): Generator<SecretPart> {
    for (const [word, { configured: isConfigured }] of words) {
      if (!text.includes(word) || (!isConfigured && openly.includes(folded(word)))) continue;
      for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
        const to = at + word.length;
        if (!isInside(text, at) && !isInside(text, to)) yield { from: at, to, kind: "secret" };
      }
    }
  }

  return {
    add: (values) => {
      for (const value of values) addOne(value, false);
    },
    in: (text) => [...runsIn(text), ...wordsIn(text)],
    inJoined: runsIn,
  };
}

/** A secret in the ways that it is written without being escaped. */
function spellings(secret: string): readonly string[] {
  // It may look like an escape, or end with the start of one.
  const open = secret.replace(/\\+$/, "");
  const all = [secret, secret.replaceAll(" ", "+"), open, unescaped(open, ROUNDS)];
  return [
    ...all,
    ...all.map(withoutBlanks),
    // As decoded base64 and hex show it.
    ...all.map((text) => Buffer.from(text, "utf8").toString("latin1")),
  ];
}

/** In lower case, with the same length. */
function folded(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length
    ? lower
    : text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** Whether a letter or digit stands on both sides of an index. */
function isInside(text: string, at: number): boolean {
  return at > 0 && /^[A-Za-z0-9]{2}$/.test(text.slice(at - 1, at + 1));
}

function markOf(gram: string): number {
  let hash = 0;
  for (let at = 0; at < GRAM; at++) hash = (Math.imul(hash, BASE) + gram.charCodeAt(at)) | 0;
  return mark(hash);
}

function mark(hash: number): number {
  return (hash ^ (hash >>> 15)) & (MARKS - 1);
}

/** Shorter pieces occur in other data by chance. */
const SHORTEST_PIECE = 8;

/**
 * The base64 pieces by which a text is recognised inside the base64 of any longer text, in both
 * alphabets of RFC 4648. There is one piece for each of the three byte alignments. Pieces too short
 * to identify the text are left out.
 */
function base64Pieces(text: string): string[] {
  const pieces = ["", "\0", "\0\0"].map((before) => {
    const bytes = Buffer.from(before + text, "utf8");
    // Skip characters that share bits with a neighbouring byte.
    const [from, to] = [Math.ceil((8 * before.length) / 6), Math.floor((8 * bytes.length) / 6)];
    return bytes.toString("base64").slice(from, to);
  });
  const long = pieces.filter(({ length }) => length >= SHORTEST_PIECE);
  return [...new Set([...long, ...long.map(urlSafe)])];
}

function urlSafe(base64: string): string {
  return base64.replaceAll("+", "-").replaceAll("/", "_");
}
