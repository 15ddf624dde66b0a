import { expect, test } from "vitest";

import type { Mutation, MutationContext } from "../../src/mutations/mutation.ts";
import type { Finding } from "../../src/probe/finding.ts";
import type { Probe } from "../../src/probe/probe.ts";
import type { TokenDraft } from "../../src/tokens/draft.ts";
import { clockProblem, measuredSkew } from "../../suites/receiver/times/skew.ts";
import { worded } from "../support/worded.ts";

const OPERATION = "viewOrganization";

const finding = async (probe: Probe): Promise<Finding> =>
  (await measuredSkew(OPERATION).setup(probe)).finding;

interface Deployment {
  readonly skewSeconds: number;
  /** How far its clock is ahead of this machine's. */
  readonly aheadSeconds?: number;
  /** The same by its `Date` header; absent if it sends none. */
  readonly dateSeconds?: number | undefined;
  readonly status?: number;
}

/** A probe of a deployment that judges only by `exp`. */
function probing(deployment: Deployment): { probe: Probe; sent: number[] } {
  const { skewSeconds, aheadSeconds = 0, status = 401 } = deployment;
  const sent: number[] = [];
  const now = (): number => Math.floor(Date.now() / 1000) + aheadSeconds;
  const probe = {
    clockOffsetSeconds: "dateSeconds" in deployment ? deployment.dateSeconds : aheadSeconds,
    tryControl: async () => ({ control: { form: { clockOffsetSeconds: aheadSeconds } } }),
    attempt: async ({ token: { claims } = {} }: Mutation) => {
      const draft = { claims: { iat: now() - 60, exp: now() + 600 } } as unknown as TokenDraft;
      const patch = typeof claims === "function" ? claims(draft, {} as MutationContext) : {};
      expect(Number(patch["iat"])).toBeLessThan(Number(patch["exp"]));
      sent.push(now() - Number(patch["exp"]));
      const accepted = now() < Number(patch["exp"]) + skewSeconds;
      const exchange = { id: `x${sent.length}` };
      const reply = { status: accepted ? 200 : status, headers: {}, exchange };
      return { reply, evidence: { probes: [], controls: ["x0"] } };
    },
  };
  return { probe: probe as unknown as Probe, sent };
}

test.each([
  [0, /^none: refused from [12] s after `exp`$/],
  [5, /^accepted up to [345] s, refused from [456] s after `exp`$/],
  [60, /^accepted up to (58|59|60) s, refused from (59|60|61) s/],
  [300, /^accepted up to (298|299|300) s, refused from (299|300|301) s/],
  [600, /^accepted up to (598|599|600) s, refused from (599|600|601) s/],
  [7200, /^accepted up to 71[89]\d s, refused from 7(?:19\d|20\d|21\d) s/],
  [1e6, /^accepted up to 99\d{4} s, refused from 100\d{4} s/],
  [1e10, /^at least 157680000 s, the longest time that was tried$/],
])("a skew of %i s is measured with at most twenty tokens", async (skewSeconds, value) => {
  const { probe, sent } = probing({ skewSeconds });
  expect(worded(await finding(probe))).toMatchObject({
    kind: "observed",
    value: expect.stringMatching(value),
    evidence: { probes: sent.map((_, index) => `x${index + 1}`), controls: ["x0"] },
  });
  expect(sent.length).toBeLessThanOrEqual(20);
});

test("the skew is measured in the deployment's own time", async () => {
  const { probe, sent } = probing({ skewSeconds: 60, aheadSeconds: -5000 });
  expect(worded(await finding(probe))).toMatchObject({
    value: expect.stringMatching(/^accepted up to (58|59|60) s/),
  });
  expect(Math.min(...sent)).toBeGreaterThanOrEqual(0);
});

test.each([
  ["no Date header", { skewSeconds: 5, dateSeconds: undefined }, /no Date header/, 0],
  [
    "a Date that contradicts accepted tokens",
    { skewSeconds: 5, dateSeconds: 3600 },
    /3600 s away/,
    1,
  ],
  ["a Date years ahead", { skewSeconds: 5, dateSeconds: 3e10 }, /30000000000 s away/, 0],
])("the skew is not measured with %s", async (_name, deployment, reason, asked) => {
  const { probe, sent } = probing(deployment);
  expect(await clockProblem(probe, OPERATION)).toMatch(reason);
  expect(sent).toHaveLength(asked);
  const value = expect.stringMatching(reason);
  expect(worded(await finding(probe))).toMatchObject({ kind: "observed", value });
});

test("a clock that is a few seconds off counts as right", async () => {
  const { probe } = probing({ skewSeconds: 5, dateSeconds: 4 });
  expect(await clockProblem(probe, OPERATION)).toBeUndefined();
});

test("an answer that shows nothing about the token ends the measurement", async () => {
  const { probe, sent } = probing({ skewSeconds: 5, status: 503 });
  expect(worded(await finding(probe))).toMatchObject({ kind: "inconclusive" });
  expect(sent).toHaveLength(1);
});
