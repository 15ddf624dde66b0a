import { describe, expect, it } from "vitest";

import type { RunEvent } from "../../src/engine/events.ts";
import { phrase } from "../../src/probe/phrase.ts";
import { createProgress } from "../../src/report/progress.ts";
import { isPrintable } from "../../src/report/untrusted.ts";
import { eventsOf, exchange, result } from "./events.ts";

const [started, planned, ...rest] = eventsOf([]) as [RunEvent, RunEvent, ...RunEvent[]];
const finished = rest.at(-1) as RunEvent;

/** A terminal, and a clock that a test sets. */
function watch(
  isTTY: boolean,
  columns = 60,
): { written: string[]; on: (event: RunEvent, ms: number) => void } {
  const written: string[] = [];
  let now = 0;
  const progress = createProgress(
    { write: (text) => written.push(text), isTTY, columns },
    undefined,
    () => now,
  );
  return {
    written,
    on(event, ms) {
      now = ms;
      progress(event);
    },
  };
}

const sent = (name: string): RunEvent => ({
  type: "exchange",
  exchange: exchange("x1", { caseId: name }),
});

describe("progress", () => {
  it("names first what is run, the target and the seed", () => {
    const { written, on } = watch(false);
    on(started, 0);
    on({ ...planned, excluded: [{ reason: "read-only", cases: 3 }] } as RunEvent, 0);
    expect(written.join("")).toMatchInlineSnapshot(`
      "orgsync-conformance 0.1.0, requirements 1.0.0
        target  http://127.0.0.1:8080/base
        tokens  https://issuer.example.com, RS256
        seed    42
        plan    0 cases of 1 rule
                3 cases left out, read-only
      "
    `);
  });

  it("prints at most one line every five seconds without a terminal, and none for a short run", () => {
    const { written, on } = watch(false);
    for (const ms of [0, 100, 4999]) on(sent("a"), ms);
    expect(written).toEqual([]);
    on({ type: "case-ran", id: "a" }, 5000);
    for (const ms of [5001, 9999, 10_001]) on(sent("a"), ms);
    on(finished, 10_002);
    expect(written).toEqual([
      "1 of 0 cases, 3 requests, 5 s\n",
      "1 of 0 cases, 6 requests, 10 s\n",
    ]);
  });

  it("shows the first failure of each rule at once, and says if it may still be explained", () => {
    const { written, on } = watch(false);
    const [a, b] = [result("a"), result("b", { rule: "receiver.scope" })];
    on({ type: "case-failing", result: a }, 0);
    on({ type: "case-judged", result: a }, 0);
    on({ type: "case-judged", result: result("c") }, 0);
    on({ type: "case-judged", result: b }, 0);
    on(finished, 0);
    expect(written).toEqual([
      "FAIL so far  expiry/a  expected the request is rejected with a 4xx, got 200 OK\n",
      "FAIL  expiry/b  expected the request is rejected with a 4xx, got 200 OK\n",
    ]);
  });

  it("takes back at the end what another rule explains, and shows a later failure of the same rule", () => {
    const { written, on } = watch(false);
    const [a, b] = [result("a"), result("b")];
    const reason = phrase`receiver.scope already failed`;
    on({ type: "case-failing", result: a }, 0);
    on({ type: "case-judged", result: { ...a, outcome: "inconclusive", reason } }, 0);
    on({ type: "case-judged", result: b }, 0);
    on(finished, 0);
    expect(written).toEqual([
      "FAIL so far  expiry/a  expected the request is rejected with a 4xx, got 200 OK\n",
      "FAIL  expiry/b  expected the request is rejected with a 4xx, got 200 OK\n",
      "No failure after all  expiry/a  inconclusive: receiver.scope already failed\n",
    ]);
  });

  it("is one line on a terminal: throttled, rewritten, within the width, and removed at the end", () => {
    const { written, on } = watch(true);
    for (let ms = 0; ms <= 1000; ms += 10) on(sent(`receiver.x/\u001B[2J${"y".repeat(100)}`), ms);
    on(finished, 1001);
    expect(written.length).toBeGreaterThan(5);
    expect(written.length).toBeLessThan(15);
    for (const text of written) {
      const [before, blanks, line = ""] = text.split("\r");
      expect([before, blanks]).toEqual(["", " ".repeat(59)]);
      expect(isPrintable(line)).toBe(true);
      expect(line.length).toBeLessThan(60);
    }
    expect(written.at(-1)).toMatch(/^\r +\r$/);
  });

  it("shows only what stays where a terminal does not know its width", () => {
    const { written, on } = watch(true, 0);
    on(sent("receiver.x/a"), 1000);
    on({ type: "case-judged", result: result("a") }, 1001);
    expect(written.join("").replaceAll("\r", "")).toMatch(/^FAIL {2}expiry\/a .*\n$/);
  });
});
