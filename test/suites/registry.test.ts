import { readdirSync } from "node:fs";
import { basename, extname, join } from "node:path";

import { expect, test } from "vitest";

import { sideOfId } from "../../src/contract/ids.ts";
import { OPERATION_IDS } from "../../src/contract/operations.ts";
import { packageRoot } from "../../src/lib/package-root.ts";
import { sideOf } from "../../src/probe/rule.ts";
import { RULES } from "../../suites/index.ts";
import { COMMONGRANTS_RULES } from "../../suites/packs.ts";
import { referenceTarget } from "../support/target.ts";

const target = referenceTarget();

test("rule ids are unique", () => {
  expect(new Set(RULES.map(({ id }) => id)).size).toBe(RULES.length);
});

test("suites/index.ts and suites/packs.ts list the rule of each file beside the folders of an area, and no other", () => {
  const suites = join(packageRoot, "suites");
  const areas = readdirSync(suites).filter((name) => name !== "shared" && !extname(name));
  const files = areas.flatMap((area) =>
    readdirSync(join(suites, area))
      .filter((name) => extname(name) === ".ts")
      .map((name) => `${area}.${basename(name, ".ts")}`),
  );
  const ids = [...RULES, ...COMMONGRANTS_RULES].map(({ id }) => id);
  expect(ids.toSorted()).toEqual(files.toSorted());
});

test.each(RULES.map((rule) => [rule.id, rule] as const))("%s has valid cases", (_id, rule) => {
  const cases = rule.cases(target);
  expect(cases.length).toBeGreaterThan(0);
  expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
  for (const { id, operation } of cases) {
    // Ids go into globs, headers and file names.
    expect(id).toMatch(/^[\w@.-]+$/);
    expect([undefined, ...OPERATION_IDS]).toContain(operation);
  }
});

test("the side of a rule is the one that its id tells the reader of a report", () => {
  for (const rule of RULES) expect([rule.id, sideOf(rule)]).toEqual([rule.id, sideOfId(rule.id)]);
});

test("a rule comes after the rules that it depends on", () => {
  const seen = new Set<string>();
  for (const { id, dependsOn = [] } of RULES) {
    const later = dependsOn.filter((name) => !seen.has(name.split("/")[0] ?? ""));
    expect({ rule: id, dependsOnLater: later }).toEqual({ rule: id, dependsOnLater: [] });
    seen.add(id);
  }
});

test("rules and levels match the snapshot", () => {
  expect(RULES.map(({ id, level }) => `${level} ${id}`)).toMatchSnapshot();
});

test("ids match the snapshot", () => {
  const ids = RULES.flatMap((rule) =>
    rule.cases(target).map(({ id, level }) => `${level ?? rule.level} ${rule.id}/${id}`),
  );
  expect(ids).toMatchSnapshot();
});
