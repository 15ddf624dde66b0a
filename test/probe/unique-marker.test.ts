import { expect, test } from "vitest";

import { shows } from "../../src/probe/write/unique-marker.ts";

const VALUE = "conformance-0a1b";

function escaped(ascii: string): string {
  return Buffer.from(ascii)
    .toString("hex")
    .replaceAll(/../g, (code) => String.raw`\u00${code}`);
}

test.each([
  ["as it was sent", `{"mission":"for ${VALUE}"}`],
  ["in upper case", '{"mission":"CONFORMANCE-0A1B"}'],
  ["with one escaped character", String.raw`{"mission":"conformance\u002d0a1b"}`],
  ["with every character escaped", `{"mission":"${escaped(VALUE)}"}`],
])("a written value is recognised %s", (_how, body) => {
  expect(shows({ body }, VALUE)).toBe(true);
});

test("another value is not", () => {
  expect(shows({ body: '{"mission":"conformance-0a1c"}' }, VALUE)).toBe(false);
  expect(shows({ body: String.raw`{"mission":"conformance\u002e0a1b"}` }, VALUE)).toBe(false);
});
