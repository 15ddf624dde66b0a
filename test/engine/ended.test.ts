import { expect, test } from "vitest";

import type { Exchange } from "../../src/http/exchange.ts";
import { runCases } from "../suites/support.ts";
import { unsettled } from "../support/run-against.ts";

const CASES = [
  "routes.reachable",
  "receiver.issuer",
  "receiver.token-required/{malformed,both-bad,good-then-bad}@*",
];
const ENDED = "routes.reachable/ended";

/** How often a request that is none of the suite's good ones was sent and lost its connection. */
function losses(exchanges: ReadonlyMap<string, Exchange>): number[] {
  const times = new Map<string, number>();
  for (const { caseId, fault, request } of exchanges.values()) {
    if (fault?.kind !== "reset" || !caseId.startsWith("receiver.token-required")) continue;
    const key = `${caseId} ${request.method} ${request.url}`;
    times.set(key, (times.get(key) ?? 0) + 1);
  }
  return [...times.values()];
}

test.each([
  ["down-after-malformed-token", "warn", /\/(malformed|both-bad)@/],
  ["down-after-two-credentials", "warn", /\/(good-then-bad|both-bad)@/],
  ["ends-at-malformed-token", "observed", /\/(malformed|both-bad)@/],
] as const)("a request that ends the process is sent twice, and named: %s", async (...row) => {
  // Which of these was in flight when the process ended depends on the machine.
  const [fault, outcome, name] = row;
  const { results, exchanges } = await runCases(CASES, { faults: [fault] });
  const ended = results.find(({ id }) => id === ENDED);
  expect(ended?.outcome).toBe(outcome);
  expect(ended?.actual).toMatch(name);
  expect(losses(exchanges)).not.toEqual([]);
  // It is known to be the cause once it is sent alone. Several of them may be lost together before.
  expect(Math.max(...losses(exchanges))).toBeLessThanOrEqual(outcome === "warn" ? 2 : 3);
  // What was in flight beside it is judged all the same.
  const innocent = results.filter(({ rule }) => rule === "receiver.issuer");
  expect(unsettled(innocent)).toEqual([]);
});

test("a request that loses its own connection alone is not said to have ended anything", async () => {
  const { results } = await runCases(CASES, {
    patches: [
      {
        readCredentials: (original) => (call) => {
          if (call.authorization[0]?.includes(".") === false) call.connection.destroy();
          return original(call);
        },
      },
    ],
  });
  expect(results.find(({ id }) => id === ENDED)?.outcome).toBe("not-applicable");
});
