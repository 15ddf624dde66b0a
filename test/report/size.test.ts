import { expect, test } from "vitest";

import type { Report } from "../../src/report/report.ts";
import { command, createIo, reportIn } from "../cli/io.ts";
import { rendered } from "./pages.ts";

/** A page that grows with each case becomes too large to open beside others. */
const MOST_KB = 1024;

async function kilobytes(report: Report): Promise<number> {
  return Buffer.byteLength(await rendered(report)) / 1024;
}

test("the page of a run of everything, with an authorization server and a pack, stays within 1,024 KB", async () => {
  const io = createIo();
  expect((await command(["run", "--pack", "commongrants"], io)).code).toBe(0);
  const report = reportIn(io);
  expect(report.verdict).toBe("conformant");
  expect(report.rules.flatMap(({ cases }) => cases).length).toBeGreaterThan(1500);
  expect(report.packs).toHaveLength(1);
  expect(await kilobytes(report)).toBeLessThan(MOST_KB);
});
