import { readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { packageRoot } from "../../src/lib/package-root.ts";
import { REPORTERS } from "../../src/report/index.ts";
import { hostileReport } from "../report/hostile.ts";

const page = readFileSync(join(packageRoot, "docs/reports.md"), "utf8");

describe.each([...REPORTERS])("the format %s", (format, load) => {
  it("is described in docs/reports.md", async () => {
    const { file } = await load();
    const cells = page.split("\n").map((line) => line.split("|").map((cell) => cell.trim()));
    expect(
      cells.filter(
        ([, name, writes]) => name === `\`${format}\`` && writes === `\`reports/${file}\``,
      ),
    ).toHaveLength(1);
  });

  it("has no control characters, whatever a deployment answers", async () => {
    const reporter = await load();
    // oxlint-disable-next-line no-control-regex
    expect(reporter.render(hostileReport())).not.toMatch(/[\0-\u0008\v\f\u000E-\u001F]|\p{Cs}/u);
  });
});
