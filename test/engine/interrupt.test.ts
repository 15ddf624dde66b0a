import { describe, expect, test } from "vitest";

import { exitCode } from "../../src/engine/judge.ts";
import {
  type Answer,
  type Call,
  refusal,
  refusingMany,
  runTiny,
  type TinyOptions,
  type TinyRun,
} from "./tiny.ts";

/** Ten cases on each of two operations. */
const MANY = refusingMany(10, ["viewOrganization", "readChangesFeed"]);

/** Interrupts the run when the condition holds for a call; what is under way then is never answered. */
async function interruptedAt(
  when: (call: Call) => boolean,
  { behaviour = () => undefined, ...more }: TinyOptions = {},
): Promise<TinyRun> {
  const interrupt = new AbortController();
  const ran = await runTiny([MANY], {
    ...more,
    signal: interrupt.signal,
    // A request that waits for another one must not prevent it from being sent.
    concurrency: 30,
    behaviour(call) {
      if (!interrupt.signal.aborted && !when(call)) return behaviour(call);
      interrupt.abort();
      return "hang";
    },
  });
  expect(ran.finished.interrupted).toBe(true);
  expect(exitCode(ran.finished, { acceptIncomplete: true })).toBe(130);
  expect(ran.finished.partialBecause).toEqual(["the run was interrupted"]);
  expect(ran.finished.suiteErrors).toEqual([]);
  expect(ran.events.at(-1)).toBe(ran.finished);
  return ran;
}

test.each<[string, (call: Call) => boolean]>([
  ["the first request", ({ number }) => number === 1],
  ["the first control", ({ isControl }) => isControl],
  ["the first probe", ({ isBad }) => isBad],
])(
  "an interrupt at %s leaves every case unjudged and the verdict incomplete",
  async (_what, when) => {
    const { finished, results } = await interruptedAt(when);
    expect([finished.verdict, results]).toEqual(["incomplete", []]);
    expect(finished.verdictText).toMatch(
      /^Incomplete\. No MUST that was judged is violated\. 20 MUST cases could not be judged\. 0 of 20 MUST cases of the contract were judged: the run was interrupted\./,
    );
  },
);

test("an interrupt before the start sends nothing", async () => {
  const { finished, calls } = await runTiny([MANY], { signal: AbortSignal.abort() });
  expect([finished.interrupted, finished.verdict, calls]).toEqual([true, "incomplete", []]);
});

/** The second control of the feed, which is sent when the view has had its own. */
const atFeedsBracket = ({ operation, isControl, ofCase }: Call): boolean =>
  operation === "readChangesFeed" && isControl && ofCase === 2;

/** Answers bad requests for the feed, and only when the view has been bracketed. */
function afterTheView(answer: Answer): TinyOptions {
  let settle: (() => void) | undefined;
  const bracketed = new Promise<void>((done) => {
    settle = done;
  });
  let controls = 0;
  return {
    async behaviour({ operation, isBad }) {
      if (operation !== "readChangesFeed" || !isBad) return undefined;
      await bracketed;
      return answer;
    },
    emit(event) {
      if (event.type !== "exchange" || event.exchange.caseId !== "control/viewOrganization") return;
      controls += 1;
      // What the answer settles is settled before the next turn of the event loop.
      if (controls === 2) setImmediate(() => settle?.());
    },
  };
}

test("cases with both controls before an interrupt are reported", async () => {
  const { finished, results } = await interruptedAt(atFeedsBracket, afterTheView(refusal(401)));
  expect(results.map(({ outcome }) => outcome)).toEqual(Array(10).fill("pass"));
  expect(new Set(results.map(({ operation }) => operation))).toEqual(new Set(["viewOrganization"]));
  expect(finished.verdict).toBe("incomplete");
});

test("accepted probes are reported without a second control", async () => {
  const { finished, results } = await interruptedAt(atFeedsBracket, afterTheView({ status: 200 }));
  const failed = results.filter(({ outcome }) => outcome === "fail");
  expect(new Set(failed.map(({ operation }) => operation))).toEqual(new Set(["readChangesFeed"]));
  expect(finished.verdict).toBe("non-conformant");
});

test("a failure that was seen once and not confirmed is not reported", async () => {
  const { results } = await interruptedAt(({ isBad, ofCase }) => isBad && ofCase === 2, {
    behaviour: ({ isBad }) => (isBad ? { status: 200 } : undefined),
  });
  expect(results.filter(({ outcome }) => outcome === "fail")).toEqual([]);
});

describe("after an interrupt", () => {
  /** The longest wait of a run. */
  const WAIT_SECONDS = 60;

  test("waiting ends at once", async () => {
    const interrupt = new AbortController();
    const { finished } = await runTiny([MANY], {
      signal: interrupt.signal,
      behaviour({ isBad }) {
        if (!isBad) return undefined;
        setImmediate(() => interrupt.abort());
        return { ...refusal(429), headers: { "retry-after": String(WAIT_SECONDS) } };
      },
    });
    expect(finished.interrupted).toBe(true);
    expect(finished.durationMs).toBeLessThan(WAIT_SECONDS * 1000);
  });

  test("no event is emitted and no request is sent", async () => {
    const { events, exchanges, finished, left } = await interruptedAt(({ isBad }) => isBad);
    expect(exchanges).toHaveLength(finished.requests);
    const told = events.length;
    await left();
    expect(events).toHaveLength(told);
  });
});
