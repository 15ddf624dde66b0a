import { expect, test } from "vitest";

import { walkCase } from "../../src/explore/walks/walk-case.ts";
import { inOrderOf, type WalkDraw } from "../../src/explore/walks/walk-draw.ts";
import { casesOf, type ReportCase } from "../../src/report/report.ts";
import { RULES } from "../../suites/index.ts";
import { exploreReference } from "./support.ts";

const FEED: WalkDraw = {
  operation: "readChangesFeed",
  bound: false,
  of: "primary",
  sizes: [2],
  order: 0,
  grows: false,
};
const LIST: WalkDraw = { ...FEED, operation: "listOrganizations", sizes: [5] };

/** The case of a rule that walks so through a receiver. */
async function walkOf(
  rule: string,
  draw: WalkDraw,
  receiver: Parameters<typeof exploreReference>[0],
): Promise<ReportCase | undefined> {
  const owner = RULES.find(({ id }) => id === rule);
  if (!owner) throw new TypeError(`there is no rule ${rule}`);
  const one = { ...owner, dependsOn: [], cases: () => [walkCase(owner, "walk", draw)] };
  const { report } = await exploreReference(receiver, { rules: [one] });
  return casesOf(report)[0];
}

const SHOWN: readonly (readonly [fault: string, rule: string, outcome: string, draw: WalkDraw])[] =
  [
    ["info-missing-beyond-the-end", "pagination.results-info", "fail", { ...FEED, sizes: [1] }],
    ["info-page-always-1", "pagination.echo", "fail", LIST],
    ["page-one-too-long", "pagination.page-length", "fail", { ...LIST, order: 1 }],
    ["pages-overlap", "pagination.partition", "fail", { ...LIST, order: 3 }],
    ["total-items-of-page", "pagination.totals", "fail", { ...LIST, sizes: [3, 5] }],
    ["total-pages-floor", "pagination.totals", "fail", { ...LIST, order: 5 }],
  ];

test.each(SHOWN)("a walk shows %s as a violation of %s", async (fault, rule, outcome, draw) => {
  expect(await walkOf(rule, draw, { faults: [fault] })).toMatchObject({ outcome, explored: true });
  expect(await walkOf(rule, draw, {})).toMatchObject({ outcome: "pass" });
});

test("what explains a violation is not called one of another rule", async () => {
  const found = await walkOf("pagination.partition", LIST, { faults: ["info-page-always-1"] });
  expect(found).toMatchObject({ outcome: "inconclusive" });
});

test("exploration walks, and tells the smallest walk that shows a violation, which is run again by its id", async () => {
  const receiver = { faults: ["total-items-of-page"] };
  const { found } = await exploreReference(receiver, { explore: { only: true, requests: 300 } });
  expect(found).toHaveLength(1);
  const [one] = found;
  expect(one).toMatchObject({
    id: expect.stringMatching(/^pagination\.totals\/explored-walk-1-\d+(\.\d+)*$/),
    title: "found by exploration: pages of 1 of the list, read one after another",
    outcome: "fail",
  });
  const only = { names: [one?.id ?? ""], what: "the case" };
  const again = await exploreReference(receiver, { seed: 5, only });
  expect(again.found).toMatchObject([{ id: one?.id, outcome: "fail" }]);
  const mended = await exploreReference({}, { only });
  expect(mended.found).toMatchObject([{ id: one?.id, outcome: "pass" }]);
});

test("a feed that grows between its pages is observed, never judged", async () => {
  const draw = { ...FEED, sizes: [3], grows: true };
  const found = await walkOf("pagination.partition", draw, {});
  expect(found).toMatchObject({ level: "OBSERVE", outcome: "observed" });
  expect(found?.actual).toMatch(/^on pages of 3, \d+ items? came twice and \d+ items? never, of/);
});

test("every order has each page once", () => {
  const pages = Array.from({ length: 12 }, (_, at) => at);
  for (let order = 0; order < 16; order += 1) {
    expect(inOrderOf(pages, order).toSorted((a, b) => a - b)).toEqual(pages);
  }
  expect(inOrderOf(pages, 0)).toEqual(pages);
  expect(inOrderOf(pages, 1)).toEqual(pages.toReversed());
  expect(new Set(Array.from({ length: 16 }, (_, n) => inOrderOf(pages, n).join())).size).toBe(16);
});
