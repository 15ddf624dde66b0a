import { expect, test } from "vitest";

import { observationGroups } from "../../src/report/groups.ts";

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

/** A tally of these values as a report shows it to people. */
function shown(id: string, ...counts: readonly [string, number][]): string | undefined {
  const facts = [{ kind: "tally", counts, more: 2 } as const];
  return observationGroups({ observations: [{ id, title: "seen", value: "whole", facts }] })[0]
    ?.value;
}

test("the schema of an answer is shown in a short form, with the number of times that it was seen", () => {
  const seen = shown("shape.listOrganizations", [JSON.stringify(page), 3], ['{"type":"array"}', 1]);
  expect(seen).toBe(
    "{ items: [{ id: uuid }], next: null | string, tags: array, data: object } (3 times), array (once), and 2 more",
  );
});

test.each(['{"type":"object","a":1', "no body", "{}", '{"a} (2 times)":{}}'])(
  "another text stays as it is: %s",
  (text) => {
    expect(shown("shape.viewOrganization", [text, 1])).toBe(`${text} (once), and 2 more`);
  },
);

test("an observation of anything else is shown as it is", () => {
  expect(shown("status.put", ['{"type":"array"}', 1])).toBe("whole");
});
