import { CompactSign, compactVerify, decodeProtectedHeader } from "jose";
import { describe, expect, test } from "vitest";

import { mintMutated } from "../../src/mutations/mint.ts";
import type { TokenChange } from "../../src/mutations/mutation.ts";
import { mintGood } from "../../src/tokens/mint.ts";
import { privateKeyOf, signRaw } from "../../src/tokens/sign.ts";
import { drafted, keyFor, targetFor } from "./support.ts";

const nothing = { name: "nothing", what: "nothing differs" };

async function minted(
  { draft, context }: ReturnType<typeof drafted>,
  change?: TokenChange,
): Promise<string> {
  const mutation = { ...nothing, ...(change && { token: change }) };
  return (await mintMutated(draft, mutation, context)).token;
}

test.each(["RS256", "EdDSA"])(
  "the raw minter makes the same token as jose, for %s",
  async (alg) => {
    const made = drafted(targetFor(alg));
    expect(await minted(made)).toBe(await mintGood(made.draft));
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
  const made = drafted(targetFor("ES256"));
  const { draft } = made;
  for (let time = 0; time < 12; time++) {
    const good = await mintGood({ ...draft, claims: { ...draft.claims, time } });
    for (const token of [good, await minted(made, { claims: { time } })]) {
      const signature = Buffer.from(token.split(".")[2] ?? "", "base64url");
      expect(signature).toHaveLength(64);
      expect(BigInt(`0x${signature.toString("hex", 32)}`)).toBeLessThanOrEqual(HALF);
      await expect(compactVerify(token, draft.key.publicJwk)).resolves.toBeDefined();
    }
  }
});

describe("a change", () => {
  const target = targetFor("RS256");
  const made = drafted(target);

  test("to undefined removes a member", async () => {
    const token = await minted(made, { header: { typ: undefined } });
    expect(decodeProtectedHeader(token)).toEqual({ alg: "RS256", kid: made.draft.key.kid });
  });

  test("of the key changes alg and kid, and no other parameters", async () => {
    const key = keyFor(target, "ES256");
    const token = await minted(made, { key: () => key });
    expect(decodeProtectedHeader(token)).toEqual({ alg: "ES256", kid: key.kid, typ: "JWT" });
  });
});
