import { expect, test } from "vitest";

// oxlint-disable-next-line no-unassigned-import -- the types are those of the build
import "../support/built.ts";
import { packageText } from "../support/package-text.ts";

test("the public types are unchanged", async () => {
  const types = packageText("dist/src/vitest.d.ts");
  await expect(types).toMatchFileSnapshot("__snapshots__/vitest.d.ts.txt");
});
