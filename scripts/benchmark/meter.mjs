// Loaded before a command of benchmark.mjs. When the process ends, it writes the resources used to the file
// that METER names, and, if METER_REQUESTS is set, the requests sent. They take some MiB of memory, so only runs
// that are sent again keep them.
import { subscribe } from "node:diagnostics_channel";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const { METER: file, METER_REQUESTS: keepsRequests } = process.env;
delete process.env.METER;
delete process.env.METER_REQUESTS;
const sent = [];
if (isMainThread && file !== undefined) {
  if (keepsRequests) {
    subscribe("undici:request:create", ({ request }) => {
      const { origin, method, path, headers, body } = request;
      // undici converts a text body to bytes, which JSON would not preserve.
      sent.push([origin, method, path, headers, body && Buffer.from(body).toString()]);
    });
  }
  process.on("exit", () => {
    const { user, system } = process.cpuUsage();
    const cpuMs = (user + system) / 1000;
    const wallMs = performance.now();
    writeFileSync(file, JSON.stringify({ cpuMs, wallMs, peakMiB: peakMiB(), sent }));
  });
}

/**
 * Linux's peak value for the process itself. Unlike `maxRSS`, it excludes the parent that it was forked
 * from.
 */
function peakMiB() {
  const status = "/proc/self/status";
  const known = existsSync(status) && /VmHWM:\s*(\d+)/.exec(readFileSync(status, "utf8"));
  return (known ? Number(known[1]) : process.resourceUsage().maxRSS) / 1024;
}
