import { assert, property, string } from "fast-check";
import { describe, expect, it } from "vitest";

import { isPrintable, printable, printableAll } from "../../src/report/untrusted.ts";

describe("printable", () => {
  it.each([
    ["\u001B[31mred\u001B[0m", "\\u{1b}[31mred\\u{1b}[0m"],
    ["\u009B2J", "\\u{9b}2J"],
    ["two\r\nlines\t", "two\\r\\nlines\\t"],
    ["\u202Etxt.exe", "\\u{202e}txt.exe"],
    ["a\u200Bb\uFEFFc\u2066d\u2028e", "a\\u{200b}b\\u{feff}c\\u{2066}d\\u{2028}e"],
    ["tag \u{E0041}", "tag \\u{e0041}"],
    ["half \uD83D pair", "half \\u{d83d} pair"],
    ["nobody's \uFFFE\uFFFF\u{1FFFF}", "nobody's \\u{fffe}\\u{ffff}\\u{1ffff}"],
    ["über 日本語 😀 “x”", "über 日本語 😀 “x”"],
  ])("%j is shown as %j", (text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  it("is one printable line, whatever the text was", () => {
    assert(
      property(string({ unit: "binary", maxLength: 80 }), (text) => {
        expect(isPrintable(printable(text, 50))).toBe(true);
      }),
    );
  });

  it("cuts a long text, never inside a character", () => {
    expect(printable("x".repeat(50), 50)).toBe("x".repeat(50));
    expect(printable("x".repeat(51), 50)).toBe(`${"x".repeat(50)}…`);
    expect(printable("😀😀😀", 3)).toBe("😀…");
    expect(printable("x".repeat(10_000_000)).length).toBe(1001);
  });

  it("escapes every text of a structure, and keeps the rest", () => {
    const value = { a: ["\u001B", { b: "\n" }], c: 1, d: null, e: undefined, f: true };
    expect(printableAll(value)).toEqual({ ...value, a: ["\\u{1b}", { b: "\\n" }] });
  });
});
