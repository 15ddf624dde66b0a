import { describe, expect, it } from "vitest";

import { REPORTERS } from "../../src/report/index.ts";
import { hostileReport } from "../report/hostile.ts";
import { packageText } from "../support/package-text.ts";

const page = packageText("docs/reports.md");

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
    expect(reporter.render(hostileReport())).not.toMatch(/(?![\t\n\r\u007F-\u009F])\p{Cc}|\p{Cs}/u);
  });
});
