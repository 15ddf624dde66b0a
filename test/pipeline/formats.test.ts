import { readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { packageRoot } from "../../src/lib/package-root.ts";
import { REPORTERS } from "../../src/report/index.ts";

const readme = readFileSync(join(packageRoot, "README.md"), "utf8");

describe("the README says of every format what it writes", () => {
  it.each([...REPORTERS])("%s", async (format, load) => {
    const { file } = await load();
    const cells = readme.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
    expect(
      cells.filter(
        ([, name, writes]) => name === `\`${format}\`` && writes === `\`reports/${file}\``,
      ),
    ).toHaveLength(1);
  });
});
