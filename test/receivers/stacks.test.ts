import { readFileSync, writeFileSync } from "node:fs";

import { expect, test } from "vitest";

import { packageRoot } from "../../src/lib/package-root.ts";
import {
  certifyStack,
  OF_THE_STACK,
  rulesOfThePage,
  stackResult,
  stacksPage,
  type StackResult,
} from "./certify-stacks.ts";
import { STACKS } from "./stacks.ts";

const PAGE = `${packageRoot}/docs/stacks/measured.md`;
const CARES = ["quick-start", "careful"] as const;
/** `write` in `npm run stacks`; `page` in `npm run stale`, which looks at the page alone. */
const mode = process.env["STACKS"];

test.runIf(mode === "write")("docs/stacks/measured.md can be written", async () => {
  const results: StackResult[] = [];
  for (const stack of STACKS) {
    for (const care of CARES) {
      results.push(stackResult(stack, care, await certifyStack(stack, care)));
    }
  }
  writeFileSync(PAGE, stacksPage(results));
  expect(results).toHaveLength(STACKS.length * CARES.length);
});

test("docs/stacks/measured.md has a row for each stack in both set-ups, judged by all rules", () => {
  const lines = readFileSync(PAGE, "utf8").split("\n");
  expect(lines).toContain(rulesOfThePage());
  const rows = lines.filter((line) => line.startsWith("| ")).slice(2);
  const heads = rows.map((row) => row.split("|", 3).slice(1));
  expect(heads.map((cells) => cells.map((cell) => cell.trim()))).toEqual(
    STACKS.flatMap(({ name }) => CARES.map((care) => [name, care])),
  );
});

// All of them serve the same resources, which one whole run judges.
test.skipIf(mode !== undefined).concurrent.each(STACKS)(
  "$name, in its careful set-up, has no failure",
  async (stack) => {
    const patterns = stack === STACKS[0] ? [] : OF_THE_STACK;
    const { results, finished } = await certifyStack(stack, "careful", patterns);
    const failed = results.filter(({ outcome }) => outcome === "fail").map(({ id }) => id);
    expect(failed).toEqual([]);
    expect(finished.suiteErrors).toEqual([]);
  },
);
