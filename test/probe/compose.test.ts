import { describe, expect, test } from "vitest";

import { type Operation, OPERATIONS } from "../../src/contract/operations.ts";
import { mutatesToken } from "../../src/mutations/mint.ts";
import type { InvalidMutation } from "../../src/mutations/mutation.ts";
import type { MutationCase } from "../../src/probe/cases.ts";
import { composeRequest, type Composition } from "../../src/probe/compose.ts";
import { seededUuid } from "../../src/probe/request.ts";
import type { Segments } from "../../src/tokens/compact.ts";
import { RULES } from "../../suites/index.ts";
import { nestedToken } from "../../suites/receiver/signature/serialization.ts";
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

/** A good request of an operation. */
function plain(operation: Operation): Composition {
  const { organization } = context;
  return { context: { ...context, operation }, place: { organization, changeId: "c1" } };
}

/** Every mutation of a token that fails one of the checks 1 to 6, once; the last one is about the organization. */
function mutations(): MutationCase<InvalidMutation>[] {
  const cases = RULES.flatMap((rule) => rule.cases(target) as readonly Partial<MutationCase>[]);
  const changing = cases.filter(
    (one): one is MutationCase<InvalidMutation> =>
      one.mutation?.refused !== undefined &&
      one.mutation.refused.check !== "policy" &&
      mutatesToken(one.mutation) &&
      one.mutation.inapplicable?.(target) === undefined,
  );
  return [...new Map(changing.map((one) => [one.mutation.name, one])).values()];
}

describe("the differences of a token that must be rejected", () => {
  test.each(mutations())("$id: are not empty", async (one) => {
    const operation = OPERATIONS[one.operation];
    const { mutation } = one;
    const { differences } = await composeRequest({ ...plain(operation), mutation });
    expect(differences.length).toBeGreaterThan(0);
  });
});

test("a change to the text of a token keeps the segments as they were signed", async () => {
  const operation = OPERATIONS.viewOrganization;
  const mutation = {
    name: "x",
    what: "x",
    token: { text: ({ header }: Segments) => `${header}..` },
  };
  const { token, segments, request } = await composeRequest({ ...plain(operation), mutation });
  expect(token).toBe(`${segments.header}..`);
  expect(segments.signature).not.toBe("");
  expect(request.headers).toContainEqual(["authorization", `Bearer ${token}`]);
});

test("a good request has no differences and names no mutation", async () => {
  const good = await composeRequest(plain(OPERATIONS.editOrganization));
  expect(good.differences).toEqual([]);
  expect(good.note).toMatchObject({ claims: { sub: target.subject } });
  expect(good.note).not.toHaveProperty("mutation");
  expect(good.request.body).toContain(good.unique);
});

test("a token inside a token is not shown", async () => {
  const operation = OPERATIONS.viewOrganization;
  const { differences } = await composeRequest({ ...plain(operation), mutation: nestedToken });
  expect(JSON.stringify(differences)).toContain("[token]");
  expect(JSON.stringify(differences)).not.toContain("eyJ");
});

test.each(RULES)("$id: the sentence of each case is one that the rule verifies", (rule) => {
  const named = rule.cases(target).flatMap(({ requirement }) => requirement ?? []);
  expect(rule.verifies).toEqual(expect.arrayContaining(named));
});

test("a token that is sent again differs from a newer good one only by its mutation", async () => {
  const operation = OPERATIONS.viewOrganization;
  const mutation = { name: "x", what: "x", token: { claims: () => ({ aud: "elsewhere" }) } };
  const first = plain(operation);
  const form = { ...context.form, clockOffsetSeconds: -5 };
  const older = { ...first, context: { ...first.context, form } };
  const { token } = await composeRequest({ ...older, mutation });
  const again = { ...mutation, token: { ...mutation.token, text: () => token, sentBefore: true } };
  const sent = await composeRequest({ ...first, mutation: again });
  expect(sent.token).toBe(token);
  expect(sent.differences).toEqual([
    { part: "claim", name: "aud", control: target.audience, probe: "elsewhere" },
  ]);
});
