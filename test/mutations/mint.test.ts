import { CompactSign, compactVerify, decodeProtectedHeader } from "jose";
import { describe, expect, test } from "vitest";

import { mintMutated } from "../../src/mutations/mint.ts";
import { mintGood } from "../../src/tokens/mint.ts";
import { privateKeyOf, signRaw } from "../../src/tokens/sign.ts";
import { drafted, keyFor, targetFor } from "./support.ts";

const nothing = { name: "nothing", what: "nothing differs" };

test.each(["RS256", "EdDSA"])(
  "the raw minter makes the same token as jose, for %s",
  async (alg) => {
    const { draft, context } = drafted(targetFor(alg));
    expect((await mintMutated(draft, nothing, context)).token).toBe(await mintGood(draft));
  },
);

test.each(["RS256", "RS384", "RS512", "EdDSA"])(
  "the raw minter signs %s as jose does",
  async (alg) => {
    const key = keyFor(targetFor("RS256"), alg.startsWith("RS") ? "RS256" : alg);
    const token = await new CompactSign(Buffer.from("payload"))
      .setProtectedHeader({ alg })
      .sign(privateKeyOf(key));
    const [header, payload, signature] = token.split(".");
    expect(signRaw(alg, key, `${header}.${payload}`).toString("base64url")).toBe(signature);
  },
);

/** Half the order of the base point of P-256, FIPS 186-4 §D.1.2. */
const HALF = 0x7fffffff800000007fffffffffffffffde737d56d38bcf4279dce5617e3192a8n;

test("an ES256 signature uses the smaller of the two valid values of S, with either minter", async () => {
  const { draft, context } = drafted(targetFor("ES256"));
  for (let time = 0; time < 12; time++) {
    const good = await mintGood({ ...draft, claims: { ...draft.claims, time } });
    const changed = (await mintMutated(draft, { ...nothing, token: { claims: { time } } }, context))
      .token;
    for (const token of [good, changed]) {
      const signature = Buffer.from(token.split(".")[2] ?? "", "base64url");
      expect(signature).toHaveLength(64);
      expect(BigInt(`0x${signature.toString("hex", 32)}`)).toBeLessThanOrEqual(HALF);
      await expect(compactVerify(token, draft.key.publicJwk)).resolves.toBeDefined();
    }
  }
});

describe("a change", () => {
  const target = targetFor("RS256");
  const { draft, context } = drafted(target);

  test("to undefined removes a member", async () => {
    const token = (
      await mintMutated(draft, { ...nothing, token: { header: { typ: undefined } } }, context)
    ).token;
    expect(decodeProtectedHeader(token)).toEqual({ alg: "RS256", kid: draft.key.kid });
  });

  test("of the key changes alg and kid, and no other parameters", async () => {
    const key = keyFor(target, "ES256");
    const token = (await mintMutated(draft, { ...nothing, token: { key: () => key } }, context))
      .token;
    expect(decodeProtectedHeader(token)).toEqual({ alg: "ES256", kid: key.kid, typ: "JWT" });
  });
});
