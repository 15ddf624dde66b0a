import { expect, test } from "vitest";

import { otherCase } from "../../src/lib/words.ts";
import type { Mutation } from "../../src/mutations/mutation.ts";
import { openBindings, rescues } from "../../src/mutations/token/binding.ts";
import { drafted, mintBoth, named, payloadOf, targetFor } from "./support.ts";

const target = targetFor("ES256");
const { context } = drafted(target);
const own = context.organization ?? "";
const other = context.otherOrganization ?? "";
const CLAIM = "https://example.com/org_id";

async function payload(mutations: readonly Mutation[], name: string): Promise<string> {
  return payloadOf((await mintBoth(target, named(mutations, name))).changed);
}

test.each([
  ["repeated-last-other", rescues, [own, other]],
  ["repeated-last-own", openBindings, [other, own]],
] as const)("%s writes the claim twice", async (name, mutations, values) => {
  const text = await payload(mutations, name);
  const found = text.split(`"${CLAIM}":`).slice(1);
  expect(found.map((rest) => rest.split('"')[1])).toEqual(values);
  expect(JSON.parse(text)).toMatchObject({ [CLAIM]: values[1] });
});

test("foreign-namespace-rescue puts the other namespaces before and after all other claims", async () => {
  const claims = JSON.parse(await payload(rescues, "foreign-namespace-rescue")) as object;
  const names = Object.keys(claims).filter((name) => name.endsWith("/org_id"));
  expect(names).toEqual(["https://first.example/org_id", CLAIM, "https://last.example/org_id"]);
  expect(claims).toMatchObject({ [CLAIM]: other, "https://first.example/org_id": own });
});

test.each([
  ["bare-name", "org_id"],
  ["doubled-slash", "https://example.com//org_id"],
  ["other-scheme", "http://example.com/org_id"],
  ["name-case", "https://example.com/ORG_ID"],
])("%s names another organization in a claim other than the binding claim", async (name, claim) => {
  const claims = JSON.parse(await payload(openBindings, name)) as Record<string, unknown>;
  expect(claims[claim]).toBe(other);
  expect(claims).not.toHaveProperty([CLAIM]);
});

test("the other case of an id always differs from the id", () => {
  expect(otherCase("ab-1")).toBe("AB-1");
  expect(otherCase("AB-1")).toBe("ab-1");
});
