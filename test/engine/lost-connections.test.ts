import { expect, test } from "vitest";

import {
  lostConnectionProblems,
  lostConnections,
} from "../../src/engine/conclusion/lost-connections.ts";
import type { Exchange } from "../../src/http/exchange.ts";
import { refusingMany, runTiny } from "./tiny.ts";

const DEADLY = "receiver.token-required/malformed@viewOrganization";
const OTHER = "receiver.issuer/untrusted@viewOrganization";
const GOOD = "control/viewOrganization";

/** An exchange of a sender, from one millisecond of a run to another; without a status it lost its connection. */
function exchange(caseId: string, from: number, to: number, status?: number): Exchange {
  return {
    id: `${caseId}~${from}`,
    caseId,
    request: { method: "GET", url: "https://sync.example.com/orgs/1", headers: [] },
    ...(status === undefined
      ? { fault: { kind: "reset", message: "other side closed" } }
      : { response: { status, headers: {}, body: "", truncated: false } }),
    startedAt: new Date(1_700_000_000_000 + from).toISOString(),
    durationMs: to - from,
  };
}

test("a request that takes others' connections with it, twice, is named with what was in flight beside it", () => {
  const run = [
    exchange(DEADLY, 100, 110),
    exchange(OTHER, 105, 111),
    exchange(GOOD, 104, 111),
    exchange(OTHER, 160, 170, 401),
    exchange(DEADLY, 200, 210),
    exchange(GOOD, 205, 211),
    exchange(GOOD, 260, 270, 200),
  ];
  expect(lostConnections(run)).toEqual([{ caseId: DEADLY, times: 2, beside: [OTHER, GOOD] }]);
  const [problem] = lostConnectionProblems(run);
  expect(problem?.problem).toContain(`${DEADLY} (2 times, beside ${OTHER}, ${GOOD})`);
  expect(`${problem?.problem} ${problem?.remedy}`).not.toContain("accepted");
});

test("a request is named that was sent alone after it took others' connections with it", () => {
  const run = [
    exchange(DEADLY, 100, 110),
    exchange(OTHER, 105, 111),
    exchange(OTHER, 160, 170, 401),
    exchange(DEADLY, 200, 210),
  ];
  expect(lostConnections(run)).toEqual([{ caseId: DEADLY, times: 2, beside: [OTHER] }]);
});

test.each([
  [
    "two bad requests lose theirs each time, at once",
    [
      exchange(DEADLY, 100, 110),
      exchange(OTHER, 105, 111),
      exchange(DEADLY, 200, 210),
      exchange(OTHER, 205, 211),
    ],
  ],
  ["it closes one connection alone", [exchange(DEADLY, 100, 110), exchange(DEADLY, 200, 210)]],
  [
    "others lose theirs at other times",
    [exchange(DEADLY, 100, 110), exchange(OTHER, 150, 160), exchange(DEADLY, 200, 210)],
  ],
  [
    "it is answered when it is sent again",
    [
      exchange(DEADLY, 100, 110),
      exchange(OTHER, 105, 111),
      exchange(DEADLY, 200, 210, 401),
      exchange(OTHER, 205, 211),
    ],
  ],
  [
    "only good requests lose theirs",
    [exchange(GOOD, 100, 110), exchange(GOOD, 105, 111), exchange(GOOD, 200, 210)],
  ],
])("no request is named where %s", (_where, run) => {
  expect(lostConnectionProblems(run)).toEqual([]);
});

test("where the answers to writes are lost, no advice says that something was accepted", async () => {
  const { results } = await runTiny([refusingMany(30, ["editOrganization"])], {
    behaviour: ({ isBad, method }) => (isBad && method === "PATCH" ? { status: 0 } : undefined),
  });
  const unsent = results.filter(({ code }) => code === "write-limit");
  expect(unsent.length).toBeGreaterThan(0);
  for (const { reason } of unsent) {
    expect(reason).toContain("because answers to writes were lost");
    expect(reason).not.toContain("has to refuse");
  }
});
