import { join } from "node:path";

import { compactVerify, createLocalJWKSet, decodeJwt, decodeProtectedHeader } from "jose";
import { describe, expect, it } from "vitest";

import { namedMutations } from "../../src/cli/commands/token/sample-request.ts";
import { readJwks } from "../../src/keys/jwks-file.ts";
import { packageRoot } from "../../src/lib/package-root.ts";
import { oneIn } from "../proof/selection.ts";
import { referenceTarget } from "../support/target.ts";
import { command, createIo, ioWith, oneLine, refusal } from "./io.ts";

const PRIMARY = "11111111-1111-4111-8111-111111111111";
const OTHER = "22222222-2222-4222-8222-222222222222";
const DENIED = "33333333-3333-4333-8333-333333333333";
const CLAIM = "https://example.com/org_id";

/** Port 1, where every request fails. */
const PROFILE = {
  baseUrl: "http://127.0.0.1:1/base",
  claimsNamespace: "https://example.com",
  organizations: { primary: PRIMARY, other: OTHER },
  denied: { organization: DENIED },
};

function token(
  argv: readonly string[],
  profile: object | null = PROFILE,
): ReturnType<typeof command> {
  return command(["token", ...argv], profile ? ioWith(profile) : createIo());
}

describe("token", () => {
  it.each([[[]], [["good"]]])("prints only a good token on stdout: %j", async (argv) => {
    const { code, out, err } = await token(argv);
    expect(code).toBe(0);
    expect(out).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+\n$/);
    const keys = createLocalJWKSet({ keys: readJwks(join(packageRoot, "keys"), "jwks.json") });
    await expect(compactVerify(out.trim(), keys)).resolves.toBeDefined();
    expect(decodeJwt(out)).toMatchObject({
      aud: PROFILE.baseUrl,
      scope: "org:read",
      [CLAIM]: PRIMARY,
    });
    expect(err).toContain(`curl -i 'http://127.0.0.1:1/base/orgs/${PRIMARY}'`);
    expect(err).toContain('-H "authorization: Bearer $TOKEN"');
    expect(err).not.toContain("eyJ");
  });

  it.each([
    ["audience/other", "aud", "https://another-deployment.example/common-grants"],
    ["receiver.audience/other", "aud", "https://another-deployment.example/common-grants"],
    ["receiver.audience/other@editOrganization", "scope", "org:write"],
    ["other-organization", CLAIM, OTHER],
    ["local-policy/bound", CLAIM, DENIED],
    ["local-policy/unbound", CLAIM, undefined],
  ])(
    "makes %s with the claim %s equal to %s, and says on stderr what differs",
    async (name, claim, value) => {
      const { code, out, err } = await token([name]);
      expect(code).toBe(0);
      expect(decodeJwt(out)[claim]).toEqual(value);
      expect(err).toMatch(/Receiver check [1-7] must\s+refuse it: /);
    },
  );

  it("uses the given operation, organization and typ", async () => {
    const argv = ["--operation", "submitChange", "--organization", OTHER, "--typ", "at+jwt"];
    const { out, err } = await token(argv);
    expect(decodeJwt(out)).toMatchObject({ scope: "org.changes:write", [CLAIM]: OTHER });
    expect(decodeProtectedHeader(out)).toMatchObject({ typ: "at+jwt" });
    expect(err).toContain(`curl -i -X POST 'http://127.0.0.1:1/base/orgs/${OTHER}/changes'`);
    const unbound = await token(["--unbound", "--typ", "none"]);
    expect(decodeJwt(unbound.out)[CLAIM]).toBeUndefined();
    expect(decodeProtectedHeader(unbound.out)).not.toHaveProperty("typ");
  });

  it("prints a token with exactly the header and claims that are given, and who signs it", async () => {
    const claims = JSON.stringify({ sub: "someone", exp: "now-60", jti: "${unique}" });
    const before = Math.floor(Date.now() / 1000);
    const jwks = readJwks(join(packageRoot, "keys"), "jwks.json");
    const header = { alg: "RS256", kid: jwks.find(({ alg }) => alg === "RS256")?.["kid"] };
    const argv = ["--claims", claims, "--header", JSON.stringify(header)];
    const { code, out, err } = await token(argv);
    expect([code, err]).toEqual([0, ""]);
    expect(decodeProtectedHeader(out.trim())).toEqual(header);
    const { exp = 0, jti, ...rest } = decodeJwt(out);
    expect(rest).toEqual({ sub: "someone" });
    expect(jti).toMatch(/^conformance-/);
    expect(exp - before + 60).toBeLessThan(30);
    const keys = createLocalJWKSet({ keys: jwks });
    await expect(compactVerify(out.trim(), keys)).resolves.toBeDefined();
    const other = await token(["--key", "other"]);
    await expect(compactVerify(other.out.trim(), keys)).rejects.toThrow("signature");
    expect((await token(["--key", "none"])).out).toMatch(/^[\w-]+\.[\w-]+\.\n$/);
    expect(await refusal(token(["--claims", "[]"]))).toContain("It must be a JSON object");
  });

  it("says that the change in the URL does not exist if the profile names none", async () => {
    const { err } = await token(["--operation", "readChange"]);
    expect(oneLine(err)).toContain(
      "The change in the URL does not exist: replace it by an id that the feed shows, or set `operations.readChange.changeId` in the profile.",
    );
  });

  it("shows with curl what differs in the request besides the token", async () => {
    const { code, err } = await token(["spoofed-forwarded"]);
    expect(code).toBe(0);
    expect(err).toContain("-H 'forwarded: host=another-deployment.example;proto=http'");
  });

  it.each([
    ["basic-scheme", "does not change the token", '-H "authorization: Basic $TOKEN"'],
    [
      "token-required/missing",
      "does not change the token",
      "curl -i 'http://127.0.0.1:1/base/orgs",
    ],
    [
      "signature/jku",
      "suite's own listener",
      "run --rule 'receiver.signature/jku@viewOrganization'",
    ],
    ["missing", "matches 5 mutations", "receiver.audience/missing"],
    [
      "audience/othr",
      "There is no mutation audience/othr",
      "Did you mean receiver.audience/other?",
    ],
  ])("prints no token for %s, and says why", async (name, why, instead) => {
    const err = await refusal(token([name]));
    expect(err).toContain(why);
    expect(err).toContain(instead);
  });

  it.each([
    ["without a deployment", null, [], "there is no orgsync.yaml here"],
    [
      "with the bundled keys for another host",
      { ...PROFILE, baseUrl: "https://sync.example.com" },
      [],
      "The bundled keys are public",
    ],
    [
      "without a name for the claim",
      { ...PROFILE, claimsNamespace: undefined },
      ["other-organization"],
      "the profile lacks claimsNamespace",
    ],
    [
      "without an organization",
      { ...PROFILE, organizations: undefined },
      ["other-organization"],
      "--organization",
    ],
    ["for an invalid organization", PROFILE, ["--organization", "1"], "is not a UUID"],
    [
      "for an unknown operation",
      PROFILE,
      ["--operation", "viewOrg"],
      "Did you mean viewOrganization?",
    ],
  ])("makes no token %s", async (_, profile, argv, why) => {
    expect(await refusal(token(argv, profile))).toContain(why);
  });

  it("lists the mutations with their checks, also without a profile", async () => {
    const { code, out } = await token(["--list"], null);
    expect(code).toBe(0);
    expect(out).toMatch(/\n3 +receiver\.audience\/other +`aud` is the base URL/);
    expect(out).toMatch(/\nopen +receiver\.audience\/array-only /);
    expect(out).not.toContain("basic-scheme");
    expect(out.split("\n").filter((line) => line.length > 100)).toEqual([]);
  });

  it("makes a mutation or says why not, and prints only printable ASCII", async () => {
    const some = oneIn(12, namedMutations(referenceTarget()));
    for (const { name } of some) {
      const { code, out, err } = await token([name]);
      expect([name, [0, 2].includes(code), err === ""]).toEqual([name, true, false]);
      expect([name, out === ""]).toEqual([name, code === 2]);
      expect(out).toMatch(/^[\x20-\x7e]*\n?$/);
      expect(err).not.toContain("a bug in the suite");
    }
  });
});
