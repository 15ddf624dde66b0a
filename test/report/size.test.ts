import { expect, test } from "vitest";

import { reportFrom } from "../../src/report/json.ts";
import { runAgainstReference } from "../support/run-against.ts";
import { rendered } from "./pages.ts";

/** A page that grows with each case becomes too large to open beside others. */
const MOST_KB = 1024;

test("the page of a whole run that passes stays within 1,024 KB", async () => {
  const { events, results, finished } = await runAgainstReference();
  expect(finished.verdict).toBe("conformant");
  expect(results.length).toBeGreaterThan(1500);
  expect(Buffer.byteLength(await rendered(reportFrom(events))) / 1024).toBeLessThan(MOST_KB);
});
