import { expect, test } from "vitest";

import { agree } from "./agreement.ts";

const SEED = Number(process.env["SEED"] ?? 2);
const DRAWS = Number(process.env["DRAWS"] ?? 100_000);

test(`the reference receiver answers ${DRAWS} drawn requests as the model says`, async () => {
  const { accepted, rejected, open } = await agree(DRAWS, SEED);
  expect(accepted + rejected + open).toBeGreaterThanOrEqual(DRAWS);
});
