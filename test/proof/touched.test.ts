import { beforeAll, describe, expect, test } from "vitest";

import { cleanRun } from "../../src/proof/clean-run.ts";
import { prove } from "../../src/proof/prove.ts";
import { type Plain, plainAnswers, touchedBy } from "../../src/proof/touched.ts";

const RULES = ["receiver.issuer", "receiver.audience", "resources.edit", "pagination.totals"];

let plain: Plain;
beforeAll(async () => {
  plain = await plainAnswers(await cleanRun(RULES));
});

test("the conforming receiver answers the requests of a run without a server as it did with one", () => {
  expect(plain.clean.uncertain).toEqual([]);
  expect(plain.clean.arrivals.length).toBeGreaterThan(plain.clean.cases.length / 2);
});

/** What a fault touches among the rules, and what a real run of these sees of it. */
async function triedBoth(
  name: string,
): Promise<{ touched: readonly string[]; seen: readonly string[] }> {
  const build = { kind: "fault", name } as const;
  const touched = await touchedBy(build, plain);
  const { seen } = await prove(build, RULES);
  if (typeof touched === "string") throw new Error(`${name} touches ${touched}`);
  return { touched: [...touched], seen: seen.map(({ id }) => id) };
}

describe("a case that a real run sees a fault in is among those that the fault touches", () => {
  test.for([
    // By its answers, on reads and on writes; what writes left behind touches nothing that asks for acceptance alone.
    ["issuer-missing-accepted", /^receiver\.issuer\//, /^receiver\.audience\//],
    ["audience-by-prefix", /^receiver\.audience\//, /^receiver\.issuer\//],
    // By its state alone: the answer to the edit is as it should be.
    ["edit-not-saved", /^resources\.edit\//, /^receiver\.issuer\//],
    // By the content of good answers.
    ["total-pages-floor", /^pagination\.totals\//, /^receiver\./],
  ] as const)("%s", async ([name, own, other]) => {
    const { touched, seen } = await triedBoth(name);
    expect(seen.length).toBeGreaterThan(0);
    expect(touched).toEqual(expect.arrayContaining([...seen]));
    expect(touched.some((id) => own.test(id))).toBe(true);
    expect(touched.filter((id) => other.test(id))).toEqual([]);
  });
});

test.each([
  ["a fault of requests that overlap", "user-kept-in-a-variable", "all"],
  ["a fault of the document", "document-lacks-edit", "all"],
  ["a fault of the authorization server", "server-pkce-unchecked", "server"],
])("%s is not computed", async (_what, name, expected) => {
  expect(await touchedBy({ kind: "fault", name }, plain)).toBe(expected);
});
