import { expect, test } from "vitest";

import { textsWithin } from "../../src/probe/read/texts.ts";

const VALUES = ["Harbour Lights", "Harbour Lights Foundation", "We light it", "accepted", "short"];

test.each<[string, string, string[]]>([
  ["JSON within a text", 'denied: {"m":"We light it"}', ["We light it"]],
  ["a sentence", "We light it, says Harbour Lights.", ["Harbour Lights", "We light it"]],
  ["a longer value, which is one", "Harbour Lights Foundation", ["Harbour Lights Foundation"]],
  ["words of any sentence", "The short token is not accepted.", []],
])("the values are found in %s", (_what, text, found) => {
  expect(textsWithin(text, VALUES)).toEqual(found);
});
