import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { generateKeys } from "../../src/keys/generate.ts";
import { SuiteError } from "../../src/lib/errors.ts";
import { BUNDLED_KEYS, refuseBundledKeys } from "../../src/profile/issuer-keys.ts";
import { profileFromObject } from "../../src/profile/load.ts";
import { resolveTarget } from "../../src/profile/resolve.ts";
import type { Target } from "../../src/profile/target.ts";
import { folderWith } from "../support/folder.ts";
import { complaintOf } from "./support.ts";

function targetWithKeys(keys: string): Target {
  return resolveTarget({
    profile: profileFromObject({ baseUrl: "https://sync.example.com", testIssuer: { keys } }),
  });
}

function refuseElsewhere(): void {
  refuseBundledKeys(resolveTarget({ baseUrl: "https://sync.example.com" }), false);
}

describe("hosts", () => {
  test.each([
    "http://127.0.0.1",
    "http://127.255.3.4:8080/x",
    "http://127.1/",
    "http://[::1]:3000",
    "http://localhost",
    "http://LOCALHOST./",
    "https://sync.localhost:8443/x",
  ])("%s is loopback", (baseUrl) => {
    expect(() => refuseBundledKeys(resolveTarget({ baseUrl }), false)).not.toThrow();
  });

  test.each([
    "https://sync.example.com",
    "http://192.168.0.1",
    "http://0.0.0.0",
    "http://128.0.0.1",
    "http://[::2]",
    "http://[fe80::1]",
    "http://localhost.example.com",
    "http://notlocalhost",
    "http://127.0.0.1.example.com",
  ])("%s is not loopback", (baseUrl) => {
    const target = resolveTarget({ baseUrl });
    expect(() => refuseBundledKeys(target, false)).toThrow(SuiteError);
    expect(() => refuseBundledKeys(target, true)).not.toThrow();
  });
});

test("the refusal states the reason and the remedy", async () => {
  expect(await complaintOf(refuseElsewhere)).toBe(
    "The bundled keys are public: anybody who has this package can sign tokens that sync.example.com would accept.",
  );
  expect(refuseElsewhere).toThrow(
    expect.objectContaining({
      hint: "Make your own with `orgsync-conformance keys generate <folder>` and name the folder in `testIssuer.keys`, or pass --allow-bundled-keys.",
    }) as SuiteError,
  );
});

test("a user's own keys may be used with any host", async () => {
  const folder = folderWith();
  await generateKeys(folder, { algorithms: ["ES256"] });
  expect(() => refuseBundledKeys(targetWithKeys(folder), false)).not.toThrow();
});

test("a renamed copy of a bundled key is still public, and so is a key set that contains one", async () => {
  const folder = folderWith();
  await generateKeys(folder, { algorithms: ["ES256"] });
  for (const name of ["jwks.json", "private.jwks.json"]) {
    const read = (from: string): { keys: Record<string, unknown>[] } =>
      JSON.parse(readFileSync(join(from, name), "utf8")) as { keys: Record<string, unknown>[] };
    const { use: _, ...bundled } = read(BUNDLED_KEYS).keys[1] ?? {};
    const keys = [...read(folder).keys, { ...bundled, kid: "mine", alg: "PS512" }];
    writeFileSync(join(folder, name), JSON.stringify({ keys }));
  }
  expect(() => refuseBundledKeys(targetWithKeys(folder), false)).toThrow(SuiteError);
});
