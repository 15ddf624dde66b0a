import { expect, test } from "vitest";

import { rule } from "../../suites/receiver/expiry.ts";
import { refusal, runTiny } from "../engine/tiny.ts";
import { runCases } from "./support.ts";

const NAME = "receiver.expiry/beyond-300s@viewOrganization";

// The clock of a receiver that accepts the token may be slow, so that is no violation.
test.each(
  Object.entries<[string, readonly string[], string, RegExp]>({
    "without a Date header, a small skew": ["date-absent", [], "pass", /^by this machine's clock/],
    "without a Date header, a skew of ten minutes": [
      "date-absent",
      ["expiry-skew-ten-minutes"],
      "inconclusive",
      /^200 OK, but the deployment sends no Date header, .* Let it send one/,
    ],
    "with a Date header of another time, a small skew": [
      "date-belied",
      [],
      "inconclusive",
      /3600 s away .* Set the deployment's clock, or let it send its own time in Date$/,
    ],
  }),
)("%s is judged as far as it can be known", async (_what, [variant, faults, outcome, reason]) => {
  const { results } = await runCases(NAME, { variants: [variant], faults });
  expect(results).toMatchObject([{ outcome, reason: expect.stringMatching(reason) }]);
});

// A clock that jumps may let a token pass that was over an hour ago, but none that never says when it is over.
test.each([
  ["hour-ago", "inconclusive"],
  ["missing", "fail"],
  ["zero", "fail"],
  ["true", "fail"],
  ["negative-32-bit", "fail"],
  ["exp-in-capitals", "fail"],
])("`%s` that is accepted once: %s", async (name, outcome) => {
  const caseId = `receiver.expiry/${name}@viewOrganization`;
  let accepted = false;
  const { results } = await runTiny([rule], {
    patterns: [caseId],
    behaviour({ claims, isControl }) {
      if (isControl || accepted) return isControl ? undefined : refusal(401);
      accepted = claims !== undefined;
      return undefined;
    },
  });
  expect(results).toMatchObject([{ id: caseId, outcome, flaky: true }]);
});

test("a token that a cache accepts past its `exp` says so: the cache, how long after, and which gate sees it", async () => {
  const { results } = await runCases("receiver.expiry/kept-after-exp@viewOrganization", {
    faults: ["expiry-remembered"],
  });
  expect(results).toMatchObject([
    {
      outcome: "warn",
      actual: expect.stringMatching(
        /^200 OK, [1-9]\d* s after `exp`, while new tokens .* are refused .*: a cache keeps the decision .* --fail-on warn$/,
      ),
    },
  ]);
});
