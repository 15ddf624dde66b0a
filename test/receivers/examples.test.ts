import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { packageRoot } from "../../src/lib/package-root.ts";
import { drawnOneIn } from "../proof/selection.ts";
import { rulesWith, runAgainst } from "../support/run-against.ts";
import { EXAMPLES, startExample } from "./examples.ts";
import { BUNDLED, OF_THE_STACK } from "./world.ts";

const FOLDER = join(packageRoot, "docs/stacks");

/** `npm run stacks` takes the whole contract, which waits for tokens to expire. */
const isWhole = process.env["STACKS"] === "write";

it.each(isWhole ? EXAMPLES : drawnOneIn(2, EXAMPLES))(
  "$name behaves as its page says",
  async (example) => {
    const receiver = await startExample(example, BUNDLED);
    try {
      const { finished, results } = await runAgainst(
        receiver.profile,
        isWhole ? {} : { patterns: OF_THE_STACK },
      );
      expect(rulesWith(results, "fail")).toEqual([]);
      expect(rulesWith(results, "warn")).toEqual([]);
      expect(finished.verdict).toBe(isWhole ? "conformant" : "partial");
    } finally {
      await receiver.close();
    }
  },
);

describe("the pages of docs/stacks", () => {
  const pages = readdirSync(FOLDER).filter((file) => file.endsWith(".md"));
  const blocks = pages.flatMap((page) =>
    [
      ...readFileSync(join(FOLDER, page), "utf8").matchAll(/^```\w+ file=(\S+)\n([\s\S]*?)^```$/gm),
    ].map(([, file = "", code = ""]) => ({ page, file, code })),
  );

  it("show the code that the tests run", () => {
    const other = blocks.filter(
      ({ file, code }) => readFileSync(join(FOLDER, file), "utf8") !== code,
    );
    expect(other.map(({ page, file }) => `${page}: ${file}`)).toEqual([]);
  });

  it("show every file of the example", () => {
    const shown = new Set(blocks.map(({ file }) => file));
    const files = readdirSync(join(FOLDER, "code")).map((file) => `code/${file}`);
    expect(files.filter((file) => !shown.has(file))).toEqual([]);
  });
});
