import { readFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from "vitest";

import type { FleetRun } from "../../src/fleet/fleet-file.ts";
import { type RunningReference, startReference } from "../../src/reference/index.ts";
import { command, type TestIo } from "../cli/io.ts";
import { BUNDLED_JWKS } from "../support/run-against.ts";
import { fleetIn, writeFiles } from "./files.ts";
import { type HangingReceiver, startHanging } from "./hanging.ts";
import { createFleetIo } from "./io.ts";

/** One case for each of two rules: enough for every verdict that there can be with a selection. */
const RULES = [
  "--rule=receiver.issuer/*@viewOrganization",
  "--rule=receiver.token-required/missing@viewOrganization",
];
const HOUR_MS = 3_600_000;

/** How many receivers there are of each kind, and what is wrong with them. */
const KINDS: readonly [name: string, count: number, faults: readonly string[]][] = [
  ["good", 3, []],
  ["trusts-all", 2, ["issuer-unchecked"]],
  ["trusts-nobody", 1, ["rejects-everything"]],
];
const receivers = new Map<string, RunningReference>();
let hanging: HangingReceiver;

beforeAll(async () => {
  for (const [kind, count, faults] of KINDS) {
    for (let at = 0; at < count; at++) {
      receivers.set(`${kind}-${at}`, await startReference({ jwks: BUNDLED_JWKS, faults }));
    }
  }
  hanging = await startHanging();
});
afterAll(async () => {
  await hanging.close();
  for (const receiver of receivers.values()) await receiver.close();
});
// The test controls the time for the limit of a run. Other timers run normally.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** Eleven profiles, in files whose order says nothing. */
function profiles(): Record<string, unknown> {
  const good = receivers.get("good-0")?.profile ?? {};
  return Object.fromEntries([
    ...[...receivers].map(([name, { profile }]) => [
      `profiles/${name}.yaml`,
      { ...profile, writes: false, denied: undefined },
    ]),
    ["profiles/away.yaml", { baseUrl: "http://127.0.0.1:1/nobody" }],
    ["profiles/hangs.yaml", { baseUrl: hanging.baseUrl, request: { timeoutMs: 2_000_000_000 } }],
    ["profiles/unfit.yaml", { baseUri: "http://127.0.0.1:1/nobody" }],
    ["profiles/no-yaml.yaml", "baseUrl: [\n"],
    // Its token command ends the run.
    [
      "profiles/crashes.yaml",
      {
        ...good,
        baseUrl: `${String(good["baseUrl"])}/other`,
        testIssuer: false,
        tokens: { command: ["sh", "-c", "kill -SEGV $PPID"] },
      },
    ],
  ]);
}

/** Runs a shard to its end. The run that hangs exceeds its limit as soon as all others are done. */
async function runShard(io: TestIo, shard: string, out: string): Promise<number> {
  hanging.forget();
  const args = ["fleet", "profiles/*.yaml", `--out=${out}`, `--shard=${shard}`, "--jobs=2"];
  const ended = command([...args, "--timeout=3600", ...RULES], io);
  await io.said(" profiles, shard");
  const count = Number(/(\d+) runs? of/.exec(io.err)?.[1]);
  const others = count > 1 ? io.said(`\n${count - 1}. `) : Promise.resolve();
  const left = Promise.all([others, hanging.asked()]).then(() =>
    vi.advanceTimersByTime(2 * HOUR_MS),
  );
  const { code } = await Promise.race([ended, left.then(() => ended)]);
  return code;
}

/** Runs find their commands. */
function world(): TestIo {
  return createFleetIo({ PATH: process.env["PATH"] ?? "" });
}

const SHARDS = [1, 4];
const merged = new Map<number, string>();

it.each(SHARDS)("eleven receivers in %i shards, some broken, hanging or crashing", async (of) => {
  const io = world();
  writeFiles(io.cwd, profiles());
  const folders = Array.from({ length: of }, (_, at) => `shard-${at + 1}`);
  for (const [at, folder] of folders.entries()) {
    const own = Object.assign(world(), { cwd: io.cwd });
    expect(await runShard(own, `${at + 1}/${of}`, folder)).toBe(0);
  }
  const { code, out } = await command(["merge", ...folders, "--out", "merged", "--gate"], io);
  expect(code).toBe(2);
  expect(out).toContain("11 runs: 5 error, 2 non-conformant, 1 incomplete, 3 partial");
  merged.set(of, readFileSync(join(io.cwd, "merged/fleet.json"), "utf8"));
  const byName = new Map(fleetIn(io.cwd, "merged").runs.map((run) => [run.name, run]));
  const errorOf = (name: string): FleetRun | undefined => byName.get(name);
  expect([...byName.keys()]).toEqual([...byName.keys()].toSorted());
  expect(errorOf("hangs")).toEqual({
    name: "hangs",
    error: "it did not finish within 3600 s and was stopped",
  });
  expect(errorOf("crashes")?.error).toBe("it crashed: SIGSEGV");
  expect(errorOf("away")?.error).toContain("cannot be reached");
  expect(errorOf("unfit")?.error).toContain("baseUri is not a known key");
  expect(errorOf("no-yaml")?.error).toContain("profiles/no-yaml.yaml:");
  expect(errorOf("good-0")).toEqual({
    name: "good-0",
    verdict: "partial",
    report: "runs/good-0/report.json",
  });
});

it("give the same result, byte by byte, with any number of shards", () => {
  expect([...merged.keys()]).toEqual(SHARDS);
  expect(new Set(merged.values()).size).toBe(1);
});
