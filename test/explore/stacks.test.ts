import { expect, test } from "vitest";

import { certify } from "../../src/certify.ts";
import { casesOf } from "../../src/report/report.ts";
import { EXAMPLES, startExample } from "../receivers/examples.ts";
import { STACKS } from "../receivers/stacks.ts";
import { BUNDLED, type RunningReceiver } from "../receivers/world.ts";

/** `EXPLORED=3000` explores as long as a run does. */
const FEW = 120;
const REQUESTS = Number(process.env["EXPLORED"] ?? FEW);

const RECEIVERS: readonly (readonly [name: string, start: () => Promise<RunningReceiver>])[] = [
  ...STACKS.map(({ name, start }) => [name, () => start(BUNDLED, "careful")] as const),
  ...EXAMPLES.map((one) => [one.name, () => startExample(one, BUNDLED)] as const),
];

test.each(RECEIVERS)(
  "exploration shows no MUST violation of %s, in its careful set-up",
  async (name, start) => {
    const receiver = await start();
    try {
      const report = await certify({
        profile: receiver.profile,
        seed: 1,
        explore: { only: true, requests: REQUESTS },
      });
      const told = casesOf(report).filter(
        ({ outcome }) => outcome === "fail" || outcome === "warn",
      );
      const lines = told.map(
        ({ id, title, outcome, actual }) => `${outcome} ${id}: ${title}; ${actual}`,
      );
      if (REQUESTS > FEW) console.log(name, JSON.stringify(report.exploration), lines);
      expect(lines.filter((line) => line.startsWith("fail"))).toEqual([]);
      expect(report.exploration?.judged).toBeGreaterThan(REQUESTS / 3);
    } finally {
      await receiver.close();
    }
  },
);
