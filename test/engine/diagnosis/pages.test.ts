import { describe, expect, it } from "vitest";

import { explainByPages } from "../../../src/engine/conclusion/pages/explain-pages.ts";
import { seenPages } from "../../../src/engine/conclusion/pages/seen-pages.ts";
import type { CaseResult } from "../../../src/engine/events.ts";
import type { Exchange } from "../../../src/http/exchange.ts";
import { PAGE_MISTAKES } from "../../../src/model/mistakes/pages.ts";
import type { AskedPage, PageMistake } from "../../../src/model/mistakes/pages/page.ts";
import { inWords } from "../../../src/probe/phrase.ts";

type Answer = (asked: AskedPage) => AskedPage;

const LIST = ["a", "b", "c", "d", "e"].map((id) => JSON.stringify({ id }));
/** What a run asks for: as a list of five shows it. */
const QUERIES = ["", "page=1", "pageSize=5"].concat(
  [1, 2, 3, 5, 2_147_483_647].flatMap((size) =>
    [1, 2, 3, 6].map((page) => `page=${page}&pageSize=${size}`),
  ),
);

const right: Answer = (asked) => ({
  ...asked,
  items: asked.list.slice((asked.page - 1) * asked.pageSize, asked.page * asked.pageSize),
  info: {
    page: asked.page,
    pageSize: asked.pageSize,
    totalItems: asked.list.length,
    totalPages: Math.ceil(asked.list.length / asked.pageSize),
  },
});

function withMistake({ member, answers }: PageMistake): Answer {
  return (asked) => {
    const good = right(asked);
    const wrong = answers(good);
    return typeof wrong === "number"
      ? { ...good, info: { ...good.info, [member]: wrong } }
      : { ...good, items: wrong };
  };
}

/** The exchanges of a run against a receiver that answers so, on the feed alone unless it is told. */
function exchangesOf(answer: Answer, operations = ["readChangesFeed"] as const): Exchange[] {
  return operations.flatMap((operation) =>
    QUERIES.map((query, at): Exchange => {
      const asked = new URLSearchParams(query);
      const { items, info } = answer({
        page: Number(asked.get("page") ?? 1),
        pageSize: Number(asked.get("pageSize") ?? 100),
        given: { page: asked.has("page"), pageSize: asked.has("pageSize") },
        list: LIST,
        items: [],
        info: {},
      });
      const body = {
        items: items.map((item) => JSON.parse(item) as unknown),
        pagination: info,
      };
      return {
        id: `x${at}`,
        caseId: "pagination.totals/items",
        operation,
        request: { method: "GET", url: `https://a.example/feed?${query}`, headers: [] },
        response: { status: 200, headers: {}, body: JSON.stringify(body), truncated: false },
        startedAt: "2026-01-01T00:00:00.000Z",
        durationMs: 1,
      };
    }),
  );
}

const RULES: Readonly<Record<string, string>> = {
  items: "pagination.partition",
  page: "pagination.echo",
  pageSize: "pagination.defaults",
  totalItems: "pagination.totals",
  totalPages: "pagination.totals",
};

function explained(member: string, answer: Answer): ReturnType<typeof explainByPages> {
  const rule = RULES[member] ?? "";
  const exchanges = exchangesOf(answer);
  const violated: CaseResult = {
    id: `${rule}/one@readChangesFeed`,
    rule,
    level: "MUST",
    outcome: "fail",
    evidence: { probes: exchanges.map(({ id }) => id) },
  };
  const target = { operations: { readChangesFeed: { paginated: true } } } as never;
  return explainByPages(rule, [violated], seenPages(exchanges, target));
}

describe("pages of a run are compared with what receivers with mistakes would have answered", () => {
  it.each(PAGE_MISTAKES.map((one) => [one.behaves, one] as const))(
    "a receiver that %s is not taken for another one",
    (_behaves, mistake) => {
      const { diagnoses } = explained(mistake.member, withMistake(mistake));
      if (diagnoses.length === 0) return;
      expect(diagnoses.map(({ behaves }) => behaves)).toContain(mistake.behaves);
    },
  );

  it("names most of them", () => {
    const named = PAGE_MISTAKES.filter(
      (one) => explained(one.member, withMistake(one)).diagnoses.length > 0,
    );
    expect(named.length).toBeGreaterThan(PAGE_MISTAKES.length * 0.7);
  });

  it("says under which condition a mistake is made", () => {
    const { diagnoses } = explained("totalItems", (asked) => {
      const good = right(asked);
      return asked.page > 1 ? { ...good, info: { ...good.info, totalItems: 0 } } : good;
    });
    expect(diagnoses.map(({ behaves }) => behaves)).toEqual([
      "always states 0 as `totalItems`, on every page but the first",
    ]);
  });

  it("says what the pages show where no mistake explains them", () => {
    const { diagnoses, facts, contradicted } = explained("totalItems", (asked) => {
      const good = right(asked);
      return { ...good, info: { ...good.info, totalItems: 1000 + asked.page * 7 } };
    });
    expect(diagnoses).toEqual([]);
    expect(facts.map(inWords)[0]).toBe(
      "On page 1 with `pageSize` 100 of a list of 5 items, `totalItems` is 1007",
    );
    expect(contradicted).toContain("total-items-of-page");
  });
});
