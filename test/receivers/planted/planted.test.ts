import { readFileSync, writeFileSync } from "node:fs";

import PQueue from "p-queue";
import { expect, test } from "vitest";

import { packageRoot } from "../../../src/lib/package-root.ts";
import { drawnOneIn } from "../../proof/selection.ts";
import { rulesWith, runAgainst } from "../../support/run-against.ts";
import { BUNDLED } from "../world.ts";
import { classOf, explanationOf } from "./explanation.ts";
import { EXPRESS_MORE } from "./express-more.ts";
import { EXPRESS_OAUTH2 } from "./express-oauth2.ts";
import { EXPRESS } from "./express.ts";
import { FASTIFY } from "./fastify.ts";
import { HONO } from "./hono.ts";
import { NESTJS } from "./nestjs.ts";
import type { Plant } from "./plant.ts";
import { example, startPlanted } from "./start.ts";

const PAGE = `${packageRoot}/docs/stacks/explained.md`;

type Start = Parameters<typeof startPlanted>[0];
const honoJwk: Start = async (code) =>
  ((await code("test/receivers/hono.ts")) as typeof import("../hono.ts")).startHonoReceiver(
    BUNDLED,
  );
const expressOauth2: Start = async (code) =>
  (
    (await code("test/receivers/express-oauth2.ts")) as typeof import("../express-oauth2.ts")
  ).startExpressReceiver(BUNDLED);

const STACKS: readonly (readonly [name: string, start: Start, plants: readonly Plant[]])[] = [
  ["express", example("express"), [...EXPRESS, ...EXPRESS_MORE]],
  ["fastify", example("fastify"), FASTIFY],
  ["nestjs", example("nestjs"), NESTJS],
  ["hono with its jwk middleware", honoJwk, HONO],
  ["express-oauth2-jwt-bearer", expressOauth2, EXPRESS_OAUTH2],
];

/** `PLANTS=<words>` tries the plants with these words in their name, and prints their rows. */
const only = process.env["PLANTS"];
const isWritten = process.env["STACKS"] === "write";

test("docs/stacks/explained.md says how each planted fault is explained", async () => {
  // Some wait for a token to expire, or for a write to show.
  const queue = new PQueue({ concurrency: 4 });
  const all = STACKS.flatMap(([stack, start, plants]) =>
    plants
      .filter(({ name }) => name.includes(only ?? ""))
      .map((plant) => () => rowOf(stack, start, plant)),
  );
  // Each takes a second. Which ones are tried depends on the commit.
  const rows = await queue.addAll(isWritten || only !== undefined ? all : drawnOneIn(6, all));
  const page = pageOf(rows);
  if (only !== undefined) {
    console.log(page);
    return;
  }
  if (isWritten) writeFileSync(PAGE, page);
  const stated = linesOf(readFileSync(PAGE, "utf8"));
  const other = rows
    .map(lineOf)
    .flatMap(linesOf)
    .filter((line) => !stated.includes(line));
  expect(other, "npm run stacks").toEqual([]);
  const listed = stated.filter((line) => line.startsWith("| ")).length - HEADS;
  expect(listed, "npm run stacks").toBe(all.length);
});

interface Row {
  readonly cells: readonly string[];
  readonly outcome: string;
}

async function rowOf(stack: string, start: Start, plant: Plant): Promise<Row> {
  const receiver = await startPlanted(start, plant);
  try {
    const ran = await runAgainst(receiver.profile, { patterns: [plant.rule], patienceMs: 500 });
    const isCaught = rulesWith(ran.results, "fail", "warn").includes(plant.rule);
    const explanation = explanationOf(ran);
    const outcome = isCaught ? classOf(explanation, plant) : "missed";
    return { outcome, cells: [plant.name, stack, plant.rule, explanation.text || "–", outcome] };
  } finally {
    await receiver.close();
  }
}

function pageOf(rows: readonly Row[]): string {
  const count = (outcome: string): number => rows.filter((row) => row.outcome === outcome).length;
  const counts = ["right", "wrong", "silent", "missed"].map((one) => `${one} ${count(one)}`);
  return `${HEAD}Of ${rows.length} faults: ${counts.join(", ")}.

| fault | stack | rule | what is said | |
| --- | --- | --- | --- | --- |
${rows.map(lineOf).join("\n")}
`;
}

function lineOf({ cells }: Row): string {
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}

/** Lines of a table above its rows. */
const HEADS = 2;

/** The formatter aligns the columns of tables, and times depend on the moment. */
function linesOf(page: string): string[] {
  return page.split("\n").map((line) =>
    line
      .replaceAll(/ +/g, " ")
      .replaceAll(/-{3,}/g, "---")
      .replaceAll(/[\d,]+ (?=(?:s|days) after)/g, "some ")
      // Ports differ, and so do the characters that two texts share.
      .replaceAll(/first \d+ (?=characters)/g, "first some "),
  );
}

const HEAD = `# How faults are explained

Faults that users write, planted one at a time in receivers on several stacks (\`test/receivers/planted\`), and what a
run of the rule that is about them says of the cause. Right: it has the words of a right explanation and none of a wrong one.
Wrong: it has such a word, or names another fault without reservation. Silent: it names none. Missed: the rule does not
fail. \`npm run stacks\` writes this page.

`;
