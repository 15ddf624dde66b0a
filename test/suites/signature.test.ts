import { readFileSync } from "node:fs";

import { describe, expect, test } from "vitest";

import { packageRoot } from "../../src/lib/package-root.ts";
import { type CheckPatch, passing } from "../../src/reference/patches.ts";
import type { Patch } from "../../src/reference/steps.ts";
import { folderWith } from "../support/folder.ts";
import { unsettled } from "../support/run-against.ts";
import { runCases } from "./support.ts";

/** The cases with URLs of the suite, and who else may be blamed for a fetch. */
const patterns = ["receiver.signature/{jku,x5u,kid-url,iss-url}*", "receiver.outbound"];

function issuedWith(algorithm: string, algorithms?: readonly string[]): object {
  return { testIssuer: { algorithm, ...(algorithms && { algorithms }) } };
}

describe("a good receiver passes whatever algorithm signs the controls, and no event contains a token", () => {
  test.each(["PS256", "ES256", "EdDSA"])("%s", async (algorithm) => {
    const { results, finished, events } = await runCases(
      ["receiver.signature", "receiver.keys", "receiver.outbound"],
      { profile: issuedWith(algorithm) },
    );
    expect(finished.suiteErrors).toEqual([]);
    expect(unsettled(results)).toEqual([]);
    expect(JSON.stringify(events)).not.toMatch(/eyJ[\w-]{20,}\.[\w-]{10,}\./);
  });
});

test("keys that the profile does not declare are observed", async () => {
  const { results } = await runCases("receiver.keys", { profile: issuedWith("RS256", ["RS256"]) });
  const outcomes = results.map(({ id, outcome, actual }) => [id.split("/")[1], outcome, actual]);
  expect(outcomes).toEqual([
    ["rs256@viewOrganization", "pass", undefined],
    ["ps256@viewOrganization", "observed", "200 OK"],
    ["es256@viewOrganization", "observed", "200 OK"],
    ["eddsa@viewOrganization", "observed", "200 OK"],
    ["rs256-2@viewOrganization", "pass", undefined],
  ]);
});

test("if a declared key is not accepted, forgeries with it are inconclusive", async () => {
  const { results } = await runCases(["receiver.signature/ecdsa-*", "receiver.keys"], {
    faults: ["rs256-only"],
  });
  const ecdsa = results.filter(({ id }) => id.includes("/ecdsa-"));
  expect(ecdsa.length).toBeGreaterThan(0);
  expect(new Set(ecdsa.map(({ outcome }) => outcome))).toEqual(new Set(["inconclusive"]));
  expect(ecdsa[0]?.reason).toMatch(/conformance-es256 was not accepted either: 401/);
  expect(results.find(({ id }) => id.includes("/es256@"))?.outcome).toBe("fail");
});

test("if the deployment cannot reach the suite, cases with URLs of the suite do not apply", async () => {
  const { results, finished } = await runCases(patterns, {
    profile: { request: { callback: "https://tests.example.com" } },
  });
  const remote = results.filter(({ outcome }) => outcome === "not-applicable");
  expect(finished.verdict).toBe("partial");
  expect(new Set(remote.map(({ rule }) => rule))).toEqual(
    new Set(["receiver.signature", "receiver.outbound"]),
  );
  expect(remote[0]?.reason).toMatch(/request\.callback/);
});

test("a fetch is blamed on its own rule, with the requested URL", async () => {
  const { results } = await runCases(patterns, { faults: ["jku-fetched"] });
  const warned = results.find(({ outcome }) => outcome === "warn");
  expect(warned).toMatchObject({
    id: "receiver.outbound/jku@viewOrganization",
    actual: expect.stringMatching(/^401 Unauthorized, but the listener got GET \/jwks\.json/),
    evidence: {
      differences: expect.arrayContaining([
        expect.objectContaining({ part: "header", name: "jku" }),
      ]),
    },
  });
});

test("cases that need two keys of one algorithm do not apply to an issuer with one", async () => {
  const folder = folderWith(Object.fromEntries(["jwks.json", "private.jwks.json"].map(firstKeys)));
  const { results } = await runCases("receiver.keys", {
    profile: { testIssuer: { keys: folder } },
  });
  expect(results.map(({ id, outcome }) => [id.split("/")[1], outcome])).toEqual([
    ["rs256@viewOrganization", "pass"],
    ["ps256@viewOrganization", "pass"],
    ["es256@viewOrganization", "pass"],
    ["eddsa@viewOrganization", "pass"],
    ["rs256-2@viewOrganization", "not-applicable"],
  ]);
});

/** A check that also passes a token without the claim. */
const without = (name: string): CheckPatch => passing(({ claims }) => claims[name] === undefined);

test("claims elsewhere prove nothing where a token without them is accepted", async () => {
  const optional: Patch = {
    checkIssuer: without("iss"),
    checkAudience: without("aud"),
    checkExpiry: without("exp"),
    checkScope: without("scope"),
  };
  const { results } = await runCases(
    ["receiver.signature/claims-in-*@view*", "receiver.issuer/missing@*"],
    { patches: [optional] },
  );
  expect(new Set(results.map(({ rule, outcome }) => `${rule} ${outcome}`))).toEqual(
    new Set(["receiver.issuer fail", "receiver.signature not-applicable"]),
  );
});

/** A file of the bundled keys, without the last one. */
function firstKeys(name: string): [string, string] {
  const set = JSON.parse(readFileSync(`${packageRoot}/keys/${name}`, "utf8")) as { keys: object[] };
  return [name, JSON.stringify({ ...set, keys: set.keys.slice(0, -1) })];
}
