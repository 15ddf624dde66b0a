import {
  type Arbitrary,
  assert,
  asyncProperty,
  constantFrom,
  integer,
  nat,
  record,
} from "fast-check";
import { expect, test } from "vitest";

import { FAULTS, startReference } from "../../src/reference/index.ts";
import { reportFrom, reportJson } from "../../src/report/json.ts";
import { verifyReport } from "../../src/verify/verify.ts";
import { RULES } from "../../suites/index.ts";
import { drawnOneIn } from "../proof/selection.ts";
import { HANGS_MS } from "../support/hangs.ts";
import { BUNDLED_JWKS, type Ran, runAgainst, rulesWith } from "../support/run-against.ts";
import { readBack, told } from "../verify/reports.ts";
import { badLine, type BadLineOptions, TROUBLE_NAMES } from "./bad-line.ts";

/** How many bad lines are drawn: `LINES=100 npx vitest run test/stability/bad-line.test.ts` explores. */
const DRAWN = Number(process.env["LINES"] ?? 1);
/** The seed that they are drawn by; explorers choose one. */
const SEED = Number(process.env["SEED"] ?? 1);
/** What runs over a drawn line: all rules for explorers, and some that the commit draws. */
const OF_DRAWN = process.env["LINES"] === undefined ? drawnOneIn(3, RULES).map(({ id }) => id) : [];

/** One request in five is disturbed. Lost writes cannot be repeated, so few writes are. */
const USUAL: BadLineOptions["percents"] = {
  reset: 0.5,
  hangUp: 0.5,
  lost: 0.5,
  cut: 0.5,
  delay: 8,
  busy: 2,
  badGateway: 1,
  busyForNow: 3,
  tooMany: 4,
};

/** A run against the reference receiver over a bad line, and how much trouble there was. */
async function certify(
  bad: BadLineOptions,
  faults: readonly string[] = [],
  patterns: readonly string[] = [],
): Promise<Ran & { troubled: number }> {
  const reference = await startReference({ jwks: BUNDLED_JWKS, faults });
  const { origin, pathname } = new URL(reference.baseUrl);
  const line = await badLine(origin, bad);
  try {
    const profile = {
      ...reference.profile,
      audience: reference.baseUrl,
      baseUrl: line.origin + pathname,
      request: { timeoutMs: bad.percents.silence === undefined ? 60_000 : 1000 },
    };
    const ran = await runAgainst(profile, { patterns });
    expect(ran.finished.suiteErrors).toEqual([]);
    expect(told(await verifyReport(readBack(reportJson(reportFrom(ran.events))), RULES))).toEqual(
      [],
    );
    return { ...ran, troubled: line.troubled };
  } finally {
    await line.close();
    await reference.close();
  }
}

test.concurrent("an unreliable network causes no false alarm", async () => {
  const { results, finished, troubled } = await certify({ seed: 1, percents: USUAL });
  expect(troubled).toBeGreaterThan(finished.requests / 8);
  expect(rulesWith(results, "fail", "warn")).toEqual([]);
  expect(finished.setup).toEqual([]);
  // Most of the cases are still judged.
  const open = results.filter(({ outcome }) => outcome === "inconclusive");
  expect(open.length).toBeLessThan(results.length / 10);
});

const lines: Arbitrary<BadLineOptions> = record({
  seed: nat(),
  victims: constantFrom("all", "controls", "probes", "writes"),
  percents: record(
    Object.fromEntries(
      TROUBLE_NAMES.map((name) => [name, integer({ min: 0, max: name === "silence" ? 1 : 10 })]),
    ),
    { requiredKeys: [] },
  ),
});

test.concurrent(
  `${DRAWN} other unreliable networks cause no false alarm (seed ${SEED})`,
  async () => {
    const noFault = asyncProperty(lines, async (line) => {
      const { results } = await certify(line, [], OF_DRAWN);
      expect(rulesWith(results, "fail", "warn")).toEqual([]);
    });
    // A smaller line tells little more, and looking for one takes hours.
    await assert(noFault, { numRuns: DRAWN, seed: SEED, endOnFailure: true });
  },
  DRAWN * HANGS_MS,
);

test.concurrent("an unreliable network does not hide a fault or change its rule", async () => {
  const fault = FAULTS.find(({ rule }) => rule === "receiver.expiry");
  const { results } = await certify(
    { seed: 3, percents: USUAL },
    [fault?.name ?? ""],
    ["receiver.{expiry,issuer,audience,scope,binding,required-claims}"],
  );
  expect(rulesWith(results, "fail", "warn")).toEqual(["receiver.expiry"]);
});
