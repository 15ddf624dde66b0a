import { expect, test } from "vitest";

import { incompleteProblems } from "../../src/engine/conclusion/trouble.ts";
import type { Exchange, IncompleteBody } from "../../src/http/exchange.ts";
import { exchange } from "../report/events.ts";

function complete(count: number, status: number): Exchange[] {
  return Array.from({ length: count }, (_, n) =>
    exchange(`complete-${n}`, {
      operation: "viewOrganization",
      response: { status, headers: {}, body: "", truncated: false },
    }),
  );
}

function incomplete(count: number, status: number, body: IncompleteBody): Exchange[] {
  return Array.from({ length: count }, (_, n) => {
    const { response: _none, ...one } = exchange(`incomplete-${n}`);
    const fault = { kind: "timeout", message: "10000 ms", status, body } as const;
    return { ...one, operation: "viewOrganization" as const, fault };
  });
}

const said = (...exchanges: readonly Exchange[]): string[] =>
  incompleteProblems(exchanges).map(({ problem }) => problem);

test("answers of a kind that are shorter than their length are named once", () => {
  const short = incomplete(3, 404, { arrived: 120, announced: 125 });
  expect(said(...complete(9, 200), ...short)).toEqual([
    "3 of 3 answers with 404 were incomplete, to viewOrganization: `Content-Length` announces 125 bytes, and 120 came, for example to receiver.expiry/hour-ago@viewOrganization. Every client waits for the rest in vain.",
  ]);
});

test("answers without a length that do not end are named too", () => {
  expect(said(...incomplete(3, 401, { arrived: 0 }))[0]).toContain(
    "the body neither ends nor has a length, and 0 bytes of it came",
  );
});

test("what may be an accident of the network is not named", () => {
  const body = { arrived: 1, announced: 2 };
  expect(said(...incomplete(2, 404, body))).toEqual([]);
  expect(said(...complete(3, 404), ...incomplete(3, 404, body))).toEqual([]);
  // Without a status, nothing of an answer came.
  const { response: _none, ...one } = exchange("x");
  const fault = { kind: "timeout", message: "10000 ms" } as const;
  expect(said(...Array.from({ length: 9 }, () => ({ ...one, fault })))).toEqual([]);
});
