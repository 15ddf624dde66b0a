import { expect, test } from "vitest";

import { rule } from "../../suites/receiver/isolation.ts";
import {
  accepting,
  type Answer,
  type Behaviour,
  type Call,
  refusal,
  refusing,
  runTiny,
} from "../engine/tiny.ts";

const CASE = "receiver.isolation/after-a-refusal";
const RULES = [rule, refusing(), accepting()];
const PATTERNS = [CASE, "tiny.*"];
/** Long enough that a busy machine sends the next request in time. */
const KEPT_MS = 600;

/** A cache that gives refusals again for what `keyOf` says of a call; `again` changes them. */
function keeping(
  keyOf: (call: Call) => string,
  again: (answer: Answer) => Answer = (answer) => answer,
  keptMs = KEPT_MS,
): Behaviour {
  const kept = new Map<string, { answer: Answer; untilMs: number }>();
  let refusals = 0;
  return (call) => {
    if (call.method !== "GET") return undefined;
    const known = kept.get(keyOf(call));
    if (known && performance.now() < known.untilMs) return again(known.answer);
    const isWrong = call.isBad || !String(call.claims?.["scope"]).includes("org:read");
    if (call.operation !== "viewOrganization" || !isWrong) return undefined;
    refusals += 1;
    const headers = { "x-request-id": `r${refusals}`, date: new Date().toUTCString() };
    const answer = { ...refusal(401), headers };
    kept.set(keyOf(call), { answer, untilMs: performance.now() + keptMs });
    return answer;
  };
}

const withoutId = ({ status, body }: Answer): Answer => ({ status, body });
const byUrl = ({ path }: Call): string => path;

test("a refusal that is given again for its URL is named, warns, and the rest is judged with pauses", async () => {
  const { finished, outcomes } = await runTiny(RULES, {
    patterns: PATTERNS,
    behaviour: keeping(byUrl, withoutId),
  });
  expect(outcomes[CASE]).toBe("warn");
  expect(outcomes["tiny.refusing/bad@viewOrganization"]).toBe("pass");
  expect(finished.setup[0]?.problem).toMatch(
    /^A refused request makes good ones with the same URL/,
  );
  expect(finished.setup.map(({ remedy }) => remedy).join()).not.toContain("firewall");
});

test.each<[string, (answer: Answer) => Answer]>([
  ["an `Age`", (answer) => ({ ...withoutId(answer), headers: { age: "0" } })],
  ["the id of the other request", (answer) => answer],
])("it fails where the answer is provably that to the other request: %s", async (_what, again) => {
  const { results } = await runTiny(RULES, {
    patterns: PATTERNS,
    behaviour: keeping(byUrl, again),
  });
  expect(results.find(({ id }) => id === CASE)?.outcome).toBe("fail");
});

const withDate = ({ headers, ...answer }: Answer): Answer => ({
  ...answer,
  headers: { date: headers?.["date"] ?? "" },
});

test("it fails where nothing but the `Date` of an earlier second shows that the answer is that to the other request", async () => {
  const { results } = await runTiny(RULES, {
    patterns: PATTERNS,
    behaviour: keeping(byUrl, withDate, 1500),
  });
  const found = results.find(({ id }) => id === CASE);
  expect(found?.outcome).toBe("fail");
  expect(found?.actual).toContain("its `Date` is that of the other answer");
});

test("a refusal that is kept as long and made anew each time only warns", async () => {
  const { outcomes } = await runTiny(RULES, {
    patterns: PATTERNS,
    behaviour: keeping(byUrl, withoutId, 1500),
  });
  expect(outcomes[CASE]).toBe("warn");
});

test("a filter that blocks a client for a moment, whatever the URL, is none", async () => {
  const { finished, outcomes } = await runTiny(RULES, {
    patterns: PATTERNS,
    behaviour: keeping(() => "client", withoutId),
  });
  expect(outcomes[CASE]).toBe("not-applicable");
  expect(finished.setup[0]?.problem).toMatch(/good requests? (?:was|were) refused, between/);
});
