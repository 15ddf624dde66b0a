import { describe, expect, test } from "vitest";

import type { OperationId } from "../../src/contract/operations.ts";
import { exitCode } from "../../src/engine/judge.ts";
import type { InvalidMutation } from "../../src/mutations/mutation.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Rule } from "../../src/probe/rule.ts";
import {
  accepting,
  type Answer,
  BAD,
  MISSING,
  refusal,
  refusing,
  returning,
  runTiny,
  type TinyRun,
  VIOLATED,
} from "./tiny.ts";

const CASE = "tiny.refusing/bad@viewOrganization";

/** Runs the rule against a receiver that gives these answers to bad tokens, in order. */
async function badAnswered(
  ...answers: readonly (Answer | "hang")[]
): Promise<TinyRun & { result: TinyRun["results"][number] | undefined; sent: number }> {
  const ran = await runTiny([refusing()], {
    behaviour: ({ isBad, ofCase }) =>
      isBad ? answers[Math.min(ofCase, answers.length) - 1] : undefined,
    timesOut: true,
  });
  const sent = ran.calls.filter(({ isBad }) => isBad).length;
  return { ...ran, result: ran.results[0], sent };
}

const ACCEPTED = { status: 200, body: {} };

describe("an answer to a request that must be refused", () => {
  test.each([400, 401, 403, 404, 405, 410, 422, 431, 499])("%i is a rejection", async (status) => {
    const { result, sent, finished } = await badAnswered(refusal(status));
    expect([result?.outcome, sent, finished.verdict]).toEqual(["pass", 1, "conformant"]);
  });

  test.each([200, 201, 202, 204, 206, 299])(
    "%i is not a rejection, and is confirmed",
    async (status) => {
      const { result, sent, finished } = await badAnswered({ status });
      expect([result?.outcome, sent, finished.verdict]).toEqual(["fail", 2, "non-conformant"]);
      expect(result?.expected).toBe("the request is rejected with a 4xx");
      expect(result?.actual).toMatch(new RegExp(`^${status}`));
      expect(result?.evidence).toEqual({
        probes: [`${CASE}~1`, `${CASE}~2`],
        controls: [
          "control/viewOrganization-bound~1",
          "control/viewOrganization-bound-ahead-1-1-failing-tiny.refusing~1",
        ],
        differences: [{ part: "claim", name: "bad", probe: true }],
      });
    },
  );

  test.each([300, 301, 302, 307, 399])("%i is a failure if it repeats", async (status) => {
    const { result, sent } = await badAnswered({ status, headers: { location: "/" } });
    expect([result?.outcome, sent]).toEqual(["fail", 2]);
  });

  test.each([500, 501, 505, 599, 999])(
    "%i does not accept the request: a warning",
    async (status) => {
      const { result, finished } = await badAnswered({ status });
      expect([result?.outcome, finished.verdict]).toEqual(["warn", "conformant"]);
    },
  );

  test.each<Answer | "hang">([
    { status: 408 },
    { status: 425 },
    { status: 429, headers: { "retry-after": "0" } },
    { status: 429, headers: { "retry-after": "3600" } },
    { status: 502 },
    { status: 503 },
    { status: 503, headers: { "retry-after": "0" } },
    { status: 504 },
    "hang",
  ])("%j shows nothing: inconclusive", async (answer) => {
    const { result, finished } = await badAnswered(answer);
    expect([result?.outcome, finished.verdict]).toEqual(["inconclusive", "incomplete"]);
    expect(result?.reason).toMatch(/^(408|425|429|502|503|504|no answer within the time limit)/);
  });

  test("with a long Retry-After is reported with that time", async () => {
    const { result } = await badAnswered({ status: 429, headers: { "retry-after": "3600" } });
    expect(result?.reason).toBe("429 Too Many Requests, Retry-After: 3600");
  });
});

