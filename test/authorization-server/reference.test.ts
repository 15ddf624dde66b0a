import { expect, test } from "vitest";

import { runAgainstReference, unsettled } from "../support/run-against.ts";
import { jwtSegmentsIn } from "../support/segments.ts";

const PATTERNS = ["authorization-server.*"];

test("the reference server and its receiver conform in both flows", async () => {
  const { results, exchanges } = await runAgainstReference(
    { authorizationServer: true },
    { patterns: PATTERNS },
  );
  expect(unsettled(results)).toEqual([]);
  expect(results.filter(({ outcome }) => outcome === "pass").length).toBeGreaterThan(120);
  const recorded = JSON.stringify([...exchanges.values()]);
  expect(jwtSegmentsIn(recorded)).toEqual([]);
  expect(recorded).not.toContain("reference-client-secret");
});

test("without an authorization server, its rules do not apply", async () => {
  const { results, finished } = await runAgainstReference({}, { patterns: PATTERNS });
  expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(["not-applicable"]));
  expect(finished.suiteErrors).toEqual([]);
});

test("without consent to probes, no request is sent that must be refused", async () => {
  const { results } = await runAgainstReference(
    { authorizationServer: true },
    {
      patterns: PATTERNS,
      profile: { authorizationServer: { probes: false } },
    },
  );
  const missing = results.filter(({ outcome }) => outcome === "not-provisioned");
  expect(missing.map(({ id }) => id)).toContain("authorization-server.pkce/wrong@admin");
  expect(new Set(missing.flatMap((one) => one.missing))).toEqual(
    new Set(["authorizationServer.probes"]),
  );
});
