import * as fc from "fast-check";
import { expect, test } from "vitest";

import { unescaped } from "../../src/http/recording/escapes.ts";
import { createRedactor } from "../../src/http/recording/redact.ts";

const hex = (text: string, digits: number): string =>
  text.charCodeAt(0).toString(16).padStart(digits, "0");
/** Ways to write one ASCII character. */
const CHARACTERS: Readonly<Record<string, (character: string) => string>> = {
  // In a text with escapes, a backslash cannot represent itself.
  plain: (character) => (character === "\\" ? String.raw`\\` : character),
  json: (character) => String.raw`\u${hex(character, 4)}`,
  jsonUpper: (character) => String.raw`\u${hex(character, 4).toUpperCase()}`,
  javascript: (character) => String.raw`\x${hex(character, 2)}`,
  decimal: (character) => `&#${character.charCodeAt(0)};`,
  hexadecimal: (character) => `&#x${hex(character, 1)};`,
  hexadecimalUpper: (character) => `&#X${hex(character, 4).toUpperCase()};`,
  zeros: (character) => `&#${String(character.charCodeAt(0)).padStart(20, "0")};`,
  braces: (character) => String.raw`\u{${hex(character, 1)}}`,
  percentUnicode: (character) => `%u${hex(character, 4)}`,
  octal: (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`,
  broken: (character) => `${character === "\\" ? String.raw`\\` : character}\u200B`,
  percent: (character) => `%${hex(character, 2)}`,
  percentUpper: (character) => `%${hex(character, 2).toUpperCase()}`,
  backslash: (character) => (/[A-Za-z0-9]/.test(character) ? character : `\\${character}`),
};
const WHOLE: Readonly<Record<string, (text: string) => string>> = {
  json: (text) => JSON.stringify(text),
  uri: encodeURIComponent,
  html: (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;"),
  base64: (text) => Buffer.from(text).toString("base64"),
  base64url: (text) => Buffer.from(text).toString("base64url"),
  twice: (text) => Buffer.from(Buffer.from(text).toString("base64")).toString("base64"),
  lines: (text) => Buffer.from(text).toString("base64").replaceAll(/.{8}/g, "$&\r\n"),
  hex: (text) => Buffer.from(text).toString("hex"),
  user: (text) => Buffer.from(`user:${text}`).toString("base64"),
};

const secrets = fc
  .string({
    unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCodePoint(code)),
    minLength: 8,
    maxLength: 40,
  })
  // What means fewer characters, such as `%30!&!!!`, is hidden as a whole word only.
  .filter((text) => unescaped(text, 6).replaceAll(" ", "").length >= 8);
const spelling = fc.array(fc.constantFrom(...Object.values(CHARACTERS)), { minLength: 1 });
const wrapping = fc.array(fc.constantFrom(...Object.keys(WHOLE)), { maxLength: 1 });
const before = fc.constantFrom("", " ", '"', "key: ", "of ü ", "Bearer ");
const after = fc.constantFrom("", " ", '"', " of ü", ", and more");

/** Undoes whatever a reader of the report could undo. */
function readable(text: string, secret: string): boolean {
  const texts = [text];
  for (let round = 0; round < 4; round++) {
    const last = texts.at(-1) ?? "";
    texts.push(
      last
        .replaceAll(/%([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)))
        .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
        .replaceAll(/&#x([\da-f]+);/gi, (_, code: string) =>
          String.fromCharCode(parseInt(code, 16)),
        )
        .replaceAll(/\\u([\da-f]{4})/gi, (_, code: string) =>
          String.fromCharCode(parseInt(code, 16)),
        )
        .replaceAll(/\\(.)/g, "$1"),
    );
  }
  const decoded = texts.flatMap((each) =>
    (each.match(/[\w+/-]{8,}/g) ?? []).map((run) => Buffer.from(run, "base64").toString("latin1")),
  );
  return [...texts, ...decoded].some((each) => each.includes(secret));
}

test("no secret survives in any mixture of spellings", () => {
  fc.assert(
    fc.property(secrets, wrapping, spelling, before, after, (secret, wraps, ways, a, b) => {
      const whole = wraps.reduce((text, name) => WHOLE[name]?.(text) ?? text, secret);
      const spelt = Array.from(whole, (one, at) => ways[at % ways.length]?.(one) ?? one).join("");
      const redacted = createRedactor([secret])(`${a}${spelt}${b}`);
      expect(redacted).toContain("[redacted]");
      expect(readable(redacted, secret)).toBe(false);
    }),
    { numRuns: 2000 },
  );
});

test("a secret is found where the semicolon of an HTML name is escaped", () => {
  expect(createRedactor(['!"#<!!!!'])(String.raw`!\&quot;\#&lt\;!\!!\!`)).toBe("[redacted]");
});

test("text that is not secret stays unchanged, whatever its spelling", () => {
  const redact = createRedactor(["Zx81kQp0LmVt72Ws"]);
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(redact(text)).toBe(text);
    }),
  );
});

test.each([0, 1, 998, 999, 1000, 1001, 5000])(
  "a secret is cut out exactly after %i other escapes in a row",
  (count) => {
    const secret = "Zx81kQp0LmVt72Ws";
    const spelt = Array.from(secret, CHARACTERS["json"] as (one: string) => string).join("");
    const [others, rest] = [String.raw`\n`.repeat(count), String.raw`\u0041\\\U0041\q`];
    const redacted = createRedactor([secret])(`"${others}${spelt}${rest}"`);
    expect(redacted).toBe(`"${others}[redacted]${rest}"`);
  },
);
