// A child process of benchmark.mjs: certifies a deployment with the suite of a tree, and tells what that took.
import { subscribe } from "node:diagnostics_channel";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { replay } from "./replay.mjs";

const [, , root, profile, concurrency, replays] = process.argv;
const sent = [];
if (replays === "true") {
  subscribe("undici:request:create", ({ request }) => {
    const { origin, method, path, headers, body } = request;
    sent.push({ origin, method, path, headers, body });
  });
}
const { exports } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
const { certify } = await import(pathToFileURL(join(root, exports["."].default)).href);
const report = await certify({ profile, seed: 1, concurrency: Number(concurrency) });
const { user, system } = process.cpuUsage();
const figures = {
  verdict: report.verdict,
  requests: report.requests,
  // Versions that do not tell it apart have counted it.
  durationMs: report.durationMs - (report.waitedMs ?? 0),
  cpuMs: (user + system) / 1000,
  peakMiB: process.resourceUsage().maxRSS / 1024,
};
const replayMs = sent.length > 0 ? await replay(sent.splice(0), Number(concurrency)) : undefined;
process.send({ ...figures, replayMs }, () => process.exit());
