import { expect, test } from "vitest";

import { CaseEnd, endCase, optional, together } from "../../src/probe/finding.ts";
import { phrase } from "../../src/probe/phrase.ts";

async function ends(reason: string): Promise<string> {
  return endCase({ kind: "inconclusive", reason: phrase`${reason}` });
}

test("an optional step that ends its case counts as absent, and any other error is thrown", async () => {
  expect(await optional(Promise.resolve(7))).toBe(7);
  expect(await optional(ends("no feed"))).toBeUndefined();
  await expect(optional(Promise.reject(new TypeError("a fault")))).rejects.toThrow("a fault");
});

test("parallel steps end as the first one in order does, after all of them have ended", async () => {
  expect(await together([Promise.resolve(1), Promise.resolve("two")])).toEqual([1, "two"]);
  const later = new Promise((resolve) => setImmediate(resolve)).then(() => ends("later"));
  await expect(together([later, ends("at once")])).rejects.toMatchObject({
    finding: { reason: phrase`${"later"}` },
  });
  let isOver = false;
  const last = new Promise((resolve) => setImmediate(resolve)).then(() => (isOver = true));
  await expect(together([ends("at once"), last])).rejects.toThrow(CaseEnd);
  expect(isOver).toBe(true);
});
