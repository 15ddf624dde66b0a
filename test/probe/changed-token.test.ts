import { describe, expect, test } from "vitest";

import { OPERATIONS } from "../../src/contract/operations.ts";
import type { ChangeCase } from "../../src/probe/cases.ts";
import { changedToken } from "../../src/probe/changed-token.ts";
import { seededUuid } from "../../src/probe/seeded.ts";
import { nestedToken } from "../../src/tokens/breakages/signature-serialization.ts";
import type { Breakage } from "../../src/tokens/change.ts";
import { draftToken } from "../../src/tokens/draft.ts";
import { changesToken } from "../../src/tokens/mint.ts";
import { RULES } from "../../suites/index.ts";
import { referenceTarget } from "../support/target.ts";

const target = referenceTarget();
const context = {
  target,
  form: { typ: undefined, bound: true, scopes: "required", clockOffsetSeconds: 0 } as const,
  organization: target.organizations.primary,
  otherOrganization: target.organizations.other,
  uuid: (label: string) => seededUuid(1, label),
  callback: "http://127.0.0.1:1/conformance",
};

/** Every change of a token that fails one of the checks 1 to 6, once; the last one is about the organization. */
function breakages(): ChangeCase<Breakage>[] {
  const cases = RULES.flatMap((rule) => rule.cases(target) as readonly Partial<ChangeCase>[]);
  const changing = cases.filter(
    (one): one is ChangeCase<Breakage> =>
      one.change !== undefined &&
      "check" in one.change &&
      one.change.check !== 7 &&
      changesToken(one.change) &&
      one.change.inapplicable?.(target) === undefined,
  );
  return [...new Map(changing.map((one) => [one.change.name, one])).values()];
}

describe("what is shown of a token that has to be refused", () => {
  test.each(breakages())("$id: in what it differs from a good one", async (one) => {
    const operation = OPERATIONS[one.operation];
    const draft = draftToken(target, operation, context.form, context.organization);
    const { differences } = await changedToken(draft, one.change, { ...context, operation });
    expect(differences.length).toBeGreaterThan(0);
  });
});

test("of a token inside a token nothing is shown", async () => {
  const operation = OPERATIONS.viewOrganization;
  const draft = draftToken(target, operation, context.form, context.organization);
  const { differences } = await changedToken(draft, nestedToken, { ...context, operation });
  expect(JSON.stringify(differences)).toContain("[token]");
  expect(JSON.stringify(differences)).not.toContain("eyJ");
});

test.each(RULES)("$id: the sentence of a case is one that its rule verifies", (rule) => {
  const named = rule.cases(target).flatMap(({ requirement }) => requirement ?? []);
  expect(rule.verifies).toEqual(expect.arrayContaining(named));
});
