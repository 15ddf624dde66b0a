import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { packageRoot } from "../lib/package-root.ts";
import { counted } from "../lib/words.ts";
import { FAULTS, VARIANTS } from "../reference/index.ts";
import { explorationPage, type Harmless } from "./exploration-page.ts";
import {
  CHECKED_FAULTS,
  exploreBuild,
  leaveOut,
  type LeftOut,
  recordExploration,
} from "./leave-one-out.ts";
import { SEED } from "./seed.ts";

// `npm run explore` measures what exploration finds of the known faults of the receiver's checks, and writes docs/exploration.md.
// `npm run explore -- <fault or variant>...` explores receivers with these over HTTP and prints what it finds; `--sample 60` so many
// faults, drawn by `--seed`. `--conforming 20` also explores every conforming variant, and 20 combinations of three: it exits with 1
// where a MUST is called violated, which is a false alarm.
const { values, positionals } = parseArgs({
  options: {
    seed: { type: "string", default: String(SEED) },
    requests: { type: "string", default: "3000" },
    sample: { type: "string" },
    conforming: { type: "string" },
    "conforming-requests": { type: "string", default: "600" },
  },
  allowPositionals: true,
});
const seed = Number(values.seed);
const requests = Number(values.requests);

if (positionals.length > 0 || values.sample !== undefined) {
  await exploreByHttp(values.sample === undefined ? positionals : sampled(Number(values.sample)));
} else {
  const left = await leaveOneOut();
  const harmless =
    values.conforming === undefined
      ? undefined
      : await exploreConforming(Number(values.conforming));
  const page = explorationPage({ seed, requests, left, harmless });
  writeFileSync(join(packageRoot, "docs", "exploration.md"), page);
  console.log("See docs/exploration.md.");
  if (harmless && harmless.alarms.length > 0) process.exitCode = 1;
}

async function leaveOneOut(): Promise<LeftOut[]> {
  const recorded = await recordExploration(seed, requests);
  const left: LeftOut[] = [];
  for (const fault of CHECKED_FAULTS) {
    left.push(await leaveOut(fault, recorded));
    if (left.length % 100 === 0) console.log(`${left.length} of ${CHECKED_FAULTS.length} faults`);
  }
  const found = left.filter(({ after }) => after !== undefined).length;
  console.log(
    `${found} of ${counted(left.length, "fault")} shown within ${counted(requests, "request")}`,
  );
  return left;
}

async function exploreByHttp(names: readonly string[]): Promise<void> {
  let shown = 0;
  for (const name of names) {
    const isFault = FAULTS.some((one) => one.name === name);
    if (!isFault && !VARIANTS.some((one) => one.name === name)) {
      console.error(`there is no fault or variant ${name}; docs/proof.md lists them`);
      process.exitCode = 2;
      continue;
    }
    const build = isFault ? { faults: [name] } : { variants: [name] };
    const { report, found } = await exploreBuild(build, seed, requests);
    if (found.length > 0) shown += 1;
    console.log(
      `${name}: ${counted(found.length, "case")} with ${counted(report.requests, "request")}`,
    );
    for (const one of found) console.log(`  ${one.outcome} ${one.id}: ${one.title}; ${one.actual}`);
  }
  console.log(`${shown} of ${names.length} shown`);
}

/** So many faults, spread over all of them. */
function sampled(count: number): string[] {
  const step = CHECKED_FAULTS.length / count;
  return Array.from({ length: count }, (_, at) => {
    const index = (Math.floor(at * step) + seed) % CHECKED_FAULTS.length;
    return CHECKED_FAULTS[index]?.name ?? "";
  });
}

async function exploreConforming(combinations: number): Promise<Harmless> {
  const each = Number(values["conforming-requests"]);
  const builds = [...VARIANTS.map(({ name }) => [name]), ...combined(combinations)];
  const alarms: string[] = [];
  const warnings: string[] = [];
  for (const [at, variants] of builds.entries()) {
    const { found } = await exploreBuild({ variants }, seed, each);
    for (const one of found) {
      const told = `\`${variants.join(" + ")}\`: \`${one.id}\`, ${one.title}`;
      (one.outcome === "fail" ? alarms : warnings).push(told);
    }
    if ((at + 1) % 20 === 0) console.log(`${at + 1} of ${builds.length} conforming receivers`);
  }
  for (const alarm of alarms) console.log(`FALSE ALARM ${alarm}`);
  return { variants: VARIANTS.length, combinations, seed, requests: each, alarms, warnings };
}

/** Combinations of three variants that may be combined. */
function combined(count: number): string[][] {
  const found: string[][] = [];
  for (let at = seed; found.length < count && at < seed + 20 * count; at += 1) {
    const three = [7, 31, 59].flatMap((factor) => VARIANTS[(at * factor) % VARIANTS.length] ?? []);
    const used = three.flatMap(({ name, uses = [] }) => [name, ...uses]);
    if (three.length === 3 && new Set(used).size === used.length)
      found.push(three.map(({ name }) => name));
  }
  return found;
}
