import { describe, expect, test } from "vitest";

import { refusal, type TinyRun } from "../engine/tiny.ts";
import type { WordedResult } from "../support/worded.ts";
import { CHANGES, LIST, type Paged, queriesOf, runPaged, type Shown, uuid } from "./paged.ts";

type Options = Parameters<typeof runPaged>[2];

/** The cases that do not pass. */
function troubles({ results }: TinyRun): string[] {
  return results
    .filter(({ outcome }) => !["pass", "observed"].includes(outcome))
    .map(({ id, outcome }) => `${outcome} ${id.replace("pagination.", "")}`);
}

function resultOf({ results }: TinyRun, id: string): WordedResult {
  const result = results.find((one) => one.id === `pagination.${id}`);
  if (!result) throw new Error(`no case ${id}`);
  return result;
}

const list = (profile: object): Options => ({
  profile: { operations: { listOrganizations: profile, submitChange: { body: {} } } },
});

const onTheList = (paged: Paged, options?: Options): Promise<TinyRun> =>
  runPaged("results-info/*@listOrganizations", paged, options);
const seen = (ran: TinyRun): string | undefined =>
  resultOf(ran, "results-info/paginated@listOrganizations").actual;
const withoutInfo = ({ items }: { items: readonly unknown[] }): unknown => ({ items });
const fails = (what: string): string => `fail results-info/${what}@listOrganizations`;

const asked = async (paged: Paged, seed: number): Promise<string[]> =>
  queriesOf(
    await runPaged("{echo/page,bounds-rejected/page-above,partition/pages}@*", paged, { seed }),
    "/orgs",
  );

const numbers = (query: URLSearchParams): [number, number] => [
  Number(query.get("page") ?? 1),
  Number(query.get("pageSize") ?? 100),
];

const split = ({ items, info }: Shown): unknown => ({
  even: items.filter((_, index) => index % 2 === 0),
  odd: items.filter((_, index) => index % 2 === 1),
  info,
});

/** Grouped by the last character of their ids, without empty groups. */
const byLetter = ({ items, info }: Shown): unknown => {
  const letters = new Map<string, unknown[]>();
  for (const item of items as readonly { id: string }[]) {
    const letter = item.id.slice(-1);
    letters.set(letter, [...(letters.get(letter) ?? []), item]);
  }
  return { index: Object.fromEntries(letters), info };
};

const boundTotals = (totals: object): Promise<TinyRun> =>
  runPaged("totals/bound@*", {
    instead: (_query, { claims }) => {
      const own = claims?.["https://example.com/org_id"];
      if (own === undefined) return undefined;
      const paginationInfo = { page: 1, pageSize: 100, ...totals };
      return { status: 200, body: { items: [{ id: own }], paginationInfo } };
    },
  });

describe("a route is paginated", () => {
  test("if its answers carry PaginatedResultsInfo", async () => {
    const ran = await onTheList({});
    expect(seen(ran)).toMatch(/^paginated: .*carry/);
    expect(troubles(ran)).toEqual([]);
  });

  test("if pageSize=1 shortens its answer; then PaginatedResultsInfo is missing", async () => {
    const ran = await onTheList({ envelope: withoutInfo });
    expect(seen(ran)).toMatch(/^paginated: .*shortens/);
    expect(troubles(ran)).toEqual(expect.arrayContaining([fails("default"), fails("page")]));
  });

  test("if the profile says so; then PaginatedResultsInfo is missing", async () => {
    const whole: Paged = { instead: () => ({ status: 200, body: { items: LIST } }) };
    const ran = await onTheList(whole, list({ paginated: true }));
    expect(troubles(ran)).toEqual(expect.arrayContaining([fails("default"), fails("page")]));
    expect(seen(await onTheList(whole))).toMatch(/^not paginated/);
  });

  test("if the profile says so; then an answer that is not JSON lacks more than the info", async () => {
    const ran = await onTheList({ instead: () => ({ status: 200 }) }, list({ paginated: true }));
    const { outcome, actual } = resultOf(ran, "results-info/default@listOrganizations");
    expect([outcome, actual]).toEqual(["fail", expect.stringMatching(/the body is not JSON$/)]);
  });

  test("but not if the profile says that it is not", async () => {
    const ran = await onTheList({}, list({ paginated: false }));
    expect(seen(ran)).toMatch(/^not paginated/);
    expect(troubles(ran).every((trouble) => trouble.startsWith("not-applicable"))).toBe(true);
    expect(queriesOf(ran, "/orgs")).toEqual([]);
  });

  test("but not if the list shrank by chance", async () => {
    let requests = 0;
    const instead: Paged["instead"] = () => ({
      status: 200,
      body: { items: LIST.slice(requests++) },
    });
    expect(seen(await onTheList({ instead }))).toMatch(/^not paginated/);
  });

  test("and cases that depend on a missing PaginatedResultsInfo are blamed on it", async () => {
    const ran = await runPaged("{results-info,echo}", { envelope: withoutInfo });
    expect(resultOf(ran, "echo/page@listOrganizations")).toMatchObject({
      outcome: "inconclusive",
      blamedOn: "pagination.results-info",
    });
  });
});

