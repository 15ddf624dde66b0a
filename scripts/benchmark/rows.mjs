import { fileURLToPath } from "node:url";

const FAR_MS = 50;
/** A case without any waiting time. */
const ONE_CASE = "routes.reachable/viewOrganization";
/** Nothing listens here, so a request fails quickly. */
const NOBODY = "http://127.0.0.1:1";
const script = (name) => fileURLToPath(new URL(name, import.meta.url));

/**
 * The rows of the benchmark, in the order of display. `measure` takes the bench (see bench.mjs) and the
 * tree to measure, and returns one number; lower is better. The number is a ratio where possible, so that
 * it is comparable between machines. Runs against a remote receiver are measured in units of its delay.
 */
export const ROWS = [
  {
    name: "a run, receiver 50 ms away ÷ (requests × 50 ms ÷ 8)",
    goal: 1.15,
    async measure(bench, root) {
      const { durationMs, requests } = await bench.certify(root, { delayMs: FAR_MS });
      return durationMs / ((requests * FAR_MS) / 8);
    },
  },
  {
    name: "the same with 64 in flight, in round trips",
    goal: 70,
    async measure(bench, root) {
      const { durationMs } = await bench.certify(root, { delayMs: FAR_MS, concurrency: 64 });
      return durationMs / FAR_MS;
    },
  },
  {
    name: "a run ÷ its requests by undici alone, loopback",
    goal: 1.6,
    async measure(bench, root) {
      const { durationMs, replayMs } = await bench.certify(root, { replay: true });
      return durationMs / replayMs;
    },
  },
  {
    name: "start to first request ÷ a script with undici",
    goal: 1.8,
    async measure(bench, root) {
      const ours = await bench.certify(root, { rule: ONE_CASE, document: false });
      const bare = await bench.timed(script("one-request.mjs"), NOBODY);
      return ours.firstRequestMs / bare.firstRequestMs;
    },
  },
  {
    name: "one case by id, start to exit ÷ node that does nothing",
    goal: 7,
    async measure(bench, root) {
      const ours = await bench.certify(root, { rule: ONE_CASE });
      const bare = await bench.timed(script("nothing.mjs"));
      return ours.wallMs / bare.wallMs;
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
    name: "CPU of a whole run in seconds, threads included",
    goal: 2.5,
    async measure(bench, root) {
      const { cpuMs } = await bench.certify(root);
      return cpuMs / 1000;
    },
  },
  {
    name: "a list of 100,000 organizations ÷ one of 100",
    goal: 1.05,
    async measure(bench, root) {
      const many = await bench.certify(root, { organizations: 100_000 });
      const few = await bench.certify(root);
      return many.durationMs / few.durationMs;
    },
  },
];
