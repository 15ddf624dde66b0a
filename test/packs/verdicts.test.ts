import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { beforeAll, expect, test } from "vitest";

import { testResult } from "../../src/attest/statement.ts";
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
import { compareReports } from "../../src/report/compare.ts";
import { comparisonPage } from "../../src/report/comparison-page.ts";
import { reportJson } from "../../src/report/json.ts";
import { createPage } from "../../src/report/layout.ts";
import { command, createIo } from "../cli/io.ts";
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

test("comparing reports shows the verdicts of packs, and what changed in them", () => {
  const [pack] = both.packs ?? [];
  if (!pack) throw new Error("the run had a pack");
  const mended = {
    ...both,
    packs: [
      {
        ...pack,
        verdict: "conformant" as const,
        rules: pack.rules.map((rule) => ({
          ...rule,
          cases: rule.cases.map((one) => ({ ...one, outcome: "pass" as const })),
        })),
      },
    ],
  };
  const compared = compareReports(["a", "b"], [both, mended]);
  expect(compared.outcomes.map(({ id, values }) => [id, values])).toEqual([
    ["house.greets/header@viewOrganization", ["fail", "pass"]],
  ]);
  const text = comparisonPage(createPage(100, false), compared).join("\n");
  expect(text).toMatch(/#1 +partial; House rules 2: non-conformant/);
  expect(text).toMatch(/#2 +partial; House rules 2: conformant/);
  const given = compareReports(["a", "b"], [alone, both]).given.find(
    ({ title }) => title === "packs",
  );
  expect(given?.values).toEqual(["none", "House rules 2"]);
});

test("a statement names each pack with its version and verdict, and has the result of the contract", () => {
  const whole = { ...both, partial: false, verdict: "conformant" as const };
  const { result, configuration } = testResult(whole, "0".repeat(64));
  expect(result).toBe("PASSED");
  expect(configuration.at(-1)).toMatchObject({
    name: "pack house",
    annotations: { title: "House rules 2", version: "2", verdict: "non-conformant" },
  });
  const [pack] = whole.packs ?? [];
  const broken = { ...whole, packs: pack && [{ ...pack, suiteErrors: ["a rule threw"] }] };
  expect(() => testResult(broken, "0".repeat(64))).toThrow(/did not finish/);
});

test("attest refuses a pack that it cannot judge again", async () => {
  const io = createIo();
  const whole = { ...both, partial: false, verdict: "conformant" as const };
  writeFileSync(join(io.cwd, "report.json"), reportJson(whole));
  const { code, err } = await command(["attest", "report.json", "--predicate", "p.json"], io);
  expect(code).toBe(2);
  expect(err).toContain("cannot be judged again, nor attested: House rules 2");
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
