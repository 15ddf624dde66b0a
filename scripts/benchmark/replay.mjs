import { Agent } from "undici";

/**
 * Sends requests again with undici alone.
 * @param requests as undici's own diagnostics tell of them
 * @param concurrency how many are in flight at once
 * @returns how long that took, in milliseconds
 */
export async function replay(requests, concurrency) {
  const agent = new Agent({ connections: concurrency });
  const queue = requests.map((one) => ({
    ...one,
    origin: String(one.origin),
    headers: pairs(one.headers),
    body: one.body ?? null,
  }));
  const began = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const { body } = await agent.request(next);
        await body.dump();
      }
    }),
  );
  const took = performance.now() - began;
  await agent.close();
  return took;
}

/** undici hands its headers out as they go on the wire. */
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