describe("two tries that disagree are inconclusive and flaky", () => {
  test.each<[string, Answer, Answer]>([
    ["redirected, then refused", { status: 302 }, refusal(401)],
    ["broken, then refused", { status: 500 }, refusal(401)],
    ["broken, then redirected", { status: 500 }, { status: 302 }],
  ])("%s", async (_what, first, second) => {
    const { result, sent } = await badAnswered(first, second);
    expect([result?.outcome, result?.flaky, sent]).toEqual(["inconclusive", true, 2]);
    expect(result?.reason).toMatch(/^two tries disagree: /);
    expect(result?.evidence?.probes).toHaveLength(sent);
  });

  test.each<[string, Answer, Answer, string]>([
    ["accepted, then refused", ACCEPTED, refusal(401), "200 OK, then as required"],
    ["accepted, then broken", ACCEPTED, { status: 500 }, "200 OK, then 500 Internal Server Error"],
    ["broken, then accepted", { status: 500 }, ACCEPTED, "500 Internal Server Error, then 200 OK"],
  ])("except that one acceptance is proof: %s", async (_what, first, second, actual) => {
    const { result, sent, finished, exchanges } = await badAnswered(first, second);
    expect([result?.outcome, result?.flaky, sent]).toEqual(["fail", true, 2]);
    expect([result?.actual, finished.verdict]).toEqual([actual, "non-conformant"]);
    // The one that decided comes last.
    const last = exchanges.find(({ id }) => id === result?.evidence?.probes.at(-1));
    expect(last?.response?.status).toBe(200);
    expect(result?.evidence?.probes).toHaveLength(2);
    expect(result?.evidence?.controls).toHaveLength(2);
  });

  test.each([
    ["expiry", "inconclusive"],
    ["audience", "fail"],
  ] as const)(
    "one acceptance that is not repeated is proof unless the check depends on time: %s, %s",
    async (...row) => {
      const [check, outcome] = row;
      const mutation: InvalidMutation = {
        ...BAD,
        refused: { ...BAD.refused, check, why: "", source: "" },
      };
      const rule = refusing(["viewOrganization"], { judge: (probe) => probe.rejects(mutation) });
      const { results } = await runTiny([rule], {
        behaviour: ({ isBad, ofCase }) => (isBad && ofCase === 1 ? ACCEPTED : undefined),
      });
      expect([results[0]?.outcome, results[0]?.flaky]).toEqual([outcome, true]);
    },
  );

  test("a failure that was seen many times is not tried again", async () => {
    const rule = refusing(["viewOrganization"], {
      async judge(probe) {
        const finding = await probe.rejects(BAD);
        return finding.kind === "fail" ? { ...finding, certainty: "many" } : finding;
      },
    });
    const { results, calls } = await runTiny([rule], {
      behaviour: ({ isBad, ofCase }) => (isBad && ofCase === 1 ? ACCEPTED : undefined),
    });
    expect([results[0]?.outcome, results[0]?.flaky]).toEqual(["fail", undefined]);
    expect(calls.filter(({ isBad }) => isBad)).toHaveLength(1);
  });

  test("a rejection is not tried again", async () => {
    const { result, sent } = await badAnswered(refusal(401), ACCEPTED);
    expect([result?.outcome, result?.flaky, sent]).toEqual(["pass", undefined, 1]);
  });
});

test("a try that shows nothing does not confirm, and is repeated once", async () => {
  const confirmed = await badAnswered(ACCEPTED, { status: 408 }, ACCEPTED);
  expect([confirmed.result?.outcome, confirmed.sent]).toEqual(["fail", 3]);
  const proof = await badAnswered(ACCEPTED, { status: 408 });
  expect([proof.result?.outcome, proof.result?.flaky, proof.sent]).toEqual(["fail", undefined, 3]);
  const open = await badAnswered({ status: 302 }, { status: 408 });
  expect([open.result?.outcome, open.result?.flaky, open.sent]).toEqual([
    "inconclusive",
    undefined,
    3,
  ]);
  expect(open.result?.reason).toBe(
    "seen once and not confirmed: 302 Found, then 408 Request Timeout",
  );
});

test("a refused harmless token is a failure, whether with 401, 302 or 500", async () => {
  for (const status of [401, 302, 500]) {
    const { outcomes } = await runTiny([accepting()], {
      behaviour: ({ claims }) => (claims?.["harmless"] ? { status } : undefined),
    });
    expect(outcomes).toEqual({ "tiny.accepting/harmless@viewOrganization": "fail" });
  }
});

test.each<Answer | "hang">([{ status: 408 }, { status: 425 }, { status: 503 }, "hang"])(
  "%j to a harmless token says nothing, however often",
  async (answer) => {
    const { outcomes, finished } = await runTiny([accepting()], {
      behaviour: ({ claims }) => (claims?.["harmless"] ? answer : undefined),
      timesOut: true,
    });
    expect(outcomes).toEqual({ "tiny.accepting/harmless@viewOrganization": "inconclusive" });
    expect(finished.verdict).toBe("incomplete");
  },
);

describe("only one rule is blamed for a fault", () => {
  const every: readonly OperationId[] = ["viewOrganization", "readChangesFeed"];
  const dependent = (dependsOn: readonly string[]) =>
    accepting(every, {
      id: "tiny.dependent",
      dependsOn,
      judge: (probe) =>
        probe.rejects({ name: "x", what: "", token: { claims: { harmless: true } } }),
    });

  test.each([["tiny.refusing"], ["tiny.refusing/bad"], [CASE]])(
    "if %s has failed, cases of dependent rules are inconclusive",
    async (name) => {
      const { results } = await runTiny([refusing(every), dependent([name])], {
        behaviour: ({ isBad, operation }) =>
          isBad && operation === "viewOrganization" ? ACCEPTED : undefined,
      });
      expect(results.map(({ outcome, blamedOn }) => [outcome, blamedOn])).toEqual([
        ["fail", undefined],
        ["pass", undefined],
        ["inconclusive", "tiny.refusing"],
        ["fail", undefined],
      ]);
      const blamed = results[2];
      expect(blamed?.reason).toBe(
        "proves nothing: tiny.refusing already failed on viewOrganization",
      );
      expect([blamed?.expected, blamed?.actual]).toEqual([undefined, undefined]);
    },
  );

  test("no case is blamed on a warning", async () => {
    const warning = refusing(every, { level: "SHOULD" });
    const { results } = await runTiny([warning, dependent(["tiny.refusing"])], {
      behaviour: ({ isBad }) => (isBad ? ACCEPTED : undefined),
    });
    expect(results.map(({ outcome }) => outcome)).toEqual(["warn", "warn", "fail", "fail"]);
  });
});

