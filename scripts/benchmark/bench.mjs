import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The receivers that a benchmark runs against, and runs against them.
 * @param here the tree whose reference receiver is served, for whatever tree is measured
 */
export async function openBench(here) {
  const folder = await mkdtemp(join(tmpdir(), "orgsync-benchmark-"));
  const children = [];
  const profiles = new Map();
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

  /** The file of a profile for the reference receiver, so many milliseconds away. */
  async function profileFor(organizations, delayMs) {
    const name = `${organizations}-${delayMs}`;
    if (!profiles.has(name)) profiles.set(name, await makeProfile(name, organizations, delayMs));
    return profiles.get(name);
  }

  async function makeProfile(name, organizations, delayMs) {
    const file = join(folder, `${name}.yaml`);
    let profile = await serve(organizations);
    if (delayMs > 0) {
      const baseUrl = /^baseUrl: (.*)$/m.exec(profile)[1];
      const near = new URL(baseUrl).origin;
      const [{ origin }] = await once(child("relay.mjs", near, delayMs), "message");
      profile = `${profile.replace(baseUrl, baseUrl.replace(near, origin))}audience: ${baseUrl}\n`;
    }
    await writeFile(file, profile);
    return file;
  }

  async function certified(root, options) {
    const { organizations = 100, delayMs = 0, concurrency = 8, replay = false } = options;
    const file = await profileFor(organizations, delayMs);
    const measuring = child("certify.mjs", root, file, concurrency, replay);
    const [figures] = await Promise.race([once(measuring, "message"), once(measuring, "exit")]);
    if (figures?.verdict !== "conformant") {
      throw new Error(`a run of ${root} came to ${figures?.verdict}`);
    }
    return figures;
  }

  return {
    /** A folder for whatever a row needs. */
    folder,
    /**
     * Certifies the reference receiver by the suite of a tree, in a process of its own; once in a round.
     * @param root the tree
     * @param options `organizations` (100), `delayMs` from the suite to the receiver (0), `concurrency` (8), and whether
     * the same requests are sent again by undici alone, `replay` (false)
     * @returns `requests`, `durationMs` without declared waiting, `cpuMs`, `peakMiB` of the process, and `replayMs`
     */
    certify(root, options = {}) {
      const key = JSON.stringify([root, options]);
      if (!runs.has(key)) runs.set(key, certified(root, options));
      return runs.get(key);
    },
    /** Begins the next round: what was measured is measured again. */
    nextRound() {
      runs = new Map();
    },
    async close() {
      for (const one of children) one.kill();
      await rm(folder, { recursive: true });
    },
  };
}
