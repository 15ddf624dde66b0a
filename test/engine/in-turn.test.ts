import { describe, expect, test } from "vitest";

import { commonPattern, type InRow, patternInWords } from "../../src/probe/trouble/in-turn.ts";
import { rule } from "../../suites/routes/reachable.ts";
import { accepting, type Behaviour, refusal, refusing, runTiny } from "./tiny.ts";

const RULES = [rule, refusing(), accepting()];
const CASE = "routes.reachable/in-turn";
const IN_A_ROW = /^Every second good request is refused: two rows/;

/** A row of good requests; `r` is refused, `a` accepted, and `-` answered with anything else. */
function row(letters: string): InRow[] {
  const outcomes = { a: "accepted", r: "401", "-": "other" } as const;
  return letters.split("").map((letter) => outcomes[letter as keyof typeof outcomes]);
}

/** Answers the good requests for which the function returns true; counts them from 0. */
function toGood(isAnswered: (number: number) => boolean, status: number): Behaviour {
  let number = 0;
  return ({ claims, isBad }) =>
    claims && !isBad && isAnswered(number++) ? refusal(status) : undefined;
}

describe("the pattern of good requests in two rows", () => {
  test.each([
    ["every second good request is refused", "arararararararararar", "arararararararararar"],
    ["every second good request is refused", "arararararararararar", "rararararararararara"],
    ["every third good request is refused", "aaraaraaraaraaraaraa", "raaraaraaraaraaraara"],
    ["only every 4th good request is accepted", "rarrrarrrarrrarrrarr", "rarrrarrrarrrarrrarr"],
    [
      "of good tokens with the same `iat`, all but the first are refused",
      "arrrrrrrrrrrrrrrrrrr",
      "arrrrrrrrrrrrrrrrrrr",
    ],
  ])("%s: %s, %s", (words, first, second) => {
    const pattern = commonPattern([row(first), row(second)]);
    expect(pattern && patternInWords(pattern)).toBe(words);
  });

  test.each([
    ["all are accepted", "aaaaaaaaaaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaa"],
    ["all are refused", "rrrrrrrrrrrrrrrrrrrr", "rrrrrrrrrrrrrrrrrrrr"],
    ["only one row shows it", "arararararararararar", "aaaaaaaaaaaaaaaaaaaa"],
    ["the rows show two", "arararararararararar", "aaraaraaraaraaraaraa"],
    ["a block", "aaaaaaaarrrrrrrraaaa", "aaaaaaaarrrrrrrraaaa"],
    ["one is not answered", "ararararar-rararararar", "arararararararararar"],
    ["by chance", "aarararrarararaarara", "raararaarrarararaara"],
  ])("is none where %s", (_where, first, second) => {
    expect(commonPattern([row(first), row(second)])).toBeUndefined();
  });
});

test("good tokens that are refused in turn are named first of all, and warn", async () => {
  const { finished, results } = await runTiny(RULES, {
    behaviour: toGood((number) => number % 2 === 1, 401),
  });
  const found = results.find(({ id }) => id === CASE);
  expect(found).toMatchObject({ outcome: "warn", actual: expect.stringContaining("20 were") });
  expect(finished.setup[0]?.problem).toMatch(IN_A_ROW);
  expect(finished.setup.map(({ remedy }) => remedy).join()).not.toContain("firewall");
});

test("good requests that a filter answers in turn show nothing of tokens", async () => {
  const { finished, results } = await runTiny(RULES, {
    behaviour: toGood((number) => number % 2 === 1, 403),
  });
  expect(results.find(({ id }) => id === CASE)?.outcome).toBe("inconclusive");
  const remedies = finished.setup.map(({ remedy }) => remedy).join();
  // What else they are like depends on which requests are under way together.
  expect(remedies).not.toBe("");
  expect(remedies).not.toContain("firewall");
});

test("a run in which no good request was refused sends nothing for this", async () => {
  const { calls, outcomes } = await runTiny(RULES);
  expect(outcomes[CASE]).toBe("not-applicable");
  expect(calls.filter(({ caseId }) => caseId === CASE)).toEqual([]);
});
