import { describe, expect, test } from "vitest";

import { FAULTS, startReference } from "../../src/reference/index.ts";
import { JWKS, send } from "./client.ts";
import { openPlace, tokenWith } from "./signature-showings.ts";

/** Faults that show only by a fetch, with the token change that causes it. */
const SHOWN_BY: Readonly<Record<string, string>> = {
  "jku-fetched": "jku",
  "x5u-fetched": "x5u",
  "kid-fetched": "kid-url",
  "issuer-discovered": "iss-url",
};

const names = FAULTS.filter(({ rule }) => rule === "receiver.outbound").map(({ name }) => name);

test("every fault that fetches has a demonstration", () => {
  expect(Object.keys(SHOWN_BY).toSorted()).toEqual(names.toSorted());
});

describe.each(names)("%s", (name) => {
  test.each([
    ["with the fault something is fetched", [name], 1],
    ["without it nothing is", [], 0],
  ] as const)("%s", async (_title, faults, hits) => {
    const receiver = await startReference({ jwks: JWKS, faults });
    try {
      const place = await openPlace();
      const token = await tokenWith(receiver, SHOWN_BY[name] ?? "", place.url);
      const { status } = await send(receiver, { authorization: `Bearer ${token}` });
      expect(status).toBe(401);
      expect(place.hits).toHaveLength(hits);
    } finally {
      await receiver.close();
    }
  });
});
