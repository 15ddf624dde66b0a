import { expect, test } from "vitest";

import { certify, verify } from "../../src/index.ts";
import { startReference } from "../../src/reference/index.ts";
import { BUNDLED_JWKS } from "../support/run-against.ts";

test("a report with the pack commongrants follows from its own evidence, drawn edits included", async () => {
  const receiver = await startReference({
    jwks: BUNDLED_JWKS,
    claimsNamespace: "https://commongrants.org",
    faults: ["cg-merge-shallow"],
  });
  try {
    const report = await certify({
      profile: receiver.profile,
      patterns: ["commongrants.*"],
      packs: ["commongrants"],
      seed: 1,
    });
    const [pack] = report.packs ?? [];
    expect(pack?.verdict).toBe("non-conformant");
    const { consistent, discrepancies, judgedAgain } = await verify(report);
    expect(discrepancies).toEqual([]);
    expect(consistent).toBe(true);
    expect(judgedAgain).toBeGreaterThan(0);
  } finally {
    await receiver.close();
  }
});
