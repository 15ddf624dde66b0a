import { describe, expect, test } from "vitest";

import { type Plan, planRun } from "../../src/engine/plan.ts";
import type { CaseData, Rule } from "../../src/probe/rule.ts";
import { profileFromObject } from "../../src/profile/load.ts";
import type { Need } from "../../src/profile/need.ts";
import { resolveTarget } from "../../src/profile/resolve.ts";
import { OTHER, PRIMARY, returning, runTiny, type TinyRule } from "./tiny.ts";

const BODY = { mission: "x" };

/** A rule with one case, which passes where it is run at all. */
function ruleWith(testCase: Omit<CaseData, "id">, more: Partial<TinyRule> = {}): Rule {
  const cases = (): readonly CaseData[] => [{ id: "case", ...testCase }];
  return returning("needing", "MUST", { kind: "pass" }, { cases, ...more });
}

/** How the only case stands before anything is sent. */
function planned(rule: Rule, profile: Record<string, unknown>): Plan["cases"][number] | undefined {
  const target = resolveTarget({
    profile: profileFromObject({ baseUrl: "http://localhost:1/base", ...profile }),
  });
  return planRun(target, [rule], []).cases[0];
}

const lacking = (...keys: Need[]): object => ({ kind: "not-provisioned", keys });

describe("needs that only the profile can provide are known before anything is sent", () => {
  const organizations = { primary: PRIMARY };
  test.each(
    Object.entries<[Omit<CaseData, "id">, Record<string, unknown>, Need[]]>({
      "consent to writes": [{ operation: "editOrganization" }, { organizations }, ["writes"]],
      "an organization for writes, whatever the list shows": [
        { operation: "editOrganization" },
        { writes: true, operations: { editOrganization: { body: BODY } } },
        ["organizations.primary"],
      ],
      "the body of a write": [
        { operation: "submitChange" },
        { writes: true, organizations },
        ["operations.submitChange.body"],
      ],
      "a value by which a write is recognised": [
        { operation: "submitChange", needs: ["${unique} in operations.submitChange.body"] },
        { writes: true, organizations, operations: { submitChange: { body: BODY } } },
        ["${unique} in operations.submitChange.body"],
      ],
      "that value only if there is a body": [
        { operation: "submitChange", needs: ["${unique} in operations.submitChange.body"] },
        { writes: true, organizations },
        ["operations.submitChange.body"],
      ],
      "an organization if no list is offered": [
        { operation: "viewOrganization" },
        { operations: { listOrganizations: false } },
        ["organizations.primary"],
      ],
      "a change if neither a feed nor a submission can show one": [
        { operation: "readChange" },
        { organizations, operations: { readChangesFeed: false } },
        ["operations.readChange.changeId"],
      ],
      "every need that a case declares": [
        { operation: "viewOrganization", needs: ["claimsNamespace", "denied"] },
        { organizations },
        ["claimsNamespace", "denied"],
      ],
    }),
  )("%s", (_what, [testCase, profile, keys]) => {
    expect(planned(ruleWith(testCase), profile)?.settled).toEqual(lacking(...keys));
  });

  test("a rule about recorded exchanges needs no good request of its own", () => {
    const rule = ruleWith({ operation: "submitChange" }, { phase: "record" });
    expect(planned(rule, { writes: true, organizations })).toMatchObject({ open: [] });
    expect(planned(rule, { writes: true, organizations })?.settled).toBeUndefined();
  });

  test("a mutation that a target cannot have does not apply, whatever it needs", () => {
    const mutation = { name: "x", what: "x", inapplicable: () => "no such key" };
    const rule = ruleWith({ operation: "editOrganization", mutation });
    expect(planned(rule, {})?.settled).toMatchObject({ kind: "not-applicable" });
  });

  test("a body counts as missing only after the document was read", () => {
    const profile = { writes: true, organizations, openapi: "https://example.com/openapi.json" };
    expect(planned(ruleWith({ operation: "submitChange" }), profile)?.settled).toBeUndefined();
  });
});

describe("needs that the deployment may show", () => {
  const rule = ruleWith({ operation: "viewOrganization", needs: ["organizations.other"] });

  test("are open in the plan", () => {
    expect(planned(rule, {})).toMatchObject({
      open: ["organizations.other", "organizations.primary"],
    });
    expect(planned(rule, { organizations: { primary: PRIMARY, other: OTHER } })).toMatchObject({
      open: [],
    });
  });

  test("are met if the deployment shows them", async () => {
    const { outcomes } = await runTiny([rule], { profile: { organizations: {}, writes: false } });
    expect(outcomes).toEqual({ "tiny.needing/case": "pass" });
  });

  test("are reported as missing if the deployment does not show them", async () => {
    const { results } = await runTiny([rule], {
      profile: { organizations: {}, writes: false },
      behaviour: ({ operation, claims }) =>
        operation === "listOrganizations" && claims
          ? { status: 200, body: { items: [{ id: PRIMARY }] } }
          : undefined,
    });
    expect(results[0]).toMatchObject({
      outcome: "not-provisioned",
      missing: ["organizations.other"],
    });
  });
});

test("a case that needs a change is not run where none can be found", async () => {
  const rule = ruleWith({
    operation: "viewOrganization",
    needs: ["operations.readChange.changeId"],
  });
  const listing = (items: readonly unknown[]) =>
    runTiny([rule], {
      profile: { writes: false },
      behaviour: ({ operation, claims }) =>
        operation === "readChangesFeed" && claims ? { status: 200, body: { items } } : undefined,
    });
  expect((await listing([{ id: "c1" }])).outcomes).toEqual({ "tiny.needing/case": "pass" });
  expect((await listing([])).results[0]).toMatchObject({
    outcome: "not-provisioned",
    missing: ["operations.readChange.changeId"],
  });
});

test("a missing need of a fixture ends the cases that use it, and nothing is sent", async () => {
  const rule = ruleWith(
    { operation: "viewOrganization" },
    {
      judge: (probe) =>
        probe.use({
          name: "denied",
          scope: "rule",
          needs: ["denied"],
          setup: (shared) => shared.accepts({ name: "x", what: "x" }),
        }),
    },
  );
  const { results, calls } = await runTiny([rule]);
  expect(results[0]).toMatchObject({ outcome: "not-provisioned", missing: ["denied"] });
  expect(calls.every(({ isControl, caseId }) => isControl || caseId.startsWith("preflight/"))).toBe(
    true,
  );
});
