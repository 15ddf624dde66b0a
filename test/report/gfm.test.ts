import { assert, property, string } from "fast-check";
import { describe, expect, it } from "vitest";

import { code, fence, prose } from "../../src/report/gfm.ts";
import { printable } from "../../src/report/untrusted.ts";
import { html, outsideCode, tags, textOf } from "./rendered.ts";

/** What is said: `prose` decides what is code, and keeps one blank of several. */
function said(text: string): string {
  return text.replaceAll("`", "").replaceAll(/\s+/g, " ").trim();
}

const ANY_TEXT = string({ unit: "binary", maxLength: 60 });
const MARKUP = string({
  unit: string({ unit: "grapheme-ascii", minLength: 1, maxLength: 2 }).map((text) =>
    text.replaceAll(/[a-z0-9]/gi, "`"),
  ),
  maxLength: 30,
});

describe("prose", () => {
  it.each([
    ["the request is rejected, with a 4xx.", "the request is rejected, with a `4xx`."],
    ["`exp` passed (an hour ago)", "`exp` passed (an hour ago)"],
    ["`exp`'s value, “1”", "`exp`'s value, `“1”`"],
    [
      "the control on a@b was refused: 403 Forbidden",
      "the control on `a@b` was refused: 403 Forbidden",
    ],
    ["Authentication / Receiver checks / 3", "Authentication / Receiver checks / 3"],
    ["1. first", "1\\. first"],
    ["see http://h/ {a} now", "see `http://h/ {a}` now"],
    ["", ""],
  ])("%j is written as %j", (text, expected) => {
    expect(prose(text)).toBe(expected);
  });

  it("becomes text and code whatever it contains, and keeps its meaning", () => {
    for (const texts of [ANY_TEXT, MARKUP]) {
      assert(
        property(texts, (any) => {
          const text = printable(any);
          const page = html(prose(text));
          expect(tags(page).filter((tag) => tag !== "p" && tag !== "code")).toEqual([]);
          expect(said(textOf(page))).toBe(said(text));
          expect(outsideCode(page)).not.toMatch(/[@#<>$*_~[\]|\\]/);
        }),
      );
    }
  });
});

describe("code and fence", () => {
  it("keep any text unchanged", () => {
    for (const texts of [ANY_TEXT, MARKUP]) {
      const visible = texts.filter((any) => printable(any).trim() !== "");
      assert(
        property(visible, (any) => {
          const text = printable(any);
          const inline = html(code(text));
          expect(inline).toMatch(/^<p><code>[^<]*<\/code><\/p>$/);
          expect(textOf(inline)).toBe(text);
          const block = html(`before\n\n${fence("text", [text, text])}\n\nafter`);
          expect(block).toMatch(
            /<p>before<\/p>\n<pre><code class="language-text">[^<]*<\/code><\/pre>\n<p>after<\/p>$/,
          );
          expect(textOf(block)).toBe(`before\n${text}\n${text}\n\nafter`);
        }),
      );
    }
  });
});
