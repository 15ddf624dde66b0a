import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { Finding } from "../../src/probe/finding.ts";
import type { Fixture } from "../../src/probe/probe.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { rule } from "../../suites/pagination/partition.ts";
import { uuid } from "./paged.ts";

/** A deployment with pages, as the rule sees it. */
interface Simulated {
  readonly items: number;
  /** Items on a page at most. */
  readonly cap: number;
  readonly totals: boolean;
  /** A page past the end is not found. */
  readonly ends: boolean;
  readonly seed: number;
}

/** The part of the items that a page shows. */
type Cut = (page: number, pageSize: number) => readonly [from: number, to: number];
/** Whether the items of a page are cut from the collection in reverse. */
type Reversed = (page: number, pageSize: number) => boolean;

const simulated = fc.record<Simulated>({
  // Fewer items show nothing about pages.
  items: fc.integer({ min: 2, max: 300 }),
  cap: fc.integer({ min: 1, max: 120 }),
  totals: fc.boolean(),
  ends: fc.boolean(),
  seed: fc.integer(),
});

const properly: Cut = (page, pageSize) => [(page - 1) * pageSize, page * pageSize];

/** A size by which a deployment tells large pages from small ones. */
const LARGE = 150;

/** How a deployment answers some pages otherwise than others. */
interface Oddity {
  readonly cut?: Cut;
  readonly reversed?: Reversed;
  /** The most items on a large page, if large pages have a limit of their own. */
  readonly largeCap?: number;
  /** Whether large sizes are refused. */
  readonly refusesLarge?: boolean;
  /** How many items are added just before a large page is asked for. */
  readonly added?: number;
}

/** What a case of the rule finds of the list of a deployment, without a server. */
function judged(
  id: string,
  deployment: Simulated,
  {
    cut = properly,
    reversed = () => false,
    largeCap,
    refusesLarge = false,
    added = 0,
  }: Oddity = {},
): Promise<Finding> {
  const { cap, totals, ends, seed } = deployment;
  let count = deployment.items;
  const replyTo = (path: string): unknown => {
    const query = new URLSearchParams(path.split("?")[1]);
    const page = Number(query.get("page") ?? 1);
    const asked = Number(query.get("pageSize") ?? 100);
    const isLarge = asked >= LARGE;
    if (isLarge) count = deployment.items + added;
    const all = Array.from({ length: count }, (_, index) => ({ id: uuid(index) }));
    const pageSize = Math.min(asked, (isLarge ? largeCap : undefined) ?? cap);
    const info = { page, pageSize, ...(totals && { totalItems: count }) };
    const inOrder = reversed(page, asked) ? all.toReversed() : all;
    const body = { items: inOrder.slice(...cut(page, pageSize)), paginationInfo: info };
    const isMissing = ends && page > 1 && body.items.length === 0;
    const status = isMissing ? 404 : isLarge && refusesLarge ? 400 : 200;
    return {
      exchange: { id: path, response: { body: JSON.stringify(body), truncated: false } },
      status,
      headers: {},
      body: "{}",
      cut: false,
      json: () => body,
    };
  };
  const known = new Map<string, unknown>();
  const probe: unknown = {
    target: { operations: { listOrganizations: { paginated: true } }, writes: false },
    seed,
    confirming: false,
    control: () => Promise.resolve({ reply: replyTo("/orgs"), place: {} }),
    attempt: ({ request }: { request?: (spec: { path: string }) => { path: string } }) => {
      const { path } = request?.({ path: "/orgs" }) ?? { path: "/orgs" };
      return Promise.resolve({
        reply: replyTo(path),
        control: { place: {} },
        evidence: { probes: [path] },
      });
    },
    use: ({ name, setup }: Fixture<unknown>) => {
      if (!known.has(name)) known.set(name, setup(probe as Probe));
      return known.get(name);
    },
    eventually: (look: () => unknown) => look(),
    judgeSettled: (judge: (own: unknown) => unknown) => judge(probe),
  };
  const found = rule.cases({} as never).find((one) => one.id === `${id}@listOrganizations`);
  if (!found) throw new Error(`no case ${id}`);
  return Promise.resolve(found.judge(probe as Probe));
}

test.each(["pages", "any-size", "beyond-the-end", "large"])(
  "with any number of items and any page size, %s is not violated",
  async (id) => {
    await fc.assert(
      fc.asyncProperty(simulated, async (deployment) => {
        const { kind } = await judged(id, deployment);
        expect(kind).toBe("pass");
      }),
      {
        numRuns: 150,
        examples: [50, 25, 9, 1, 2].map((cap) => [
          { items: 124, cap, totals: true, ends: false, seed: 1 },
        ]),
      },
    );
  },
);

