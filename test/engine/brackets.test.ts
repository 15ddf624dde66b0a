import { describe, expect, test } from "vitest";

import {
  accepting,
  BAD,
  type Behaviour,
  HARMLESS,
  refusal,
  refusing,
  refusingMany,
  runTiny,
  type TinyRun,
} from "./tiny.ts";

const OPEN = { status: 200, body: {} };

/** Refuses controls on the view after any other request. */
function closing(rest: Behaviour = () => undefined): Behaviour {
  let asked = false;
  return (call) => {
    asked ||= call.isBad || call.claims?.["harmless"] === true;
    return call.isControl && asked ? refusal(401) : rest(call);
  };
}

function outcomesOf({ results }: TinyRun): unknown[] {
  return results.map(({ id, outcome }) => [id.replace(/@.*/, ""), outcome]);
}

function controlsOn(id: string, { calls }: TinyRun): number {
  return calls.filter(({ isControl, operation }) => isControl && operation === id).length;
}

describe("a control that is accepted before the probes and refused after them", () => {
  test("makes rejected probes inconclusive", async () => {
    const ran = await runTiny([refusing()], { behaviour: closing() });
    expect(outcomesOf(ran)).toEqual([["tiny.refusing/bad", "inconclusive"]]);
    expect(ran.results[0]?.reason).toBe(
      "the control on viewOrganization, accepted before, was not accepted after: 401 Unauthorized",
    );
    expect(ran.results[0]?.evidence?.controls).toHaveLength(2);
  });

  test("is not sent again for a case that judges answers by themselves", async () => {
    const rule = refusing(undefined, {
      cases: () => [{ id: "bad", operation: "viewOrganization", control: { bracket: "before" } }],
    });
    const ran = await runTiny([rule], { behaviour: closing() });
    expect(outcomesOf(ran)).toEqual([["tiny.refusing/bad", "pass"]]);
    expect(ran.results[0]?.evidence?.controls).toHaveLength(1);
  });

  test("makes refused harmless tokens inconclusive", async () => {
    const ran = await runTiny([accepting()], {
      behaviour: closing(({ claims }) => (claims?.["harmless"] ? refusal(401) : undefined)),
    });
    expect(outcomesOf(ran)).toEqual([["tiny.accepting/harmless", "inconclusive"]]);
  });

  test("makes them inconclusive, though it was accepted at once after them", async () => {
    const ran = await runTiny([accepting()], {
      // The first one, and one after each of two tries.
      behaviour: ({ isControl, ofCase, claims }) =>
        claims?.["harmless"] || (isControl && ofCase > 3) ? refusal(401) : undefined,
    });
    expect(outcomesOf(ran)).toEqual([["tiny.accepting/harmless", "inconclusive"]]);
    expect(ran.results[0]?.reason).toMatch(/^the control on viewOrganization, accepted before/);
  });

  test("does not change a failure: an accepted probe stays a failure", async () => {
    const ran = await runTiny([refusing(), accepting()], {
      behaviour: closing(({ isBad }) => (isBad ? OPEN : undefined)),
    });
    expect(outcomesOf(ran)).toEqual([
      ["tiny.refusing/bad", "fail"],
      ["tiny.accepting/harmless", "inconclusive"],
    ]);
  });

  test("makes a probe that was accepted only once inconclusive", async () => {
    const ran = await runTiny([refusing()], {
      behaviour: closing(({ isBad, ofCase }) => (isBad && ofCase === 1 ? OPEN : undefined)),
    });
    expect(outcomesOf(ran)).toEqual([["tiny.refusing/bad", "inconclusive"]]);
    expect(ran.results[0]).toMatchObject({
      flaky: true,
      reason: expect.stringMatching(/^the control on viewOrganization, accepted before/),
    });
  });

  test("counts where only the first of two tries rested on it", async () => {
    const moving = refusing(["viewOrganization"], {
      judge: (probe) =>
        probe.rejects(BAD, {
          operation: probe.confirming ? "readChangesFeed" : "viewOrganization",
        }),
    });
    const onView = closing(({ isBad }) => (isBad ? OPEN : undefined));
    const ran = await runTiny([moving], {
      behaviour: (call) => (call.operation === "viewOrganization" ? onView(call) : undefined),
    });
    expect(outcomesOf(ran)).toEqual([["tiny.refusing/bad", "inconclusive"]]);
  });

  test("affects only its own operation", async () => {
    const close = closing();
    const ran = await runTiny([refusing(["viewOrganization", "readChangesFeed"])], {
      behaviour: (call) => (call.operation === "viewOrganization" ? close(call) : undefined),
    });
    expect(ran.outcomes).toEqual({
      "tiny.refusing/bad@viewOrganization": "inconclusive",
      "tiny.refusing/bad@readChangesFeed": "pass",
    });
    // It is not searched anew because the one on the other operation was refused.
    expect(controlsOn("readChangesFeed", ran)).toBe(4);
  });

  test("is searched again by the next batch", async () => {
    let controls = 0;
    const ran = await runTiny([refusingMany(130, ["viewOrganization"])], {
      // The second one is that after the first batch.
      behaviour: ({ isControl }) => (isControl && ++controls === 2 ? refusal(401) : undefined),
    });
    const outcomes = ran.results.map(({ outcome }) => outcome);
    // The cases of the first batch are tried once more at the end.
    expect(new Set(outcomes)).toEqual(new Set(["pass"]));
  });
});