test("a rule that throws is a fault of the suite, whatever else was found", async () => {
  const broken = refusing(["viewOrganization"], {
    id: "tiny.broken",
    judge: () => Promise.reject(new Error("cannot read properties of undefined")),
  });
  const { finished, outcomes } = await runTiny([refusing(), broken], {
    behaviour: ({ isBad }) => (isBad ? ACCEPTED : undefined),
  });
  expect(outcomes).toEqual({ [CASE]: "fail", "tiny.broken/bad@viewOrganization": "inconclusive" });
  expect(finished.suiteErrors).toEqual([
    "tiny.broken/bad@viewOrganization: cannot read properties of undefined",
  ]);
  expect(exitCode(finished)).toBe(2);
});

async function textOf(...rules: readonly Rule[]): Promise<string> {
  return (await runTiny(rules)).finished.verdictText;
}

describe("the verdict", () => {
  const pass = returning("pass", "MUST", { kind: "pass" });
  const fail = returning("fail", "MUST", VIOLATED);
  const open = returning("open", "MUST", { kind: "inconclusive", reason: phrase`why` });
  const missing = returning("missing", "MUST", MISSING);

  test.each([
    ["nothing but passes", [pass], "conformant", 0],
    ["a fail among the undecided", [open, fail, missing], "non-conformant", 1],
    ["an undecided MUST", [pass, open], "incomplete", 3],
    ["a MUST for which the profile has nothing", [pass, missing], "incomplete", 3],
    [
      "an undecided SHOULD",
      [pass, returning("s", "SHOULD", { kind: "inconclusive", reason: phrase`` })],
      "conformant",
      0,
    ],
    ["a missing SHOULD", [pass, returning("s", "SHOULD", MISSING)], "conformant", 0],
    ["a warning", [returning("s", "SHOULD", VIOLATED)], "conformant", 0],
    [
      "an observation",
      [pass, returning("o", "MUST", { kind: "observed", value: phrase`x` })],
      "conformant",
      0,
    ],
    [
      "what does not apply",
      [returning("n", "MUST", { kind: "not-applicable", reason: phrase`` })],
      "conformant",
      0,
    ],
  ] as const)("of %s", async (_what, rules, verdict, code) => {
    const { finished } = await runTiny(rules);
    expect(finished.verdict).toBe(verdict);
    expect(exitCode(finished)).toBe(code);
    expect(exitCode(finished, { acceptIncomplete: true })).toBe(code === 3 ? 0 : code);
    expect(exitCode(finished, { requireConformant: true })).toBe(code);
    const left = finished.verdict === "conformant" ? ("partial" as const) : finished.verdict;
    expect(exitCode({ ...finished, verdict: left }, { requireConformant: true })).toBe(code || 3);
  });

  test("is explained in a sentence", async () => {
    const rest = " The verdict covers the receiver only, not its authorization server.";
    expect(await textOf(pass)).toBe(`Conformant. Every MUST that applies holds.${rest}`);
    const should = returning("should", "SHOULD", VIOLATED);
    const capped = returning("capped", "MUST", { ...VIOLATED, atMost: "SHOULD" });
    expect(await textOf(pass, should)).toBe(
      `Conformant. Every MUST that applies holds. 1 case broke a SHOULD (see Warnings).${rest}`,
    );
    expect(await textOf(pass, should, capped)).toBe(
      `Conformant. No MUST is violated. 2 cases broke a SHOULD (see Warnings).${rest}`,
    );
    expect(await textOf(pass, fail)).toBe(`Not conformant. 1 MUST case of 1 rule failed.${rest}`);
    expect(await textOf(open, missing)).toBe(
      `Incomplete. No MUST that was judged is violated. 2 MUST cases could not be judged.${rest}`,
    );
  });

  test("names what the profile lacks", async () => {
    const { results } = await runTiny([missing]);
    expect(results[0]).toMatchObject({
      outcome: "not-provisioned",
      missing: ["denied"],
      reason: "the profile lacks denied",
    });
  });
});

test("the exit code tells of an interruption before anything else", () => {
  const suiteErrors = ["x"];
  expect(exitCode({ interrupted: true, suiteErrors, verdict: "non-conformant" })).toBe(130);
});
