import * as fc from "fast-check";
import { expect, test } from "vitest";

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

/** What a case of the rule finds of the list of a deployment, without a server. */
function judged(
  id: string,
  deployment: Simulated,
  cut: Cut = properly,
  reversed: Reversed = () => false,
): Promise<Finding> {
  const { items: count, cap, totals, ends, seed } = deployment;
  const all = Array.from({ length: count }, (_, index) => ({ id: uuid(index) }));
  const replyTo = (path: string): unknown => {
    const query = new URLSearchParams(path.split("?")[1]);
    const page = Number(query.get("page") ?? 1);
    const pageSize = Math.min(cap, Number(query.get("pageSize") ?? 100));
    const info = { page, pageSize, ...(totals && { totalItems: count }) };
    const inOrder = reversed(page, pageSize) ? all.toReversed() : all;
    const body = { items: inOrder.slice(...cut(page, pageSize)), paginationInfo: info };
    const status = ends && page > 1 && body.items.length === 0 ? 404 : 200;
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

test.each(["pages", "any-size", "beyond-the-end"])(
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
      expect(await judged("pages", deployment, cut)).toMatchObject({ kind: "fail" });
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
      expect(await judged("pages", deployment, twoPages)).toMatchObject({ kind: "fail" });
    }),
    { numRuns: 300 },
  );
});

/** On the pages first read, the order is the same on each; it differs where each item is on a page of its own. */
const byPlan: Reversed = (page, size) => size < 7 && (size > 1 || page === 2);
const bySize: Reversed = (_page, size) => size < 7;
const SEVEN: Simulated = { items: 7, cap: 100, totals: true, ends: false, seed: 1 };

test("an order that differs from page to page is detected, though the pages first read hold every item once", async () => {
  expect(await judged("pages", SEVEN, properly, byPlan)).toMatchObject({ kind: "fail" });
});

test("an order that depends on the page size alone is not violated", async () => {
  expect(await judged("pages", SEVEN, properly, bySize)).toMatchObject({ kind: "pass" });
  expect(await judged("any-size", SEVEN, properly, bySize)).toMatchObject({ kind: "fail" });
});
