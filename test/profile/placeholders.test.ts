import { afterEach, describe, expect, test, vi } from "vitest";

import { BASE, load, problemsOf, UUID } from "./support.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("${env:NAME}", () => {
  test("is replaced anywhere in a string, and its value is collected as a secret once", () => {
    vi.stubEnv("CONFORMANCE_TEST_KEY", "s3cret-value");
    vi.stubEnv("CONFORMANCE_TEST_ORG", UUID);
    const { profile, secrets } = load(
      `${BASE}\nrequest:\n  headers: { X-Api-Key: "\${env:CONFORMANCE_TEST_KEY}", X-Other: "k=\${env:CONFORMANCE_TEST_KEY};" }\norganizations:\n  primary: \${env:CONFORMANCE_TEST_ORG}`,
    );
    expect(profile.request.headers).toEqual({
      "X-Api-Key": "s3cret-value",
      "X-Other": "k=s3cret-value;",
    });
    expect(profile.organizations.primary).toBe(UUID);
    expect(secrets).toEqual(["s3cret-value", UUID]);
  });

  test("is not replaced inside the value of a variable", () => {
    vi.stubEnv("CONFORMANCE_TEST_KEY", "${env:HOME}");
    expect(load(`${BASE}\nsubject: \${env:CONFORMANCE_TEST_KEY}`).profile.subject).toBe(
      "${env:HOME}",
    );
  });

  test("must be set, well formed, and in a place where it can be replaced", async () => {
    vi.stubEnv("CONFORMANCE_TEST_EMPTY", "");
    vi.stubEnv("CONFORMANCE_TEST_UNSET", undefined);
    const text = [
      BASE,
      "subject: ${env:CONFORMANCE_TEST_UNSET}",
      "audience: a-${env:CONFORMANCE_TEST_EMPTY}",
      "organizations: { primary: '${env:CONFORMANCE_TEST_UNSET}' }",
      "request:",
      "  headers:",
      "    A: ${ENV:KEY}",
      "    B: ${env.KEY}",
      "    C: ${env:A-B}",
      "    D: ${unique}",
      "    E: Bearer ${TOKEN}",
      "    F: ${TOKEN:-none}",
      "operations: { editOrganization: { body: { a: '${uniqe}', b: '${b}' } } }",
    ].join("\n");
    expect(await problemsOf(text)).toEqual([
      "2:10: subject needs the environment variable CONFORMANCE_TEST_UNSET, which is not set",
      "3:11: audience needs the environment variable CONFORMANCE_TEST_EMPTY, which is empty",
      "4:27: organizations.primary needs the environment variable CONFORMANCE_TEST_UNSET, which is not set",
      "7:8: request.headers.A holds ${ENV:KEY}: write ${env:KEY}",
      "8:8: request.headers.B holds ${env.KEY}: write ${env:KEY}",
      "9:8: request.headers.C holds ${env:A-B}: write ${env:NAME}",
      "10:8: request.headers.D must not hold ${unique}, which is replaced in the bodies and headers of operations only",
      "11:8: request.headers.E holds ${TOKEN}: write ${env:TOKEN}",
      "12:8: request.headers.F holds ${TOKEN:-none}: write ${env:TOKEN}",
      "13:46: operations.editOrganization.body.a holds ${uniqe}: write ${unique}",
    ]);
  });

  test("is what a base URL without `env:` should be", async () => {
    expect(await problemsOf("baseUrl: ${BASE_URL}/v1")).toEqual([
      "1:10: baseUrl holds ${BASE_URL}: write ${env:BASE_URL}",
    ]);
  });

  test("never appears in a message with its value", async () => {
    const secret = "hunter2 \u00e9";
    vi.stubEnv("CONFORMANCE_TEST_KEY", secret);
    const placeholder = "'${env:CONFORMANCE_TEST_KEY}'";
    const lines = await problemsOf(
      `baseUrl: ${placeholder}\norganizations: { primary: ${placeholder} }\ntestIssuer: { algorithm: ${placeholder} }\nrequest: { timeoutMs: ${placeholder}, headers: { a: ${placeholder} } }`,
    );
    expect(lines).toHaveLength(5);
    expect(lines.join("\n")).not.toContain("hunter2");
  });

  test("a password in a URL never appears in a message", async () => {
    const lines = await problemsOf("baseUrl: http://user:hunter2@localhost/");
    expect(lines).toEqual([
      "1:10: baseUrl must not contain a user name or password; put credentials into `request.headers`",
    ]);
  });
});
