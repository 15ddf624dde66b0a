// What a run costs, each figure beside one that it can be compared with; `npm run benchmark`.
import { execFile, fork, spawn } from "node:child_process";
import diagnostics from "node:diagnostics_channel";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const self = fileURLToPath(import.meta.url);
const command = fileURLToPath(new URL("../dist/src/cli/main.js", import.meta.url));
const CONCURRENCY = 8;
const DELAY_MS = 50;

const [, , mode, ...args] = process.argv;
if (mode === "measure") await measure(args[0]);
else if (mode === "delay") await delay(args[0]);
else await compare();

/** Runs the suite by the profile in this process, then sends the same requests again with bare undici. */
async function measure(profileFile) {
  const { run } = await import("../dist/src/engine/run.js");
  const { loadProfile } = await import("../dist/src/profile/load.js");
  const { resolveTarget } = await import("../dist/src/profile/resolve.js");
  const { RULES } = await import("../dist/suites/index.js");
  const sent = [];
  let firstRequestMs;
  diagnostics.subscribe(
    "undici:request:create",
    ({ request: { origin, method, path, headers, body } }) => {
      firstRequestMs ??= performance.now();
      sent.push({ origin, method, path, headers: pairs(headers), body });
    },
  );
  const target = resolveTarget({ profile: loadProfile(profileFile) });
  const began = performance.now();
  const finished = await run({
    target,
    rules: RULES,
    seed: 1,
    concurrency: CONCURRENCY,
    emit: () => {},
  });
  const wallMs = performance.now() - began;
  const peakMiB = process.resourceUsage().maxRSS / 1024;
  const requests = sent.splice(0);
  const replayMs = await replay(requests);
  process.send({
    verdict: finished.verdict,
    requests: finished.requests,
    wallMs,
    peakMiB,
    firstRequestMs,
    replayMs,
  });
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

async function replay(requests) {
  const { Agent } = await import("undici");
  const agent = new Agent({ connections: CONCURRENCY });
  const queue = [...requests];
  const began = performance.now();
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      for (let next = queue.shift(); next; next = queue.shift()) {
        const { body } = await agent.request({
          ...next,
          origin: String(next.origin),
          body: next.body ?? null,
        });
        await body.dump();
      }
    }),
  );
  await agent.close();
  return performance.now() - began;
}

/** A receiver that takes its time: forwards every request to `origin` after a while. */
async function delay(origin) {
  const server = createServer((incoming, outgoing) => {
    setTimeout(() => {
      const { hostname, port } = new URL(origin);
      const { method, url: path, headers } = incoming;
      const forwarded = request({ hostname, port, method, path, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode, answer.headers);
        answer.pipe(outgoing);
      });
      forwarded.on("error", () => outgoing.destroy());
      incoming.pipe(forwarded);
    }, DELAY_MS);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  process.send({ origin: `http://127.0.0.1:${server.address().port}` });
}

async function compare() {
  const folder = await mkdtemp(join(tmpdir(), "orgsync-benchmark-"));
  const receivers = [];
  try {
    const receiver = async (organizations) => {
      const child = spawn(process.execPath, [
        command,
        "serve",
        "--organizations",
        String(organizations),
      ]);
      receivers.push(child);
      const file = join(folder, `${organizations}.yaml`);
      let profile = "";
      for await (const chunk of child.stdout) {
        profile += chunk;
        if (/readChange:[\s\S]*\n$/.test(profile)) break;
      }
      await writeFile(file, profile);
      return file;
    };
    const few = await measured(await receiver(100));
    const many = await measured(await receiver(100_000));

    const profile = await readFile(join(folder, "100.yaml"), "utf8");
    const baseUrl = /^baseUrl: (.*)$/m.exec(profile)[1];
    const slow = fork(self, ["delay", new URL(baseUrl).origin]);
    receivers.push(slow);
    const [{ origin }] = await once(slow, "message");
    const slowFile = join(folder, "slow.yaml");
    const slowUrl = baseUrl.replace(new URL(baseUrl).origin, origin);
    await writeFile(slowFile, `${profile.replace(baseUrl, slowUrl)}audience: ${baseUrl}\n`);
    const late = await measured(slowFile);
    const ideal = (late.requests * DELAY_MS) / CONCURRENCY;

    const help = performance.now();
    await promisify(execFile)(process.execPath, [command, "--version"]);
    const versionMs = performance.now() - help;

    console.log(`
100 organizations      ${figures(few)}
100,000 organizations  ${figures(many)}
  requests ${ratio(many.requests, few.requests)}   wall time ${ratio(many.wallMs, few.wallMs)}   memory ${ratio(many.peakMiB, few.peakMiB)}   (goal 1.0)
a run beside replaying its requests with bare undici: ${few.wallMs.toFixed(0)} ms, ${few.replayMs.toFixed(0)} ms, ${ratio(few.wallMs, few.replayMs)}   (goal 1.3)
a receiver that takes ${DELAY_MS} ms: ${late.wallMs.toFixed(0)} ms beside ${ideal.toFixed(0)} ms for ${late.requests} requests, ${ratio(late.wallMs, ideal)}   (goal 1.2)
from process start to the first request: ${(few.firstRequestMs / 1000).toFixed(2)} s   (goal 0.25 s); --version takes ${(versionMs / 1000).toFixed(2)} s`);
  } finally {
    for (const child of receivers) child.kill();
    await rm(folder, { recursive: true });
  }
}

async function measured(profileFile) {
  const child = fork(self, ["measure", profileFile]);
  const [figuresOfRun] = await once(child, "message");
  return figuresOfRun;
}

function figures({ verdict, requests, wallMs, peakMiB }) {
  return `${verdict}, ${requests} requests, ${wallMs.toFixed(0)} ms, peak ${peakMiB.toFixed(0)} MiB`;
}

function ratio(a, b) {
  return (a / b).toFixed(2);
}
