import { readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { packageRoot } from "../../src/lib/package-root.ts";
import { REPORTERS } from "../../src/report/index.ts";

const page = readFileSync(join(packageRoot, "docs/reports.md"), "utf8");

describe("docs/reports.md describes what each format writes", () => {
  it.each([...REPORTERS])("%s", async (format, load) => {
    const { file } = await load();
    const cells = page.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
    expect(
      cells.filter(
        ([, name, writes]) => name === `\`${format}\`` && writes === `\`reports/${file}\``,
      ),
    ).toHaveLength(1);
  });
});
