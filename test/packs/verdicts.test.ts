import { beforeAll, expect, test } from "vitest";

import { gateOf, passGate } from "../../src/cli/gate.ts";
import {
  certify,
  definePack,
  defineRule,
  phrase,
  render,
  type Report,
  verify,
} from "../../src/index.ts";
import { startReference } from "../../src/reference/index.ts";
import { BUNDLED_JWKS } from "../support/run-against.ts";

/** A pack whose one rule the reference receiver violates. */
const house = definePack({
  id: "house",
  version: "2",
  title: "House rules 2",
  requirements: [
    { id: "house.greeting", clause: "House rules, 1", level: "MUST", text: "A view greets." },
  ],
  rules: [
    defineRule({
      id: "house.greets",
      title: "A view greets",
      level: "MUST",
      verifies: ["house.greeting"],
      cases: () => [
        {
          id: "header@viewOrganization",
          operation: "viewOrganization",
          async judge(probe) {
            const { reply, exchange } = await probe.control("viewOrganization");
            const evidence = { probes: [exchange] };
            return reply.headers["x-greeting"] === undefined
              ? {
                  kind: "fail",
                  expected: phrase`a greeting`,
                  actual: phrase`none`,
                  evidence,
                }
              : { kind: "pass", evidence };
          },
        },
      ],
    }),
  ],
});

let alone: Report;
let both: Report;
beforeAll(async () => {
  const receiver = await startReference({ jwks: BUNDLED_JWKS });
  try {
    const { profile } = receiver;
    alone = await certify({ profile, seed: 1, patterns: ["receiver.issuer"] });
    both = await certify({
      profile,
      seed: 1,
      patterns: ["receiver.issuer", "house.*"],
      packs: [house],
    });
  } finally {
    await receiver.close();
  }
});

test("a pack changes neither the verdict on the contract nor what is sent for it", () => {
  expect(both.verdict).toBe(alone.verdict);
  expect(both.requests).toBe(alone.requests);
  expect(both.counts).toEqual(alone.counts);
  expect(both.rules.map(({ id }) => id)).toEqual(["receiver.issuer"]);
});

test("a pack has a verdict of its own, and the exit code is the worst", () => {
  const [pack] = both.packs ?? [];
  expect(pack?.verdict).toBe("non-conformant");
  expect(pack?.verdictText).toMatch(
    /^House rules 2: not conformant\. 1 MUST case of 1 rule failed/,
  );
  const gate = gateOf({});
  expect([passGate(alone, gate).code, passGate(both, gate).code]).toEqual([0, 1]);
});

test("every format has what the pack found", () => {
  for (const format of ["html", "markdown", "junit"] as const) {
    expect(render(alone, format)).not.toContain("House rules");
    expect(render(both, format)).toContain("House rules 2");
    expect(render(both, format)).toContain("house.greets");
  }
  const { runs } = JSON.parse(render(both, "sarif")) as {
    runs: { automationDetails?: { id: string }; results: { ruleId: string }[] }[];
  };
  expect(runs.map(({ automationDetails }) => automationDetails?.id)).toEqual([
    undefined,
    "House rules 2/",
  ]);
  expect(runs[1]?.results.map(({ ruleId }) => ruleId)).toEqual(["house.greets"]);
  expect(render(both, "badge")).toContain("House rules 2: not conformant");
});

test("verify judges a pack again, and says which one it does not know", async () => {
  expect(await verify(both, { packs: [house] })).toMatchObject({
    consistent: true,
    discrepancies: [],
  });
  expect(await verify(both)).toMatchObject({ consistent: true, unknownPacks: ["House rules 2"] });
  const [pack] = both.packs ?? [];
  const forged = { ...both, packs: [{ ...pack, verdict: "conformant" }] };
  const { discrepancies } = await verify(forged, { packs: [house] });
  expect(discrepancies.map(({ where }) => where)).toContain("/packs/0/verdict");
});

test("a deployment that is gone when the pack begins leaves the verdict on the contract", async () => {
  const receiver = await startReference({ jwks: BUNDLED_JWKS });
  let closed: Promise<void> | undefined;
  const report = await certify({
    profile: receiver.profile,
    patterns: ["receiver.issuer", "house.*"],
    packs: [house],
    onEvent(event) {
      if (event.type === "run-finished") closed ??= receiver.close();
    },
  });
  await closed;
  expect(report.verdict).toBe("partial");
  expect(report.packs?.map(({ verdict }) => verdict)).toEqual(["incomplete"]);
});

test.each([
  ["an id of the contract", { id: "receiver" }, /is that of the contract's own rules/],
  ["a requirement without a rule", { rules: [] }, /no rule verifies `house\.greeting`/],
  ["a rule of another name", { id: "home" }, /`house\.greets` does not begin with `home\.`/],
])("definePack refuses %s", (_what, change, problem) => {
  const { title: _title, ...definition } = house;
  let problems: readonly string[] = [];
  try {
    definePack({ ...definition, ...change });
  } catch (error) {
    problems = (error as { problems: readonly string[] }).problems;
  }
  expect(problems.join("\n")).toMatch(problem);
});