test.each([
  ["without an answer", "hang"],
  ["with 503", { status: 503 }],
] as const)(
  "a control that ends %s once is sent again before its probes count as inconclusive",
  async (_what, answer) => {
    let controls = 0;
    const ran = await runTiny([refusing()], {
      behaviour: ({ isControl }) => (isControl && ++controls % 2 ? answer : undefined),
      timesOut: true,
    });
    expect(outcomesOf(ran)).toEqual([["tiny.refusing/bad", "pass"]]);
  },
);

describe("when no control is accepted", () => {
  test("no probe is sent, and its cases are inconclusive", async () => {
    const ran = await runTiny([refusing(), accepting()], { behaviour: () => refusal(403) });
    expect(outcomesOf(ran)).toEqual([
      ["tiny.refusing/bad", "inconclusive"],
      ["tiny.accepting/harmless", "inconclusive"],
    ]);
    expect(ran.calls.filter(({ caseId }) => caseId.startsWith("tiny."))).toEqual([]);
    expect(ran.results[0]?.reason).toBe(
      "the control, a good token on viewOrganization, was not accepted: 403 Forbidden",
    );
    expect(ran.finished.verdict).toBe("incomplete");
  });
});

test("one control before and one after bracket all probes of an operation", async () => {
  const ran = await runTiny([refusing(), accepting()]);
  expect(ran.calls.map(({ caseId }) => caseId)).toEqual([
    "preflight/reachable",
    "control/viewOrganization",
    expect.stringContaining("tiny."),
    expect.stringContaining("tiny."),
    "control/viewOrganization",
  ]);
});

test("a probe differs from its control only in the mutation", async () => {
  const { calls } = await runTiny([accepting(["editOrganization"])], {
    // One second for all, so that the times in the tokens are the same.
    concurrency: 1,
  });
  const control = calls.find(({ caseId }) => caseId === "control/editOrganization");
  const probe = calls.find(({ claims }) => claims?.["harmless"]);
  expect(probe?.header).toEqual(control?.header);
  const { iat: _iat, exp: _exp, ...claims } = control?.claims ?? {};
  expect(probe?.claims).toMatchObject({ ...claims, ...(HARMLESS.token?.claims as object) });
  expect(Object.keys(probe?.claims ?? {})).toHaveLength(
    Object.keys(control?.claims ?? {}).length + 1,
  );
  expect([probe?.method, probe?.path]).toEqual([control?.method, control?.path]);
});
