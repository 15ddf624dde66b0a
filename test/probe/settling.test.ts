import { describe, expect, test } from "vitest";

import { OPERATIONS } from "../../src/contract/operations.ts";
import type { Reply } from "../../src/http/exchange.ts";
import { createSettling } from "../../src/probe/write/settling.ts";
import type { WordedResult } from "../support/worded.ts";
import { CHANGES, type Paged, runPaged } from "./paged.ts";

const PATIENCE_MS = 1000;

/** An answer as far as settling looks at it. */
function answered(id: string, status: number): Reply {
  return { status, exchange: { id } } as unknown as Reply;
}

test.each([
  [201, true],
  [401, false],
  [409, false],
  // The write may have been carried out all the same.
  [500, true],
  [504, true],
  [0, true],
])("a read just after a write that was answered %i may miss it: %s", (status, isEarly) => {
  const settling = createSettling(PATIENCE_MS);
  settling.note("POST", answered("write", status), performance.now());
  settling.note("GET", answered("read", 200), performance.now());
  expect(settling.leftMs(["read"]) !== undefined).toBe(isEarly);
  expect(settling.leftMs(["write"])).toBeUndefined();
});

/** A feed, and whether the delayed replica, which answers short pages after the first, lacks its items. */
function replicated(feed: Required<Paged>["feed"], isBehind: () => boolean): Paged {
  return {
    feed,
    envelope({ items, info: { page, pageSize } }) {
      const lacks = page > 1 && pageSize < 10 && isBehind();
      return { items: lacks ? [] : items, paginationInfo: { page, pageSize } };
    },
  };
}

/** One item, which is too few: the walk submits others first. */
const growing = (submitted: number): unknown[] => CHANGES.slice(0, 1 + submitted);

async function judged(paged: Paged): Promise<WordedResult & { writes: number }> {
  const { results, calls } = await runPaged("partition/pages@readChangesFeed", paged, {
    patienceMs: PATIENCE_MS,
  });
  const writes = calls.filter(({ method }) => method === OPERATIONS.submitChange.method).length;
  return { ...(results[0] as WordedResult), writes };
}

describe("a contradiction between pages", () => {
  test("is not a violation while an accepted write may not show yet", async () => {
    let latest = { submitted: 0, atMs: 0 };
    const feed = (submitted: number): unknown[] => {
      if (submitted > latest.submitted) latest = { submitted, atMs: performance.now() };
      return growing(submitted);
    };
    const { outcome, flaky, writes } = await judged(
      replicated(feed, () => performance.now() < latest.atMs + PATIENCE_MS / 2),
    );
    expect({ outcome, flaky }).toEqual({ outcome: "pass", flaky: undefined });
    expect(writes).toBeGreaterThan(0);
  });

  test("is a violation if it lasts longer", async () => {
    const { outcome, writes } = await judged(replicated(growing, () => true));
    expect(outcome).toBe("fail");
    expect(writes).toBeGreaterThan(0);
  });

  test("is a violation at once if nothing was written", async () => {
    const { outcome, waitedMs, writes } = await judged(
      replicated(
        () => CHANGES,
        () => true,
      ),
    );
    expect({ outcome, waitedMs, writes }).toEqual({
      outcome: "fail",
      waitedMs: undefined,
      writes: 0,
    });
  });
});
