import { decodeJwt, decodeProtectedHeader } from "jose";
import { expect, test } from "vitest";

import { combine, type Mutation } from "../../src/mutations/mutation.ts";
import { oneForEachCheck } from "../../suites/receiver/ways/check-mutations.ts";
import { drafted, mintBoth, targetFor } from "./support.ts";

const target = targetFor("ES256");

const one: Mutation = {
  name: "one",
  what: "the first",
  token: { claims: { iss: "x" }, header: { typ: "y" } },
};
const other: Mutation = {
  name: "other",
  what: "the second",
  token: { claims: () => ({ aud: "z" }) },
};

test("a combined token has both changes", async () => {
  const { changed } = await mintBoth(target, combine(one, other));
  expect(decodeJwt(changed)).toMatchObject({ iss: "x", aud: "z" });
  expect(decodeProtectedHeader(changed)["typ"]).toBe("y");
});

test("a signature is computed over what the other change made", async () => {
  const signed: string[] = [];
  const sign: Mutation = {
    name: "sign",
    what: "another signature",
    token: {
      sign: (input) => {
        signed.push(input);
        return new Uint8Array([1]);
      },
    },
  };
  const { changed } = await mintBoth(target, combine(sign, other));
  expect(changed).toBe(`${signed[0]}.AQ`);
  expect(decodeJwt(changed)).toMatchObject({ aud: "z" });
});

test("a combined mutation has the descriptions of both", () => {
  const { name, what } = combine(one, other);
  expect(name).toBe("one+other");
  expect(what).toBe("the first; the second");
});

test("changes of the same thing cannot be combined", async () => {
  const rewrite: Mutation = { ...other, request: (spec) => spec };
  expect(() => combine(rewrite, rewrite)).toThrow(TypeError);
  await expect(mintBoth(target, combine(one, { ...one, name: "again" }))).rejects.toThrow(
    /both change/,
  );
});

test("mutations against any two checks can be combined", async () => {
  const { context } = drafted(target);
  expect(context.target.denied).toBeDefined();
  for (const [at, { mutation }] of oneForEachCheck.entries()) {
    for (const later of oneForEachCheck.slice(at + 1)) {
      const { good, changed } = await mintBoth(target, combine(mutation, later.mutation));
      expect(changed).not.toBe(good);
    }
  }
});
