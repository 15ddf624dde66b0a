import type { Found } from "./encodings.ts";
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
/** Grams whose hashes share so many leading bits have the same mark. Most grams of a text have no mark, and are no further looked at. */
const MARK_BITS = 20;
/** A hash moves by so many bits with each character, so that its 32 bits know the last eight: a gram. */
const HASH_SHIFT = 32 / GRAM;
/** A number for each low byte of a character, the same for both cases of a letter. The factors are odd and without a pattern. */
const BYTE_HASHES = Int32Array.from({ length: 256 }, (_, byte) => {
  const code = byte >= 65 && byte <= 90 ? byte + 32 : byte;
  return Math.imul(code + 1, 0x9e3779b1) ^ (Math.imul(code + 7, 0x85ebca6b) << 7);
});
/** The bytes of one text at a time: most are short, and a buffer for each takes longer than the search. */
const BYTES = Buffer.alloc(64 * 1024);
const ASCII = /^[\0-\x7F]*$/;

/** The values that must not be recorded. It grows while a run sends credentials and gets them. */
export interface Secrets {
  /** Adds values that are secret as a whole, unless they are said openly. */
  add(values: readonly string[]): void;
  /** The secrets in a text, in time proportional to it, however many secrets there are. Ignores case. */
  in(text: string): Found[];
  /** The secrets in a text whose blanks were removed, which has no words. */
  inJoined(text: string): Found[];
}

/** One spelling of a secret. */
interface Needle {
  /** In lower case if it is configured. Others are as they were sent: there are thousands, whose copies would fill memory. */
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
  /** A bit for each mark. */
  const marks = new Int32Array(2 ** MARK_BITS / 32);
  const grams = new Map<string, Gram[]>();

  function index(needle: Needle): void {
    const { shortest } = needle;
    const text = folded(needle.text);
    // Each run of the shortest length has one of these grams.
    const isWhole = shortest === text.length;
    const step = isWhole ? text.length : shortest - GRAM + 1;
    for (let at = isWhole ? tellingGram(text) : 0; at + GRAM <= text.length; at += step) {
      const gram = text.slice(at, at + GRAM);
      const others = grams.get(gram);
      if (others) others.push({ needle, at });
      else grams.set(gram, [{ needle, at }]);
      const mark = markOf(gram);
      marks[mark >>> 5] = (marks[mark >>> 5] ?? 0) | (1 << (mark & 31));
    }
  }

  function addOne(secret: string, isConfigured: boolean): void {
    if (secret.length < SHORTEST_SECRET || known.has(secret)) return;
    known.add(secret);
    for (const spelt of PLAIN.test(secret) ? [secret] : new Set(spellings(secret))) {
      if (spelt.length < SHORTEST_SECRET) continue;
      if (spelt.length < GRAM) {
        words.set(spelt, { configured: isConfigured });
        for (const coding of ["base64", "base64url", "hex"] as const) {
          const encoded = Buffer.from(spelt).toString(coding).replace(/=+$/, "");
          words.set(encoded, { configured: isConfigured });
        }
        continue;
      }
      const { length } = spelt;
      const shortest = isConfigured
        ? Math.min(length, Math.max(GRAM, Math.ceil(length * TELLTALE)))
        : length;
      index({ text: isConfigured ? folded(spelt) : spelt, shortest, configured: isConfigured });
    }
    for (const piece of isConfigured ? base64Pieces(secret.slice(0, LONGEST_PIECE)) : []) {
      const text = folded(piece);
      index({ text, shortest: text.length, configured: true });
    }
  }
  for (const secret of configured) addOne(secret, true);

  /** Whether something is said openly that a search found. The same few texts are found again and again. */
  const opens = new Map<string, boolean>();
  function isOpen(found: string): boolean {
    const answer = opens.get(found) ?? openly.includes(found);
    opens.set(found, answer);
    return answer;
  }

  /** The secrets that were sent are looked for as a whole, because there are many and they may be long. */
  function wholeAt(text: string, from: number, { needle, at }: Gram): Found | undefined {
    const start = from - at;
    const whole = folded(needle.text);
    if (start < 0 || !text.startsWith(whole, start)) return undefined;
    if (!needle.configured && isOpen(whole)) return undefined;
    return { from: start, to: start + whole.length, kind: "secret" };
  }

  /** The longest run of a needle around a gram of a text, if it is one to hide. */
  function runAt(text: string, from: number, { needle, at }: Gram): Found | undefined {
    const secret = needle.text;
    let [before, after] = [0, GRAM];
    while (before < at && before < from && text[from - before - 1] === secret[at - before - 1])
      before += 1;
    while (at + after < secret.length && text[from + after] === secret[at + after]) after += 1;
    const length = before + after;
    if (length < needle.shortest) return undefined;
    const part = { from: from - before, to: from + after };
    if (length === secret.length) return { ...part, kind: "secret" };
    const run = secret.slice(at - before, at + after);
    return isOpen(run) ? undefined : { ...part, kind: "part of a secret" };
  }

  function runsIn(original: string): Found[] {
    const found: Found[] = [];
    if (grams.size === 0) return found;
    // Of other letters, the two cases have different hashes.
    const text = ASCII.test(original) ? original : folded(original);
    let lower: string | undefined;
    /** Where the last part that was found of a needle ends: a text of one letter has a gram everywhere. */
    const ends = new Map<Needle, number>();
    // A loop over bytes takes two thirds of the time of one over characters.
    const bytes = bytesOf(text);
    const { length } = text;
    let hash = 0;
    for (let to = 0; to < length; to++) {
      hash = nextHash(hash, bytes[to] ?? 0);
      const mark = hash >>> (32 - MARK_BITS);
      if (((marks[mark >>> 5] ?? 0) & (1 << (mark & 31))) === 0 || to < GRAM - 1) continue;
      const from = to - GRAM + 1;
      lower ??= folded(text);
      for (const gram of grams.get(lower.slice(from, to + 1)) ?? []) {
        const { needle } = gram;
        const isWhole = needle.shortest === needle.text.length;
        const end = ends.get(needle) ?? 0;
        if (isWhole ? from - gram.at < end : from + GRAM <= end) continue;
        const part = isWhole ? wholeAt(lower, from, gram) : runAt(lower, from, gram);
        if (!part) continue;
        found.push(part);
        ends.set(needle, part.to);
      }
    }
    return found;
  }

  function* wordsIn(text: string): Generator<Found> {
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

/** Where the last gram is that is not one letter over and over; the last one where all are. The end tells tokens apart. */
function tellingGram(text: string): number {
  const last = text.length - GRAM;
  for (let at = last; at >= 0; at--) {
    if (text.charAt(at) !== text.charAt(at + 1)) return at;
  }
  return last;
}

/** Whether a letter or digit stands on both sides of an index. */
function isInside(text: string, at: number): boolean {
  return at > 0 && /^[A-Za-z0-9]{2}$/.test(text.slice(at - 1, at + 1));
}

/** The low byte of each character, until the next call. */
function bytesOf(text: string): Uint8Array {
  if (text.length > BYTES.length) return Buffer.from(text, "latin1");
  BYTES.write(text, "latin1");
  return BYTES;
}

function nextHash(hash: number, byte: number): number {
  return ((hash << HASH_SHIFT) + (BYTE_HASHES[byte] ?? 0)) | 0;
}

function markOf(gram: string): number {
  return Buffer.from(gram, "latin1").reduce(nextHash, 0) >>> (32 - MARK_BITS);
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
