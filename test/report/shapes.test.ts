import { expect, test } from "vitest";

import { withShortShapes } from "../../src/report/text/shapes.ts";

const page = {
  type: "object",
  properties: {
    items: {
      type: "array",
      items: { type: "object", properties: { id: { type: "string", format: "uuid" } } },
    },
    next: { type: ["null", "string"] },
    tags: { type: "array" },
    data: { type: "object" },
  },
};

test("the schema of an answer is shown in a short form, with the number of times that it was seen", () => {
  const seen = `${JSON.stringify(page)} (3 times), {"type":"array"} (once), and 2 more`;
  expect(withShortShapes(seen)).toBe(
    "{ items: [{ id: uuid }], next: null | string, tags: array, data: object } (3 times), array (once), and 2 more",
  );
});

test.each([
  '{"type":"object","a":1',
  "200 OK (3 times)",
  '{"type":1} (once',
  "{} (once)",
  '{"type":"object","properties":{"a} (2 times)":{}}} (once)',
])("another text stays as it is: %s", (text) => {
  expect(withShortShapes(text)).toBe(text);
});
