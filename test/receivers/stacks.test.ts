import { readFileSync, writeFileSync } from "node:fs";

import { expect, test } from "vitest";

import { packageRoot } from "../../src/lib/package-root.ts";
import { RULES } from "../../suites/index.ts";
import { drawnOneIn } from "../proof/selection.ts";
import { type Ran, rulesWith, runAgainst } from "../support/run-against.ts";
import type { Care } from "./plain-api.ts";
import { type Stack, STACKS } from "./stacks.ts";
import { BUNDLED, OF_THE_STACK } from "./world.ts";

const PAGE = `${packageRoot}/docs/stacks/measured.md`;
const CARES = ["quick-start", "careful"] as const;
/** `write` in `npm run stacks`; `page` in `npm run stale`, which looks at the page alone. */
const mode = process.env["STACKS"];

test.runIf(mode === "write")("docs/stacks/measured.md can be written", async () => {
  const rows: string[] = [];
  for (const stack of STACKS) {
    for (const care of CARES) rows.push(rowOf(stack, care, await certify(stack, care)));
  }
  writeFileSync(PAGE, `${HEAD}${rows.join("\n")}\n`);
  expect(rows).toHaveLength(STACKS.length * CARES.length);
});

test("docs/stacks/measured.md has a row for each stack in both set-ups, judged by all rules", () => {
  const lines = readFileSync(PAGE, "utf8").split("\n");
  expect(lines).toContain(JUDGED_BY);
  const rows = lines.filter((line) => line.startsWith("| ")).slice(2);
  const heads = rows.map((row) => row.split("|", 3).slice(1));
  expect(heads.map((cells) => cells.map((cell) => cell.trim()))).toEqual(
    STACKS.flatMap(({ name }) => CARES.map((care) => [name, care])),
  );
});

const DRAWN = drawnOneIn(2, STACKS);

// All of them serve the same resources, which one whole run judges.
test.skipIf(mode !== undefined).concurrent.each(DRAWN)(
  "$name, in its careful set-up, has no failure",
  async (stack) => {
    const patterns = stack === DRAWN[0] ? [] : OF_THE_STACK;
    const { results, finished } = await certify(stack, "careful", patterns);
    const failed = results.filter(({ outcome }) => outcome === "fail").map(({ id }) => id);
    expect(failed).toEqual([]);
    expect(finished.suiteErrors).toEqual([]);
  },
);

/** Runs the suite against a stack. */
async function certify(
  { start }: Stack,
  care: Care,
  patterns: readonly string[] = [],
): Promise<Ran> {
  const receiver = await start(BUNDLED, care);
  try {
    return await runAgainst(receiver.profile, { patterns });
  } finally {
    await receiver.close();
  }
}

/** The page says how many rules judged, so that a new one outdates it. */
const JUDGED_BY = `Judged by ${RULES.length} rules.`;

const HEAD = `# Stacks

What the suite says of receivers that are built with well-known libraries, each twice: as the quick start of its
documentation has it, and with all that a careful reader adds. The receivers are in \`test/receivers/stacks.ts\`;
\`npm run stacks\` writes this page.

${JUDGED_BY}

| stack | set up | verdict | rules that fail | looks like a receiver that |
| --- | --- | --- | --- | --- |
`;

function list(items: readonly string[]): string {
  return items.join("; ").replaceAll("|", "\\|") || "–";
}

function rowOf({ name }: Stack, care: Care, { finished, results }: Ran): string {
  const behaves = finished.diagnoses.map((one) => one.behaves);
  return `| ${name} | ${care} | ${finished.verdict} | ${list(rulesWith(results, "fail"))} | ${list(behaves)} |`;
}
