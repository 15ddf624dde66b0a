import { fileURLToPath } from "node:url";

const FAR_MS = 50;
/** So far away that the CPU hardly counts, only the longest chain of requests does. */
const VERY_FAR_MS = 200;
/** A case without any waiting time. */
const ONE_CASE = "routes.reachable/viewOrganization";
const script = (name) => fileURLToPath(new URL(name, import.meta.url));

/**
 * The rows of the benchmark, in the order of display. `measure` takes the bench (see bench.mjs) and the
 * tree to measure, and returns one number; lower is better. It is a ratio or a count, so that it is comparable between machines: a
 * run against a remote receiver is measured in its round trips, and CPU against that of a replay of the same requests.
 */
export const ROWS = [
  ...[0.5, 0.9].map((share) => ({
    name: `requests until a case meets the fault, ${share * 100} % of the faults`,
    goal: share === 0.5 ? 400 : 950,
    async measure(bench, root) {
      const counts = (await bench.firstFailures(root)).toSorted((a, b) => a - b);
      return counts[Math.floor(share * counts.length)];
    },
  })),
  {
    name: "a run with defaults, receiver 50 ms away, in round trips",
    goal: 160,
    async measure(bench, root) {
      const { durationMs } = await bench.certify(root, { delayMs: FAR_MS, concurrency: "default" });
      return durationMs / FAR_MS;
    },
  },
  {
    name: "the same with 8 in flight ÷ (requests ÷ 8)",
    goal: 1.15,
    async measure(bench, root) {
      const { durationMs, requests } = await bench.certify(root, { delayMs: FAR_MS });
      return durationMs / ((requests * FAR_MS) / 8);
    },
  },
  {
    name: "the longest chain: 200 ms away, 64 in flight, in round trips",
    goal: 100,
    async measure(bench, root) {
      const far = { delayMs: VERY_FAR_MS, concurrency: 64 };
      const { durationMs } = await bench.certify(root, far);
      return durationMs / VERY_FAR_MS;
    },
  },
  {
    name: "one case by id, start to exit ÷ node that does nothing",
    goal: 4.5,
    async measure(bench, root) {
      const ours = await bench.certify(root, { rule: ONE_CASE });
      const bare = await bench.timed(script("nothing.mjs"));
      return ours.wallMs / bare.wallMs;
    },
  },
  {
    name: "the document's share of a run's CPU, in %",
    goal: 10,
    async measure(bench, root) {
      const { cpuMs } = await bench.certify(root);
      const without = await bench.certify(root, { document: false });
      return 100 * (1 - without.cpuMs / cpuMs);
    },
  },
  {
    name: "CPU of a run ÷ CPU of its requests by undici alone",
    goal: 8,
    async measure(bench, root) {
      const { cpuMs, replayCpuMs } = await bench.certify(root, { replay: true });
      return cpuMs / replayCpuMs;
    },
  },
  {
    name: "peak memory in MiB, a receiver without document",
    goal: 110,
    async measure(bench, root) {
      const { peakMiB } = await bench.certify(root, { document: false });
      return peakMiB;
    },
  },
  {
    name: "requests to a list of 100,000 organizations ÷ one of 100",
    goal: 1.05,
    async measure(bench, root) {
      const many = await bench.certify(root, { organizations: 100_000 });
      const few = await bench.certify(root);
      return many.requests / few.requests;
    },
  },
];
