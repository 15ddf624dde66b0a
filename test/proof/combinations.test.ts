import { assert, asyncProperty, type Arbitrary, subarray } from "fast-check";
import { describe, expect, test } from "vitest";

import { combination, complaint, prove, type ReceiverBuild } from "../../src/proof/prove.ts";
import { VARIANTS } from "../../src/reference/index.ts";
import { compatible } from "./compatible.ts";
import { drawnOneIn } from "./selection.ts";

/** How many combinations are drawn: `COMBINATIONS=200 npx vitest run test/proof/combinations.test.ts` explores. */
const DRAWN = Number(process.env["COMBINATIONS"] ?? 1);
/** The seed that they are drawn by; explorers choose one. */
const SEED = Number(process.env["SEED"] ?? 20);
const MOST = 4;

/** Every rule that reads a feed. */
const OF_THE_FEED = [
  "{routes,pagination,resources,document}.*",
  "receiver.{binding*,isolation,local-policy*,no-side-effects}",
];

/** Combinations that something once failed on, what it was, and the rules that failed; default: all are run. */
const FOUND: readonly (readonly [why: string, name: string, rules?: readonly string[]])[] = [
  [
    "a change that had just been submitted was to be readable at once",
    "feed-lags + feed-starts-empty",
    OF_THE_FEED,
  ],
  [
    "page 2, asked for in a body, was to be there",
    "beyond-the-end-404 + submit-paginated",
    ["pagination.*"],
  ],
  [
    "two feeds that list bare numbers were taken for one",
    "change-ids-numeric + review-queue + feed-of-ids",
    OF_THE_FEED,
  ],
  [
    "the feed was not read again for a change that the answer to its submission does not name",
    "feed-starts-empty + submissions-204",
    OF_THE_FEED,
  ],
  [
    "a code was tried beside an access token that the receiver may refuse",
    "unbound-refused + server-scope-unsaid-when-equal",
    ["authorization-server.*"],
  ],
];

/** Variants in the order in which they are applied, without two that use the same freedom. */
const combinations: Arbitrary<ReceiverBuild> = subarray([...VARIANTS], {
  minLength: 2,
  maxLength: MOST,
})
  .filter(compatible)
  .map((variants) => combination("variant", variants));

describe("combined conforming behaviours cause no alarm", () => {
  test.concurrent(`in ${DRAWN} combinations of seed ${SEED}`, async () => {
    const conform = asyncProperty(combinations, async (subject) => {
      expect(complaint(await prove(subject))).toBeUndefined();
    });
    await assert(conform, { numRuns: DRAWN, seed: SEED });
  });

  test.concurrent.for(drawnOneIn(2, FOUND))("where %s", async ([, name, rules]) => {
    expect(complaint(await prove({ kind: "variant", name }, rules))).toBeUndefined();
  });
});
