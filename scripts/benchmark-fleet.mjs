// Measures the cost of a fleet for each deployment, and how it changes with --jobs. See `npm run
// benchmark:fleet -- --help`.
import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const self = fileURLToPath(import.meta.url);
const command = fileURLToPath(new URL("../bin/orgsync-conformance.js", import.meta.url));
const jwks = fileURLToPath(new URL("../keys/jwks.json", import.meta.url));

/**
 * Each process of the command writes its resource usage when it ends: CPU time and maximum resident set.
 */
const METER = `data:text/javascript,${encodeURIComponent(`
  import { readFileSync, writeFileSync } from "node:fs";
  import { isMainThread } from "node:worker_threads";
  const status = () => { try { return readFileSync("/proc/self/status", "utf8"); } catch { return ""; } };
  if (isMainThread) process.on("exit", () => {
    const { user, system } = process.cpuUsage();
    const peakKiB = Number(/VmHWM:\\s*(\\d+)/.exec(status())?.[1] ?? process.resourceUsage().maxRSS);
    writeFileSync(
      process.env.METER_FOLDER + "/" + process.pid + ".json",
      JSON.stringify({ verb: process.argv[2], cpuMs: (user + system) / 1000, peakKiB }),
    );
  });
`)}`;

if (process.argv[2] === "receivers") await serve(Number(process.argv[3]));
else await benchmark();

/**
 * Serves this number of receivers in one separate process, so that the fleet's figures exclude them.
 */
async function serve(count) {
  const { startReference } = await import("../dist/src/reference/index.js");
  const profiles = [];
  for (let at = 0; at < count; at++) profiles.push((await startReference({ jwks })).profile);
  process.send(profiles);
}

async function benchmark() {
  const { values } = parseArgs({
    options: {
      receivers: { type: "string", default: "200" },
      jobs: { type: "string", default: "1,2,4" },
      rule: { type: "string", multiple: true, default: [] },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log("npm run benchmark:fleet -- [--receivers 200] [--jobs 1,2,4] [--rule <pattern>]…");
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "orgsync-fleet-"));
  const receivers = fork(self, ["receivers", values.receivers]);
  try {
    const [profiles] = await once(receivers, "message");
    mkdirSync(join(folder, "profiles"));
    for (const [at, profile] of profiles.entries()) {
      const name = `${String(at).padStart(5, "0")}.yaml`;
      writeFileSync(join(folder, "profiles", name), JSON.stringify(profile));
    }
    console.log(`${profiles.length} receivers, ${availableParallelism()} processors`);
    let first;
    for (const jobs of values.jobs.split(",")) {
      const figures = await measured(folder, jobs, values.rule);
      first ??= figures;
      console.log(line(jobs, figures, first, profiles.length));
    }
  } finally {
    receivers.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Measures one fleet from start to end. */
async function measured(folder, jobs, rules) {
  const meters = mkdtempSync(join(folder, "meters-"));
  const began = performance.now();
  const fleet = spawn(
    process.execPath,
    [
      command,
      "fleet",
      "profiles/*.yaml",
      "--seed=1",
      `--jobs=${jobs}`,
      `--out=jobs-${jobs}`,
      ...rules.map((rule) => `--rule=${rule}`),
    ],
    {
      cwd: folder,
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, NODE_OPTIONS: `--import=${METER}`, METER_FOLDER: meters },
    },
  );
  const [code] = await once(fleet, "exit");
  if (code !== 0) throw new Error(`fleet exited ${code}`);
  const wallMs = performance.now() - began;
  const all = readdirSync(meters).map((file) =>
    JSON.parse(readFileSync(join(meters, file), "utf8")),
  );
  const runs = all.filter(({ verb }) => verb === "run");
  return {
    wallMs,
    load: loadavg()[0],
    cpuMs: runs.reduce((sum, one) => sum + one.cpuMs, 0) / runs.length,
    peakMiB: Math.max(...runs.map(({ peakKiB }) => peakKiB)) / 1024,
    own: all.find(({ verb }) => verb === "fleet"),
  };
}

function line(jobs, { wallMs, cpuMs, peakMiB, own, load }, first, count) {
  const each = (ms) => `${(ms / count / 1000).toFixed(2)} s`;
  return [
    `--jobs ${jobs}: ${each(wallMs)} for each deployment (${(first.wallMs / wallMs).toFixed(2)} times as fast)`,
    `  CPU ${(cpuMs / 1000).toFixed(2)} s a run (${(cpuMs / first.cpuMs).toFixed(2)} of the first), at most ${peakMiB.toFixed(0)} MiB`,
    `  fleet itself: CPU ${each(own.cpuMs)} for each, ${(own.peakKiB / 1024).toFixed(0)} MiB; load average ${load.toFixed(1)}`,
  ].join("\n");
}
