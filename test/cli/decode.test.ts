import { describe, expect, it } from "vitest";

import { isPrintable } from "../../src/report/untrusted.ts";
import { command, createIo, ioWith, oneLine, refusal } from "./io.ts";

const PRIMARY = "11111111-1111-4111-8111-111111111111";
const DENIED = "33333333-3333-4333-8333-333333333333";
const PROFILE = {
  baseUrl: "http://127.0.0.1:1/base",
  claimsNamespace: "https://example.com",
  organizations: { primary: PRIMARY },
  denied: { organization: DENIED },
};

async function minted(...argv: readonly string[]): Promise<string> {
  return (await command(["token", ...argv], ioWith(PROFILE))).out;
}

async function decode(
  token: string | Uint8Array,
  { profile = PROFILE, argv = [] }: { profile?: object | null; argv?: readonly string[] } = {},
): Promise<{ code: number; out: string; err: string; flat: string }> {
  const io = profile ? ioWith(profile, {}, token) : createIo({}, token);
  const { code, out, err } = await command(["decode", ...argv], io);
  return { code, out, err, flat: oneLine(out) };
}

function segment(text: string | Uint8Array): string {
  return Buffer.from(text).toString("base64url");
}

const HEADER = segment('{"alg":"RS256"}');

describe("decode", () => {
  it("finds nothing wrong with a good token, and does not print it", async () => {
    const token = await minted();
    const { code, out, err, flat } = await decode(token);
    expect(code).toBe(0);
    expect(flat).toContain("1 signature ok the key conformance-rs256 verifies it with RS256");
    expect(flat).toContain("2 issuer ok");
    expect(flat).toContain("3 audience ok http://127.0.0.1:1/base");
    expect(flat).toMatch(/4 expiry ok expires in (9|10) min/);
    expect(flat).toContain(
      "5 scope ok it covers listOrganizations, viewOrganization; not editOrga",
    );
    expect(flat).toContain(`6 binding ok good for ${PRIMARY} alone, organizations.primary`);
    expect(flat).toContain("7 policy not known local policy cannot be seen from outside");
    expect(flat).toContain("Every check that can be judged offline holds.");
    for (const part of token.trim().split(".")) expect(out + err).not.toContain(part);
    expect(out.split("\n").filter((line) => line.length > 100)).toEqual([]);
  });

  it.each([
    ["forged", "1 signature NOT OK the key conformance-rs256, which `kid` names, does not verify"],
    ["alg-none", "1 signature NOT OK it is unsigned"],
    ["issuer/missing", "2 issuer NOT OK `iss` is missing"],
    [
      "audience/other",
      '3 audience NOT OK it is "https://another-deployment.example/common-grants"',
    ],
    ["audience/array-only", "3 audience open it is a list with http://127.0.0.1:1/base"],
    ["expiry/hour-ago", "4 expiry NOT OK expired 60 min ago"],
    ["expiry/missing", "4 expiry NOT OK `exp` is missing"],
    ["scope/missing", "5 scope NOT OK `scope` is missing"],
    ["binding/no-organization", "6 binding not known good for"],
    ["binding/null", "6 binding open https://example.com/org_id is null"],
    ["binding/not-a-uuid", "6 binding NOT OK https://example.com/org_id is not a UUID"],
    [
      "required-claims/sub-missing",
      "claims NOT OK `sub` is missing [contract, Token claims, SHOULD]",
    ],
    ["kid-unknown", "1 signature open the key conformance-rs256 verifies it, and `kid` is"],
    [
      "crit-unknown",
      '1 signature NOT OK `crit` names an extension that is not known: ["conformance"]',
    ],
    ["nbf-future", "4 expiry NOT OK `nbf` is 59 min ahead [RFC 7519 section 4.1.5, SHOULD]"],
    [
      "local-policy/bound",
      `7 policy NOT OK the profile says that svc-conformance may not act on ${DENIED}`,
    ],
    ["repeated-claims", "iss, aud, exp, scope more than once"],
  ])("says of a token with %s: %s", async (mutation, said) => {
    const { code, flat } = await decode(await minted(mutation));
    expect(flat).toContain(said);
    expect(code).toBe(flat.includes("NOT OK") ? 1 : 0);
  });

  it("names the first check that must reject the token", async () => {
    const { flat } = await decode(await minted("audience/other"));
    expect(flat).toContain("audience not ok. A receiver must reject it, at check 3.");
    expect(flat).toContain("[contract, Receiver checks / 3]");
  });

  it("tells what must be rejected from what should be, and from what the contract leaves open", async () => {
    const advised = await decode(await minted("required-claims/sub-missing"));
    expect(advised.flat).toContain("claims not ok. A receiver should reject it.");
    const open = await decode(await minted("audience/array-only"));
    expect(open.flat).toContain("The contract leaves open what a receiver does: audience.");
  });

  it("points out differences that are hard to see", async () => {
    const slash = await decode(await minted(), {
      profile: { ...PROFILE, audience: `${PROFILE.baseUrl}/` },
    });
    expect(slash.flat).toContain("3 audience open");
    expect(slash.flat).toContain("a slash or blank at the end differs");
    const upper = { ...PROFILE, audience: "http://127.0.0.1:1/Base" };
    expect((await decode(await minted(), { profile: upper })).flat).toContain("the case differs");
  });

  it("without a profile, judges only what the token itself shows", async () => {
    const { code, flat } = await decode(await minted(), { profile: null });
    expect(code).toBe(0);
    expect(flat).toContain("1 signature not known there is no profile to compare it with");
    expect(flat).toContain("4 expiry ok");
    const expired = await decode(await minted("expiry/hour-ago"), { profile: null });
    expect(expired.code).toBe(1);
  });

  it("accepts a token as an argument, from stdin, or as copied from a request", async () => {
    const token = await minted();
    expect(await decode("", { argv: [token] })).toMatchObject({ code: 0 });
    expect(await decode(token, { argv: ["-"] })).toMatchObject({ code: 0 });
    expect(await decode(`Authorization: Bearer ${token}`)).toMatchObject({ code: 0 });
    expect(await decode("", { argv: ["Bearer", token] })).toMatchObject({ code: 0 });
    expect(await decode("", { argv: [`"${token.trim()}"`] })).toMatchObject({ code: 0 });
  });

  it.each(
    Object.entries<[string | Uint8Array, string]>({
      nothing: ["", "there is nothing"],
      "a word": ["conformance", "it has 1 segment"],
      "an encrypted token": ["a.b.c.d.e", "encrypted (JWE)"],
      JSON: ['{"payload":"x"}', "it is JSON"],
      "a part that is not base64url": ["a!.b.c", "the header is not base64url"],
      "a header that is a list": [
        `${segment("[]")}.${segment("{}")}.x`,
        "header is not a JSON object",
      ],
      "claims that are not JSON": [`${HEADER}.${segment("{")}.x`, "the payload is not JSON"],
      "claims that are not UTF-8": [
        `${HEADER}.${segment(new Uint8Array([0xff, 0xfe]))}.x`,
        "not UTF-8",
      ],
      "claims nested too deeply": [`${HEADER}.${segment("[".repeat(9999))}.x`, "is not JSON"],
      "a token that is too long": ["x".repeat(200_000), "longer than 64 KiB"],
      "bytes that are not text": [new Uint8Array([0, 27, 91, 50, 74, 255]), "it has 1 segment"],
    }),
  )("exits 2 for %s, and does not repeat any of it", async (_, [token, why]) => {
    const err = await refusal(decode(token));
    expect(err).toContain(`This is not a signed JWT: `);
    expect(err).toContain(why);
    expect(err).not.toContain("\u001B");
    expect(err.length).toBeLessThan(400);
  });

  it("escapes hostile claims so that they can neither steer a terminal nor stay hidden", async () => {
    const inner = await minted();
    const claims = {
      "\u001B[2J\u202Ename": "\u0007\u009B31m",
      sub: `::error::\u2028${"x".repeat(5000)}`,
      actor: inner.trim(),
      exp: 1e300,
      iat: {},
      scope: ["org:read"],
    };
    const { code, out } = await decode(`${HEADER}.${segment(JSON.stringify(claims))}.AAAA`);
    expect(code).toBe(1);
    expect(out.split("\n").filter((line) => !isPrintable(line))).toEqual([]);
    expect(out).not.toContain("eyJ");
    expect(out.length).toBeLessThan(5000);
  });
});
