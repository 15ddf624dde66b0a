const FAR_MS = 50;

/**
 * What is measured, in the order in which it is shown. `measure` is given the bench (see bench.mjs) and the tree that it
 * measures, and returns one number, less of which is better. Each is a ratio, so that it says the same on other machines;
 * what takes a receiver far away is measured in its delay.
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
    name: "a list of 100,000 organizations ÷ one of 100",
    goal: 1.05,
    async measure(bench, root) {
      const many = await bench.certify(root, { organizations: 100_000 });
      const few = await bench.certify(root);
      return many.durationMs / few.durationMs;
    },
  },
];
