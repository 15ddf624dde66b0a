import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * Starts receivers as benchmark targets, and runs commands against them.
 * @param here the tree whose reference receiver is served, whichever tree is measured
 */
export async function openBench(here) {
  const folder = await mkdtemp(join(tmpdir(), "orgsync-benchmark-"));
  const children = [];
  const profiles = new Map();
  let commands = 0;
  let runs = new Map();

  function child(name, ...args) {
    const forked = fork(fileURLToPath(new URL(name, import.meta.url)), args);
    children.push(forked);
    return forked;
  }

  async function serve(organizations) {
    const command = [join(here, "bin/orgsync-conformance.js"), "serve"];
    const args = [...command, "--organizations", String(organizations)];
    const served = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"] });
    children.push(served);
    let profile = "";
    for await (const chunk of served.stdout) {
      profile += chunk;
      if (/readChange:[\s\S]*\n$/.test(profile)) return profile;
    }
    throw new Error("the reference receiver does not start");
  }

  /**
   * The file of a profile for the reference receiver, with a network delay of `delayMs` milliseconds.
   */
  function profileFor({ organizations = 100, delayMs = 0, document = true } = {}) {
    const name = `${organizations}-${delayMs}-${document}`;
    if (!profiles.has(name))
      profiles.set(name, makeProfile(name, organizations, delayMs, document));
    return profiles.get(name);
  }

  async function makeProfile(name, organizations, delayMs, document) {
    const file = join(folder, `${name}.yaml`);
    let profile = await serve(organizations);
    if (delayMs > 0) {
      const baseUrl = /^baseUrl: (.*)$/m.exec(profile)[1];
      const near = new URL(baseUrl).origin;
      const [{ origin }] = await once(child("relay.mjs", near, delayMs), "message");
      profile = `${profile.replace(baseUrl, baseUrl.replace(near, origin))}audience: ${baseUrl}\n`;
    }
    if (!document) profile = profile.replace(/^openapi: .*\n/m, "");
    await writeFile(file, profile);
    return file;
  }

  /** Runs a script with arguments and returns the resources that it used. */
  function timed(script, ...args) {
    return metered({}, script, ...args);
  }

  /** The same with further environment variables; with `METER_REQUESTS`, `file` contains the requests sent. */
  async function metered(env, script, ...args) {
    const file = join(folder, `meter-${++commands}.json`);
    const meter = new URL("meter.mjs", import.meta.url).href;
    const running = spawn(process.execPath, ["--import", meter, script, ...args], {
      cwd: folder,
      env: { ...process.env, ...env, METER: file },
      stdio: "ignore",
    });
    await once(running, "exit");
    const { sent: _sent, ...took } = JSON.parse(await readFile(file, "utf8"));
    return { ...took, file };
  }

  async function certified(root, options) {
    const { concurrency = 8, replay = false, rule } = options;
    const profile = await profileFor(options);
    const out = join(folder, `reports-${++commands}`);
    const took = await metered(
      replay ? { METER_REQUESTS: "1" } : {},
      join(root, "bin/orgsync-conformance.js"),
      "run",
      "--seed=1",
      `--profile=${profile}`,
      `--out=${out}`,
      ...(concurrency === "default" ? [] : [`--concurrency=${concurrency}`]),
      ...(rule === undefined ? [] : ["--rule", rule]),
    );
    const report = JSON.parse(await readFile(join(out, "report.json"), "utf8"));
    const { verdict, requests, durationMs, waitedMs = 0 } = report;
    if (verdict !== (rule === undefined ? "conformant" : "partial")) {
      throw new Error(`a run of ${root} came to ${verdict}`);
    }
    // Older versions include the waiting time in the duration and do not state it.
    const figures = { ...took, requests, durationMs: durationMs - waitedMs };
    if (!replay) return figures;
    const [{ replayCpuMs }] = await once(child("replay.mjs", took.file, concurrency), "message");
    return { ...figures, replayCpuMs };
  }

  return {
    /** A temporary folder for the rows. */
    folder,
    /**
     * Certifies the reference receiver with the command of a tree. Called again in the same round, it
     * returns the same figures.
     * @param root the tree
     * @param options `organizations` (100), `delayMs` from the suite to the receiver (0), `concurrency`
     * (8, or "default"), whether it has a `document` (true), a pattern of cases, `rule` (all), and whether the same
     * requests are sent again by undici alone, `replay` (false)
     * @returns `requests`, `durationMs` without declared waiting, and of the process `wallMs`,
     * `cpuMs` and `peakMiB`; with `replay` also `replayCpuMs`
     */
    certify(root, options = {}) {
      const key = JSON.stringify([root, options]);
      if (!runs.has(key)) runs.set(key, certified(root, options));
      return runs.get(key);
    },
    /**
     * How many requests a run of a tree sends until the first case has run that shows a fault, for each known fault. Called again
     * in the same round, it returns the same counts.
     */
    firstFailures(root) {
      const key = `first failures ${root}`;
      if (!runs.has(key)) {
        runs.set(
          key,
          once(child("first-failure.mjs", root, here), "message").then(([{ counts }]) => counts),
        );
      }
      return runs.get(key);
    },
    /** Measures a script that is not a command of a tree, once in a round. */
    timed,
    /** Starts the next round, in which everything is measured again. */
    nextRound() {
      runs = new Map();
    },
    async close() {
      for (const one of children) one.kill();
      await rm(folder, { recursive: true });
    },
  };
}
