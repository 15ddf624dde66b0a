import { expect, test } from "vitest";

import { ALL } from "../proof/selection.ts";
import { agree } from "./agreement.ts";

/** Others are drawn with another seed, as in `SEED=3 DRAWS=100000 npx vitest run test/model/reference-long.test.ts`. */
const SEED = Number(process.env["SEED"] ?? 2);
const DRAWS = Number(process.env["DRAWS"] ?? (ALL ? 100_000 : 10_000));

test(`the reference receiver answers ${DRAWS} drawn requests as the model says`, async () => {
  const { accepted, rejected, open } = await agree(DRAWS, SEED);
  expect(accepted + rejected + open).toBeGreaterThanOrEqual(DRAWS);
});