describe("PaginatedResultsInfo", () => {
  test("is judged apart from members beside it", async () => {
    const beside = await runPaged("results-info/*@listOrganizations", {
      envelope: ({ items, info }) => ({ items: items.length > 0 ? items : null, ...info }),
    });
    expect(troubles(beside)).toEqual(["not-applicable results-info/closed@listOrganizations"]);
    const own = await runPaged("results-info/*@listOrganizations", {
      envelope: ({ items, info }) => ({ items, info: { ...info, hasNext: false } }),
    });
    expect(troubles(own)).toEqual(["fail results-info/closed@listOrganizations"]);
  });

  test("is not missing if only the profile names the wrong place", async () => {
    const ran = await runPaged(
      "results-info/default@listOrganizations",
      {},
      list({ pagination: "/info", paginated: true }),
    );
    expect(resultOf(ran, "results-info/default@listOrganizations")).toMatchObject({
      outcome: "inconclusive",
      reason: expect.stringMatching(/operations\.listOrganizations\.pagination/) as string,
    });
  });
});

describe("the requested pages", () => {
  test("are the same for the same seed", async () => {
    const [one, again, other] = [await asked({}, 4), await asked({}, 4), await asked({}, 5)];
    expect(one.toSorted()).toEqual(again.toSorted());
    expect(one.toSorted()).not.toEqual(other.toSorted());
  });

  test("are hardly more for a large collection, and never show all of it", async () => {
    const many = Array.from({ length: 20_000 }, (_, index) => ({ id: uuid(index) }));
    const small = await runPaged("*");
    const large = await runPaged("*", { list: () => many });
    expect(troubles(large).filter((trouble) => !/body|bound@|denied-/.test(trouble))).toEqual([]);
    expect(small.calls.length).toBeLessThan(200);
    expect(large.calls.length / small.calls.length).toBeLessThan(1.1);
    const lengths = large.exchanges.map(({ response }) => response?.body.length ?? 0);
    expect(Math.max(...lengths)).toBeLessThan(10_000);
  });
});

/** This receiver's profile names no denied subject. */
function withoutDenied(found: readonly string[]): string[] {
  return found.filter((one) => !/^not-provisioned .*\/denied-/.test(one));
}

describe("bounds", () => {
  test("a counterexample is reported as one minimized request", async () => {
    const ran = await runPaged("bounds-accepted/{values,cap}@listOrganizations", {
      instead: (query) => (Number(query.get("pageSize")) > 1000 ? refusal(400) : undefined),
    });
    const { outcome, actual, evidence } = resultOf(ran, "bounds-accepted/values@listOrganizations");
    expect(outcome).toBe("fail");
    const [, query = "", pageSize] = /^\?(page=1&pageSize=(\d+)): 400/.exec(actual ?? "") ?? [];
    expect(Number(pageSize)).toBeLessThan(2_147_483_647);
    const shown = ran.exchanges.find(({ id }) => id === evidence?.probes[0]);
    expect(shown?.request.url.endsWith(`?${query}`)).toBe(true);
    expect(resultOf(ran, "bounds-accepted/cap@listOrganizations").actual).toMatch(/^101/);
  });

  test("a smaller pageSize than requested is a warning if the info states it", async () => {
    const ran = await runPaged("{bounds-accepted,defaults,echo,page-length}/*@listOrganizations", {
      instead: (query) => {
        if (Number(query.get("pageSize") ?? 100) > 50) query.set("pageSize", "50");
        return undefined;
      },
    });
    expect(withoutDenied(troubles(ran))).toEqual([
      "warn bounds-accepted/granted@listOrganizations",
      "warn defaults/both@listOrganizations",
      "warn defaults/page-size@listOrganizations",
    ]);
    expect(resultOf(ran, "bounds-accepted/cap@listOrganizations").actual).toBe("50");
  });

  test("404 beyond the last page is observed, and anywhere else it is a failure", async () => {
    const beyond = await runPaged("*/*@listOrganizations", {
      instead: (query) => {
        const [page, pageSize] = numbers(query);
        return (page - 1) * pageSize >= LIST.length ? refusal(404) : undefined;
      },
    });
    expect(withoutDenied(troubles(beyond))).toEqual([
      "not-applicable totals/bound@listOrganizations",
    ]);
    expect(resultOf(beyond, "bounds-accepted/beyond-the-end@listOrganizations").actual).toMatch(
      /^404/,
    );
    const second = await runPaged("bounds-accepted/values@listOrganizations", {
      instead: (query) => (query.get("page") === "2" ? refusal(404) : undefined),
    });
    expect(troubles(second)).toEqual(["fail bounds-accepted/values@listOrganizations"]);
  });
});

