// A child process of benchmark.mjs. It sends the requests that a meter has written again, with undici
// alone, and tells how much CPU that took, in milliseconds.
import { readFileSync } from "node:fs";

import { Agent } from "undici";

const [, , file, concurrency] = process.argv;
const agent = new Agent({ connections: Number(concurrency) });
const queue = JSON.parse(readFileSync(file, "utf8")).sent.map(
  ([origin, method, path, headers, body]) => ({
    origin,
    method,
    path,
    headers: pairs(headers),
    body: body ?? null,
  }),
);
const before = process.cpuUsage();
await Promise.all(
  Array.from({ length: Number(concurrency) }, async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { body } = await agent.request(next);
      await body.dump();
    }
  }),
);
const { user, system } = process.cpuUsage(before);
await agent.close();
process.send({ replayCpuMs: (user + system) / 1000 }, () => process.exit());

/** undici returns the headers as they are sent, in one list of names and values. */
function pairs(headers) {
  const lines = Array.isArray(headers)
    ? headers
    : headers.split("\r\n").flatMap((line) => {
        const colon = line.indexOf(":");
        return colon > 0 ? [line.slice(0, colon), line.slice(colon + 1).trim()] : [];
      });
  const kept = [];
  for (let at = 0; at < lines.length; at += 2) {
    if (!/^(host|connection|content-length)$/i.test(lines[at])) kept.push(lines[at], lines[at + 1]);
  }
  return kept;
}
