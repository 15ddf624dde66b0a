import { beforeAll, describe, expect, test } from "vitest";

import { type Plain, plainAnswers, casesToRun } from "../../src/proof/cases-to-run.ts";
import { cleanRun, cleanServerRun } from "../../src/proof/clean-run.ts";
import { prove } from "../../src/proof/prove.ts";

const RULES = [
  "receiver.token-required",
  "receiver.issuer",
  "receiver.audience",
  "receiver.scope",
  "receiver.no-disclosure",
  "receiver.outbound",
  "errors.shape",
  "errors.unknown-route",
  "resources.edit",
  "pagination.totals",
  "document.routes",
];

let plain: Plain;
beforeAll(async () => {
  plain = await plainAnswers(await cleanRun(RULES), await cleanServerRun());
});

test("the conforming receiver answers the requests of a run without a server as it did with one", () => {
  expect(plain.clean.uncertain).toEqual([]);
  expect(plain.clean.arrivals.length).toBeGreaterThan(plain.clean.cases.length / 2);
});

/** Which cases must run for a fault, and in which of these rules' cases a real run sees it. */
async function triedBoth(
  name: string,
  ...rules: readonly string[]
): Promise<{ toRun: readonly string[]; seen: readonly string[] }> {
  const build = { kind: "fault", name } as const;
  const needed = await casesToRun(build, plain);
  const { seen } = await prove(build, rules);
  if (typeof needed === "string") throw new Error(`${name} needs ${needed}`);
  return { toRun: [...needed.toRun], seen: seen.map(({ id }) => id) };
}

/** Those of a rule. */
function ofRule(rule: string, ids: readonly string[]): string[] {
  return ids.filter((id) => id.startsWith(`${rule}/`));
}

describe("a case that a real run sees a fault in is among those that must run", () => {
  test.for([
    // By its answers, on reads and on writes; what writes left behind changes nothing for a case that asks for acceptance alone.
    ["issuer-missing-accepted", "receiver.issuer", "receiver.audience"],
    ["audience-by-prefix", "receiver.audience", "receiver.issuer"],
    // By its state alone: the answer to the edit is as it should be.
    ["edit-not-saved", "resources.edit", "receiver.issuer"],
    // By the content of good answers.
    ["total-pages-floor", "pagination.totals", "receiver.issuer", "receiver.audience"],
    // By what it would fetch.
    ["jku-fetched", "receiver.outbound", "receiver.issuer"],
    // By what the framework refuses, and what no route takes.
    ["error-undecodable-path-default", "errors.shape", "receiver.issuer"],
    ["unknown-path-shows-app", "errors.unknown-route", "receiver.issuer"],
    // By the rejections of all cases.
    ["refused-organization-shown", "receiver.no-disclosure", "receiver.audience"],
    // Where it takes a path for another, so that no route is found without a server.
    ["path-upper-case-unguarded", "receiver.token-required", "receiver.audience"],
  ] as const)("%s", async ([name, own, ...others]) => {
    const { toRun, seen } = await triedBoth(name, own, ...others);
    expect(seen.length).toBeGreaterThan(0);
    expect(toRun).toEqual(expect.arrayContaining([...seen]));
    expect(ofRule(own, toRun)).not.toEqual([]);
    expect(others.flatMap((other) => ofRule(other, toRun))).toEqual([]);
  });
});

test("of the rule of a fault of paths those cases run where an answer differs", async () => {
  const own = "receiver.token-required";
  const { toRun } = await triedBoth("path-upper-case-unguarded", own);
  const all = plain.clean.cases.filter(({ rule }) => rule === own);
  expect(ofRule(own, toRun).length).toBeLessThan(all.length / 2);
});

test("a rule that looks through the rejections of a run is judged again by those of the record", async () => {
  const { toRun, seen } = await triedBoth("scope-object-value", "receiver.scope");
  expect(seen.length).toBeGreaterThan(0);
  expect(ofRule("receiver.no-disclosure", toRun)).toEqual([]);
});

test.each([
  ["a fault of requests that overlap", "fault", "user-kept-in-a-variable"],
  ["a receiver to which a profile sends other requests", "variant", "paths-with-slash"],
  ["a receiver that its document describes alone", "variant", "document-3.0"],
] as const)("%s needs every case", async (_what, kind, name) => {
  expect(await casesToRun({ kind, name }, plain)).toBe("all");
});

describe("a case of the authorization server that a real run sees a fault in is among those that must run", () => {
  // By an answer, by a redirect, by the token of all, and by what an earlier request left behind.
  test.for([
    ["server-redirects-to-https", 5],
    ["server-code-twice", 5],
    ["server-token-without-sub", 200],
    ["server-refresh-numbered", 400],
    ["server-metadata-lists-no-grant", 400],
  ] as const)("%s", async ([name, most]) => {
    const { toRun, seen } = await triedBoth(name, "authorization-server.*");
    expect(seen.length).toBeGreaterThan(0);
    expect(toRun).toEqual(expect.arrayContaining([...seen]));
    expect(toRun.length).toBeLessThanOrEqual(most);
  });
});

test("a receiver of which a profile describes other clients needs the cases of these", async () => {
  const build = { kind: "variant", name: "server-public-alone" } as const;
  const { held } = await prove(build, ["authorization-server.*"]);
  const needed = await casesToRun(build, plain);
  if (typeof needed === "string") throw new Error(`it needs ${needed}`);
  expect([...needed.toRun]).toEqual(expect.arrayContaining(held.map(({ id }) => id)));
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

test("a fault of the document needs the cases about the document", async () => {
  const needed = await casesToRun({ kind: "fault", name: "document-lacks-edit" }, plain);
  const ofDocument = plain.clean.cases.filter(({ rule }) => rule === "document.routes");
  expect(needed).toMatchObject({ toRun: new Set(ofDocument.map(({ id }) => id)) });
});

test("cases are judged again by the answers of the clean run, also by its clock and what it wrote", () => {
  // Nobody answers a document again, or fetches what a token names.
  const others = plain.clean.cases.filter(
    ({ rule }) => rule !== "document.routes" && rule !== "receiver.outbound",
  );
  const judged = others.filter(({ id }) => plain.judged.has(id));
  expect(judged.length).toBeGreaterThan(others.length * 0.98);
  expect(judged.some(({ id }) => id.includes("within-skew"))).toBe(true);
});
