import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, test } from "vitest";

import { IN_VAIN, SECOND_TRIES, type SecondTry } from "../../src/http/second-tries.ts";
import { packageRoot } from "../../src/lib/package-root.ts";

function often({ times, withinMs, mostVain, vain }: SecondTry): string {
  const most = times === 1 ? "once" : Number.isFinite(times) && `${times} times`;
  const inTime = withinMs !== undefined && `within ${withinMs / 1000} s`;
  const untilVain = mostVain !== undefined && `not after ${mostVain} ${vain} in a row`;
  return [most, inTime, untilVain].filter(Boolean).join(", ");
}

function waits({ waits: all }: SecondTry): string {
  if (!all || (all.firstMs === 0 && !all.stepMs)) return "none";
  const { firstMs, stepMs, factor, mostMs } = all;
  const longer = stepMs && `each ${stepMs} ms longer`;
  const times = factor && `each ${factor} times as long`;
  const most = mostMs && `at most ${mostMs / 1000} s`;
  return [`${firstMs} ms`, longer, times, most].filter(Boolean).join(", ");
}

test("docs/running.md shows every reason for a second try as the data have it", async () => {
  const page = await readFile(join(packageRoot, "docs/running.md"), "utf8");
  const section = page.split("## What is sent a second time\n")[1]?.split("\n## ")[0] ?? "";
  const rows = section.split("\n").filter((line) => line.startsWith("| "));
  const cells = rows.slice(2).map((line) =>
    line
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
  const wanted = Object.values(SECOND_TRIES).map((row: SecondTry) => [
    row.what,
    row.reason,
    row.how.join(", "),
    often(row),
    waits(row),
    row.changes,
  ]);
  expect(cells).toEqual(wanted);
  expect(section).toContain(`one of ${IN_VAIN.oneOf}`);
  const { part, leastMs } = IN_VAIN;
  expect(page).toContain("only a tenth of that time, but at least");
  expect([part, leastMs]).toEqual([0.1, 30_000]);
});
