import { expect, test } from "vitest";

import { worded } from "../support/worded.ts";
import { type Behaviour, PRIMARY, refusal, refusing, runTiny } from "./tiny.ts";

/** A receiver whose Date header is ahead, and that judges tokens by that time or by ours. */
function ahead(by: "its own time" | "ours", seconds = 7200): Behaviour {
  return ({ claims, isBad }) => {
    const now = Date.now() / 1000;
    const headers = { date: new Date((now + seconds) * 1000).toUTCString() };
    const judging = by === "ours" ? now : now + seconds;
    const good = claims && !isBad && Math.abs(Number(claims["exp"]) - judging) < 3600;
    return { ...(good ? { status: 200, body: { id: PRIMARY } } : refusal(401)), headers };
  };
}

test.each([
  ["ours", /Date header is \d+ s ahead of this machine's, although it judges tokens by this/],
  ["its own time", /^The deployment's clock is \d+ s ahead of this machine's, by its Date header/],
] as const)(
  "a clock that is off is reported, when tokens are judged by %s",
  async (by, problem) => {
    const { finished, outcomes } = await runTiny([refusing()], { behaviour: ahead(by) });
    expect(finished.setup.map((fault) => fault.problem)).toEqual([expect.stringMatching(problem)]);
    expect(outcomes).toEqual({ "tiny.refusing/bad@viewOrganization": "pass" });
  },
);

test.each([
  [7200, /until then tokens are minted in the deployment's time\.$/],
  [90_000, /only if it is less than a day off\.$/],
])("a clock that is %i s ahead comes with what follows for tokens", async (seconds, remedy) => {
  const { finished } = await runTiny([refusing()], { behaviour: ahead("its own time", seconds) });
  expect(finished.setup[0]?.remedy).toMatch(remedy);
});

test.each([
  [0, /^less than 3, ahead or behind$/],
  [60, /^\d\d$/],
])("a Date header that is %i s ahead is reported as such", async (seconds, told) => {
  const { finished } = await runTiny([refusing()], { behaviour: ahead("ours", seconds) });
  const offset = finished.observations.find(({ id }) => id === "clock.offset");
  expect(offset && worded(offset.value)).toMatch(told);
});

test.each([
  [30, 0],
  [120, 1],
])("a Date header that is %i s ahead causes %i set-up messages", async (seconds, remarks) => {
  const { finished } = await runTiny([refusing()], { behaviour: ahead("ours", seconds) });
  expect(finished.setup).toHaveLength(remarks);
});
