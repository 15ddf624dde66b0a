import { beforeAll, describe, expect, test } from "vitest";

import { type Plain, plainAnswers, casesToRun } from "../../src/proof/cases-to-run.ts";
import { cleanRun } from "../../src/proof/clean-run.ts";
import { prove } from "../../src/proof/prove.ts";

const RULES = [
  "receiver.issuer",
  "receiver.audience",
  "resources.edit",
  "pagination.totals",
  "document.routes",
];

let plain: Plain;
beforeAll(async () => {
  plain = await plainAnswers(await cleanRun(RULES));
});

test("the conforming receiver answers the requests of a run without a server as it did with one", () => {
  expect(plain.clean.uncertain).toEqual([]);
  expect(plain.clean.arrivals.length).toBeGreaterThan(plain.clean.cases.length / 2);
});

/** What must run of the rules for a fault, and what a real run of these sees of it. */
async function triedBoth(
  name: string,
): Promise<{ toRun: readonly string[]; seen: readonly string[] }> {
  const build = { kind: "fault", name } as const;
  const needed = await casesToRun(build, plain);
  const { seen } = await prove(build, RULES);
  if (typeof needed === "string") throw new Error(`${name} needs ${needed}`);
  return { toRun: [...needed.toRun], seen: seen.map(({ id }) => id) };
}

describe("a case that a real run sees a fault in is among those that must run", () => {
  test.for([
    // By its answers, on reads and on writes; what writes left behind changes nothing for a case that asks for acceptance alone.
    ["issuer-missing-accepted", /^receiver\.issuer\//, /^receiver\.audience\//],
    ["audience-by-prefix", /^receiver\.audience\//, /^receiver\.issuer\//],
    // By its state alone: the answer to the edit is as it should be.
    ["edit-not-saved", /^resources\.edit\//, /^receiver\.issuer\//],
    // By the content of good answers.
    ["total-pages-floor", /^pagination\.totals\//, /^receiver\./],
  ] as const)("%s", async ([name, own, other]) => {
    const { toRun, seen } = await triedBoth(name);
    expect(seen.length).toBeGreaterThan(0);
    expect(toRun).toEqual(expect.arrayContaining([...seen]));
    expect(toRun.some((id) => own.test(id))).toBe(true);
    expect(toRun.filter((id) => other.test(id))).toEqual([]);
  });
});

test.each([
  ["a fault of requests that overlap", "fault", "user-kept-in-a-variable", "receiver"],
  ["a fault of the authorization server", "fault", "server-pkce-unchecked", "server"],
  ["a receiver to which a profile sends other requests", "variant", "paths-with-slash", "receiver"],
  ["a receiver that its document describes alone", "variant", "document-3.0", "receiver"],
] as const)("%s is not computed", async (_what, kind, name, expected) => {
  expect(await casesToRun({ kind, name }, plain)).toBe(expected);
});

describe("a case that is judged again as another profile reads the answers comes out as in a real run", () => {
  // In the second, no answer has what the pages of the usual profile have.
  test.for([["json-api"], ["bare-bodies"]])("%s", async ([name = ""]) => {
    const build = { kind: "variant", name } as const;
    const needed = await casesToRun(build, plain);
    if (typeof needed === "string") throw new Error(`${name} needs ${needed}`);
    const { held } = await prove(build, RULES);
    const passed = plain.clean.cases.filter(
      ({ id, outcome }) => outcome === "pass" && needed.judgedAgain.has(id),
    );
    expect(passed.length).toBeGreaterThan(50);
    expect(held.map(({ id }) => id)).toEqual(expect.arrayContaining(passed.map(({ id }) => id)));
  });
});

test("what a fault of paths changes is found, though a receiver without a server finds no route", async () => {
  const own = ["receiver.token-required"];
  const asked = await plainAnswers(await cleanRun(own));
  const build = { kind: "fault", name: "path-upper-case-unguarded" } as const;
  const needed = await casesToRun(build, asked);
  const { seen } = await prove(build, own);
  expect(seen.length).toBeGreaterThan(0);
  if (typeof needed === "string") throw new Error(`it needs ${needed}`);
  expect([...needed.toRun]).toEqual(expect.arrayContaining(seen.map(({ id }) => id)));
  // Its own rule runs where an answer differs, and nowhere else.
  expect(needed.toRun.size).toBeLessThan(asked.clean.cases.length / 2);
});

test("a fault of the document needs the cases about the document", async () => {
  const needed = await casesToRun({ kind: "fault", name: "document-lacks-edit" }, plain);
  const ofDocument = plain.clean.cases.filter(({ rule }) => rule === "document.routes");
  expect(needed).toMatchObject({ toRun: new Set(ofDocument.map(({ id }) => id)) });
});

test("cases are judged again by the answers of the clean run, also by its clock and what it wrote", () => {
  // Nobody answers a document again.
  const others = plain.clean.cases.filter(({ rule }) => rule !== "document.routes");
  const judged = others.filter(({ id }) => plain.judged.has(id));
  expect(judged.length).toBeGreaterThan(others.length * 0.98);
  expect(judged.some(({ id }) => id.includes("within-skew"))).toBe(true);
});
