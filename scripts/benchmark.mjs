// `npm run benchmark [-- <commit>] [--rows <text>] [--times <n>]` measures the cost of a run several times
// and prints median and spread. The figures are ratios, so that they are comparable between machines. With
// a commit, it measures that commit beside the working tree.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import { checkOut } from "../dist/src/proof/check-out.js";
import { openBench } from "./benchmark/bench.mjs";
import { ROWS } from "./benchmark/rows.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rows: { type: "string", default: "" }, times: { type: "string", default: "3" } },
});
const [commit] = positionals;
const rows = ROWS.filter(({ name }) => name.includes(values.rows));
const times = Number(values.times);
if (rows.length === 0 || !(times >= 1)) {
  console.error(
    `--rows is a part of one of these, --times at least 1:\n${ROWS.map(({ name }) => `  ${name}`).join("\n")}`,
  );
  process.exit(2);
}

const here = fileURLToPath(new URL("..", import.meta.url));
const before = commit === undefined ? undefined : mkdtempSync(join(tmpdir(), "orgsync-before-"));
const bench = await openBench(here);
try {
  if (before !== undefined) checkOut(commit, before);
  const trees = [
    ...(before === undefined ? [] : [{ title: commit, root: before }]),
    { title: "now", root: here },
  ];
  const measured = new Map(
    rows.flatMap((row) => trees.map(({ root }) => [`${row.name} ${root}`, []])),
  );
  for (let round = 0; round < times; round++) {
    bench.nextRound();
    // The trees take turns, so that changes of the machine's load affect both.
    for (const row of rows) {
      for (const { root } of trees) {
        measured.get(`${row.name} ${root}`).push(await row.measure(bench, root));
      }
    }
  }
  const widest = Math.max(...rows.map(({ name }) => name.length));
  const line = (name, figures, goal) =>
    console.log([name.padEnd(widest), ...figures.map((one) => one.padEnd(22)), goal].join("  "));
  line(
    `median (least–most) of ${times}`,
    trees.map(({ title }) => title),
    "goal",
  );
  for (const { name, goal } of rows) {
    line(
      name,
      trees.map(({ root }) => spread(measured.get(`${name} ${root}`))),
      String(goal),
    );
  }
} finally {
  await bench.close();
  if (before !== undefined) rmSync(before, { recursive: true, force: true });
}

function spread(figures) {
  const sorted = figures.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  return `${short(middle)} (${short(sorted[0])}–${short(sorted.at(-1))})`;
}

function short(figure) {
  return figure.toFixed(figure < 10 ? 2 : figure < 100 ? 1 : 0);
}