describe("a collection", () => {
  test("that changes during the reads is inconclusive, whatever its pages contain", async () => {
    for (const every of [1, 2, 3]) {
      let requests = 0;
      const ran = await runPaged("{partition,totals,defaults,page-length}/*@listOrganizations", {
        list: () => [...LIST, { id: uuid(1000 + requests++) }].slice(requests % every),
      });
      expect(troubles(ran).filter((trouble) => trouble.startsWith("fail"))).toEqual([]);
      for (const id of ["partition/pages", "totals/items"]) {
        expect(resultOf(ran, `${id}@listOrganizations`)).toMatchObject({
          outcome: "inconclusive",
          reason: expect.stringMatching(/changes while it is read/) as string,
        });
      }
    }
  });

  test("that is empty lacks consent to writes if writes are not allowed", async () => {
    const ran = await runPaged("*", { feed: () => [] }, { profile: { writes: false } });
    expect(resultOf(ran, "partition/pages@readChangesFeed")).toMatchObject({
      outcome: "not-provisioned",
      missing: ["writes"],
    });
    expect(troubles(ran).filter((trouble) => trouble.startsWith("fail"))).toEqual([]);
    expect(ran.calls.filter(({ method }) => method !== "GET")).toEqual([]);
  });

  test("that is too short is filled by at most three submissions", async () => {
    const ran = await runPaged("{partition,totals}/*@readChangesFeed", {
      feed: (submitted) => CHANGES.slice(0, submitted),
    });
    // The profile names no other subject.
    expect(troubles(ran).filter((trouble) => !trouble.includes("denied-"))).toEqual([]);
    const submissions = ran.calls.filter(
      ({ method, isControl }) => method === "POST" && !isControl,
    );
    expect(submissions).toHaveLength(3);
    const full = await runPaged("partition/*@readChangesFeed");
    expect(full.calls.filter(({ method }) => method === "POST")).toEqual([]);
  });

  test("of one item is not provisioned for laws over two pages, and names the missing key", async () => {
    const one: Paged = { feed: () => CHANGES.slice(0, 1) };
    const unasked = { profile: { writes: false } };
    const ran = await runPaged("partition/pages@readChangesFeed", one, unasked);
    expect(resultOf(ran, "partition/pages@readChangesFeed")).toMatchObject({
      outcome: "not-provisioned",
      missing: ["writes"],
    });
  });

  test("whose items cannot be recognised is inconclusive", async () => {
    const ran = await runPaged("partition/pages@*", {}, list({ items: "/nowhere" }));
    expect(resultOf(ran, "partition/pages@listOrganizations")).toMatchObject({
      outcome: "inconclusive",
      reason: expect.stringMatching(/operations\.listOrganizations\.items/) as string,
    });
  });

  test("in parallel arrays is read as one, and nothing fails if that is a guess", async () => {
    const rules = "{partition,totals,page-length}/{pages,items,at-most}@listOrganizations";
    expect(troubles(await runPaged(rules, { envelope: split }))).toEqual([]);
    const lossy = ({ items, info }: Shown): unknown =>
      split({ items: info.page > 1 ? items.slice(1) : items, info });
    const results = troubles(await runPaged(rules, { envelope: lossy }));
    expect(results).toContain("inconclusive partition/pages@listOrganizations");
    expect(results.filter((result) => result.startsWith("fail"))).toEqual([]);
  });

  test("whose arrays differ between pages is inconclusive", async () => {
    const ran = await runPaged("{partition,totals,page-length}/*@listOrganizations", {
      envelope: byLetter,
    });
    expect(troubles(ran).filter((trouble) => /^(?:fail|warn)/.test(trouble))).toEqual([]);
  });
});

describe("the totals of a bound token's list", () => {
  test.each([
    [{ totalItems: 1, totalPages: 1 }, []],
    [{ totalItems: 1 }, []],
    [{}, ["not-applicable totals/bound@listOrganizations"]],
    [{ totalItems: 24, totalPages: 1 }, ["fail totals/bound@listOrganizations"]],
    [{ totalPages: 24 }, ["fail totals/bound@listOrganizations"]],
  ])("%j", async (totals, expected) => {
    expect(troubles(await boundTotals(totals))).toEqual(expected);
  });
});