test.each<[string, Cut]>([
  ["dropped", (page, size) => [(page - 1) * size + Number(page > 1), page * size]],
  ["doubled", (page, size) => [(page - 1) * size - Number(page > 1), page * size]],
  ["shifted", (page, size) => [(page - 1) * (size + 1), (page - 1) * (size + 1) + size]],
])("an item that is %s at a page boundary is detected", async (_, cut) => {
  const several = simulated.filter(({ items, cap }) => items >= 3 && cap >= 2);
  await fc.assert(
    fc.asyncProperty(several, async (deployment) => {
      expect(await judged("pages", deployment, { cut })).toMatchObject({ kind: "fail" });
    }),
    { numRuns: 150 },
  );
});

/** Pages after the second one are empty. */
const twoPages: Cut = (page, size) => (page < 3 ? properly(page, size) : [0, 0]);

test("whatever the seed, a third page is looked at where there is one", async () => {
  const several = simulated
    .filter(({ items, cap }) => items >= 3 && cap >= 100)
    .map((one) => ({ ...one, ends: false }));
  await fc.assert(
    fc.asyncProperty(several, async (deployment) => {
      expect(await judged("pages", deployment, { cut: twoPages })).toMatchObject({ kind: "fail" });
    }),
    { numRuns: 300 },
  );
});

/** On the pages first read, the order is the same on each; it differs where each item is on a page of its own. */
const byPlan: Reversed = (page, size) => size < 7 && (size > 1 || page === 2);
const bySize: Reversed = (_page, size) => size < 7;
const SEVEN: Simulated = { items: 7, cap: 100, totals: true, ends: false, seed: 1 };

test("an order that differs from page to page is detected, though the pages first read hold every item once", async () => {
  expect(await judged("pages", SEVEN, { reversed: byPlan })).toMatchObject({ kind: "fail" });
});

test("an order that depends on the page size alone is not violated", async () => {
  expect(await judged("pages", SEVEN, { reversed: bySize })).toMatchObject({ kind: "pass" });
  expect(await judged("any-size", SEVEN, { reversed: bySize })).toMatchObject({ kind: "fail" });
});

const reversed: Reversed = (_page, size) => size >= LARGE;

/** Large pages lack their first item. */
const shorter: Cut = (page, size) => {
  const [from, to] = properly(page, size);
  return [size < LARGE ? from : from + 1, to];
};

describe("a page of the largest size", () => {
  const uncapped = simulated.map((one) => ({ ...one, cap: 2 ** 31 - 1 }));

  test("that lacks an item is detected, however many there are", async () => {
    await fc.assert(
      fc.asyncProperty(uncapped, async (deployment) => {
        expect(await judged("large", deployment, { cut: shorter })).toMatchObject({ kind: "fail" });
        expect(await judged("pages", deployment, { cut: shorter })).toMatchObject({ kind: "pass" });
      }),
      { numRuns: 100 },
    );
  });

  test.each<[string, Oddity, Finding["kind"]]>([
    ["in another order", { reversed }, "pass"],
    ["with a limit of its own", { largeCap: 100 }, "pass"],
    ["with a smaller limit than short pages have", { largeCap: 2 }, "pass"],
    ["in another order, with a smaller limit", { largeCap: 2, reversed }, "pass"],
    ["that is refused", { refusesLarge: true }, "not-applicable"],
  ])("%s is not violated", async (_, oddity, kind) => {
    await fc.assert(
      fc.asyncProperty(uncapped, async (deployment) => {
        const few = { ...deployment, items: (deployment.items % 90) + 2 };
        expect(await judged("large", few, oddity)).toMatchObject({ kind });
      }),
      { numRuns: 50 },
    );
  });

  test("of a long collection in another order is not compared, if others follow", async () => {
    const long = { items: 300, cap: 2 ** 31 - 1, totals: true, ends: false, seed: 1 };
    const oddity = { largeCap: 160, reversed };
    expect(await judged("large", long, oddity)).toMatchObject({ kind: "not-applicable" });
  });

  test("of a collection that has grown since it was walked through is not violated", async () => {
    expect(await judged("large", SEVEN, { added: 1 })).toMatchObject({ kind: "pass" });
  });
});
