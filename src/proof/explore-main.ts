import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { packageRoot } from "../lib/package-root.ts";
import { counted } from "../lib/words.ts";
import { FAULTS, VARIANTS } from "../reference/index.ts";
import {
  foundBy,
  type Harmless,
  type LeftOut,
  type MeasuredFaults,
  readMeasured,
  type Shown,
  writeMeasured,
} from "./exploration-data.ts";
import { explorationPage } from "./exploration-page.ts";
import {
  CHECKED_FAULTS,
  exploreBuild,
  PAGE_FAULTS,
  type Recorded,
  recordExploration,
  shownAgain,
} from "./leave-one-out.ts";

// `npm run explore` measures what exploration finds of the known faults of the receiver's checks, with each seed, and whether it calls
// conforming receivers wrong, without a connection. It keeps what it measured in docs/exploration.json, and writes docs/exploration.md.
// `--part faults,walks,again,conforming` measures other parts: `walks` are faults of pages, and `conforming` explores conforming receivers
// over HTTP, which takes long; `--part none` only writes the page. It exits with 1 where a MUST is called violated, which is a false alarm.
// `npm run explore -- <fault or variant>...` explores receivers with these over HTTP and prints what it finds; `--sample 60` so many
// faults, drawn by the first seed.
const { values, positionals } = parseArgs({
  options: {
    seeds: { type: "string", default: "1,2,3" },
    requests: { type: "string", default: "3000" },
    part: { type: "string", default: "faults,again" },
    combinations: { type: "string", default: "200" },
    sample: { type: "string" },
  },
  allowPositionals: true,
});
const seeds = values.seeds.split(",").map(Number);
const [seed = 1] = seeds;
const requests = Number(values.requests);
const parts = new Set(values.part.split(","));

if (positionals.length > 0 || values.sample !== undefined) {
  await exploreByHttp(values.sample === undefined ? positionals : sampled(Number(values.sample)));
} else {
  const needsRecord = parts.has("faults") || parts.has("again");
  const records = needsRecord ? await recordEach() : [];
  // Each part is kept as soon as it is measured.
  if (parts.has("faults")) writeMeasured({ faults: await leaveOneOut(records) });
  if (parts.has("walks")) writeMeasured({ walks: await leavePagesOut() });
  if (parts.has("again")) writeMeasured({ again: await answerConforming(records) });
  if (parts.has("conforming")) writeMeasured({ conforming: await exploreConforming() });
  const measured = readMeasured();
  writeFileSync(join(packageRoot, "docs", "exploration.md"), explorationPage(measured));
  console.log("See docs/exploration.md.");
  const { again, conforming } = measured;
  if ([again, conforming].some((one) => one && one.alarms.length > 0)) process.exitCode = 1;
}

/** An exploration of the conforming receiver with each seed. */
async function recordEach(): Promise<Recorded[]> {
  const records: Recorded[] = [];
  for (const one of seeds) records.push(await recordExploration(one, requests));
  return records;
}

async function leaveOneOut(records: readonly Recorded[]): Promise<MeasuredFaults> {
  const left: LeftOut[] = [];
  for (const { name, rule } of CHECKED_FAULTS) {
    const shown: (Shown | null)[] = [];
    for (const record of records) shown.push(await shownAgain({ faults: [name] }, record));
    left.push({ fault: name, rule, shown });
    if (left.length % 100 === 0) console.log(`${left.length} of ${CHECKED_FAULTS.length} faults`);
  }
  for (const [nth, one] of seeds.entries())
    console.log(`seed ${one}: ${foundBy({ left }, nth)} of ${counted(left.length, "fault")} shown`);
  return { requests, seeds, left };
}

async function leavePagesOut(): Promise<MeasuredFaults> {
  const left: LeftOut[] = [];
  for (const { name, rule } of PAGE_FAULTS) {
    const shown: (Shown | null)[] = [];
    for (const one of seeds)
      shown.push((await exploreBuild({ faults: [name] }, one, requests)).first);
    left.push({ fault: name, rule, shown });
    console.log(`${name}: ${shown.map((one) => one?.[0] ?? "not shown").join(", ")}`);
  }
  return { requests, seeds, left };
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

/** Every conforming variant, and combinations of them. */
function conformingBuilds(): string[][] {
  return [...VARIANTS.map(({ name }) => [name]), ...combined(Number(values.combinations))];
}

/** Answers explorations with conforming receivers, and explores those over HTTP that answer otherwise than the contract says. */
async function answerConforming(records: readonly Recorded[]): Promise<Harmless> {
  return judgeConforming(async (variants, nth) => {
    const record = records[nth];
    const shown = record && (await shownAgain({ variants }, record));
    return shown ? Math.min(requests, shown[0] + 200) : 0;
  });
}

function exploreConforming(): Promise<Harmless> {
  return judgeConforming(async () => requests);
}

/** @param needed how many requests of an exploration over HTTP a receiver and a seed need */
async function judgeConforming(
  needed: (variants: readonly string[], nth: number) => Promise<number>,
): Promise<Harmless> {
  const builds = conformingBuilds();
  const alarms: string[] = [];
  const warnings: string[] = [];
  let explored = 0;
  for (const [at, variants] of builds.entries()) {
    for (const [nth, one] of seeds.entries()) {
      const most = await needed(variants, nth);
      if (most === 0) continue;
      explored += 1;
      const { found } = await exploreBuild({ variants }, one, most);
      for (const { id, title, outcome } of found) {
        const told = `\`${variants.join(" + ")}\`: \`${id}\`, ${title}`;
        console.log(`${outcome}: ${told}`);
        (outcome === "fail" ? alarms : warnings).push(told);
      }
    }
    if ((at + 1) % 20 === 0)
      console.log(`${at + 1} of ${builds.length} conforming receivers, ${explored} over HTTP`);
  }
  const combinations = builds.length - VARIANTS.length;
  return { requests, seeds, variants: VARIANTS.length, combinations, alarms, warnings };
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
