import { afterAll, beforeAll, test } from "vitest";

import { startVictim, type Victim } from "./attack.ts";
import { HOSTILE_DOCUMENTS } from "./documents.ts";
import { LEAKS, leaksIn } from "./leaks.ts";
import { HOSTILE_TARGETS, type HostileTarget } from "./targets.ts";

// The built command, as `npm test` has just built it: what counts is the memory of the whole process.

const MOST_MEBIBYTES = 250;
/** Rules of every kind, a few of each: `npm run attacks` tries them all. Every request of a walk through pages costs much. */
const RULES = [
  "routes.*",
  "errors.shape/viewOrganization",
  "pagination.totals/*listOrganizations",
  "resources.feed",
];

let victim: Victim;
beforeAll(async () => {
  victim = await startVictim();
});
afterAll(() => victim.close());

const quick = (target: HostileTarget): boolean => target.thorough === undefined;

// Most of them wait for answers that never end.
test.concurrent.for(
  [...HOSTILE_TARGETS, ...LEAKS].filter(quick).map((target) => [target.name, target] as const),
)("%s: the run ends with a verdict and needs at most 250 MiB", async ([, target], { expect }) => {
  const rules = target.rule === undefined ? (target.testedBy ?? RULES) : [target.rule];
  const args = rules.flatMap((rule) => ["--rule", rule]);
  const { code, peakMiB, out, err, report, reports, mode } = await victim.attack(target, args);
  const said = out + err;
  expect([code, said]).toEqual([
    // A target that never answers has no verdict.
    expect.toBeOneOf(target.rule === undefined ? [0, 1, 3] : [1, 2, 3]),
    expect.not.stringMatching(/^\s+at /m) as string,
  ]);
  expect(peakMiB).toBeLessThan(MOST_MEBIBYTES);
  expect(leaksIn(reports + said, target.secrets ?? [])).toEqual([]);
  expect(target.secrets === undefined || reports.includes("[redacted]")).toBe(true);
  // Windows has no such permissions.
  if (process.platform !== "win32" && report !== undefined) expect(mode).toBe(0o600);
  const { verdict } = JSON.parse(report ?? "{}") as { verdict?: string };
  expect(verdict === undefined).toBe(code === 2);
  // oxlint-disable-next-line no-control-regex
  expect(said).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/);
});

test.concurrent.for(
  HOSTILE_DOCUMENTS.filter(quick).map((target) => [target.name, target] as const),
)(
  "%s: the command ends with a verdict or an error and needs at most 250 MiB",
  async ([, target], { expect }) => {
    const args = ["--rule", "document.responses/success@viewOrganization"];
    const { code, peakMiB, out, err, report } = await victim.attack(target, args);
    expect([code, out + err]).toEqual([
      expect.toBeOneOf([0, 2, 3]),
      expect.not.stringMatching(/^\s+at |a bug in the suite/m) as string,
    ]);
    expect(peakMiB).toBeLessThan(MOST_MEBIBYTES);
    expect(report === undefined).toBe(code === 2);
  },
);
