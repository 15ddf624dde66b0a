import { expect, test } from "vitest";

import { accepting, type Behaviour, refusal, refusing, runTiny } from "./tiny.ts";

/** Refuses every request from one with this number on, so many times. */
function blocking(from: number, times: number): Behaviour {
  return ({ number }) => (number >= from && number < from + times ? refusal(403) : undefined);
}

test("a probe that had to be accepted is followed at once by its control, and tried again at the end", async () => {
  // The third request is the probe, and the fourth its control.
  const { results, finished, calls } = await runTiny([accepting()], { behaviour: blocking(3, 2) });
  expect(results[0]?.outcome).toBe("pass");
  expect(calls[3]?.isControl).toBe(true);
  expect(finished.setup[0]?.problem).toMatch(
    /^1 of \d+ good requests were refused, between .*, after 1 refusal: 403 \(once\)\./,
  );
});

test("a probe that had to be accepted and never is fails, where its controls are accepted", async () => {
  const { results, finished } = await runTiny([accepting()], {
    behaviour: ({ claims }) => (claims?.["harmless"] ? refusal(403) : undefined),
  });
  expect([results[0]?.outcome, finished.setup]).toEqual(["fail", []]);
});

test("a case that is tried again has one result, which is told once", async () => {
  const { events } = await runTiny([accepting()], { behaviour: blocking(3, 2) });
  const told = events.flatMap((event) => (event.type === "case-judged" ? [event.result] : []));
  expect(told.map(({ id, outcome }) => [id, outcome])).toEqual([
    ["tiny.accepting/harmless@viewOrganization", "pass"],
  ]);
});

test("a rejection that came in such a moment proves nothing until it is seen again", async () => {
  // The probe and the control after it are answered by whatever blocks; what is behind accepts the bad token.
  const { results } = await runTiny([refusing()], {
    behaviour: (call) =>
      blocking(3, 2)(call) ?? (call.isBad ? { status: 200, body: {} } : undefined),
  });
  expect(results[0]?.outcome).toBe("fail");
});
