import { describe, expect, test } from "vitest";

import { OPERATIONS } from "../../src/contract/operations.ts";
import { mutatesToken } from "../../src/mutations/mint.ts";
import type { InvalidMutation } from "../../src/mutations/mutation.ts";
import { nestedToken } from "../../src/mutations/token/signature-serialization.ts";
import type { MutationCase } from "../../src/probe/cases.ts";
import { mutatedToken } from "../../src/probe/mutated-token.ts";
import { seededUuid } from "../../src/probe/seeded.ts";
import { draftToken } from "../../src/tokens/draft.ts";
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

/** Every mutation of a token that fails one of the checks 1 to 6, once; the last one is about the organization. */
function mutations(): MutationCase<InvalidMutation>[] {
  const cases = RULES.flatMap((rule) => rule.cases(target) as readonly Partial<MutationCase>[]);
  const changing = cases.filter(
    (one): one is MutationCase<InvalidMutation> =>
      one.mutation !== undefined &&
      "check" in one.mutation &&
      one.mutation.check !== 7 &&
      mutatesToken(one.mutation) &&
      one.mutation.inapplicable?.(target) === undefined,
  );
  return [...new Map(changing.map((one) => [one.mutation.name, one])).values()];
}

describe("what is shown of a token that has to be refused", () => {
  test.each(mutations())("$id: in what it differs from a good one", async (one) => {
    const operation = OPERATIONS[one.operation];
    const draft = draftToken(target, operation, context.form, context.organization);
    const { differences } = await mutatedToken(draft, one.mutation, { ...context, operation });
    expect(differences.length).toBeGreaterThan(0);
  });
});

test("of a token inside a token nothing is shown", async () => {
  const operation = OPERATIONS.viewOrganization;
  const draft = draftToken(target, operation, context.form, context.organization);
  const { differences } = await mutatedToken(draft, nestedToken, { ...context, operation });
  expect(JSON.stringify(differences)).toContain("[token]");
  expect(JSON.stringify(differences)).not.toContain("eyJ");
});

test.each(RULES)("$id: the sentence of a case is one that its rule verifies", (rule) => {
  const named = rule.cases(target).flatMap(({ requirement }) => requirement ?? []);
  expect(rule.verifies).toEqual(expect.arrayContaining(named));
});
