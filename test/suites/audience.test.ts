import { expect, test } from "vitest";

import { OPERATION_IDS } from "../../src/contract/operations.ts";
import { exitCode } from "../../src/engine/judge.ts";
import { rule } from "../../suites/receiver/audience.ts";
import { refusal, runTiny } from "../engine/tiny.ts";
import { type FrontAnswer, runBehind } from "../support/front.ts";
import { referenceTarget } from "../support/target.ts";
import { runCases } from "./support.ts";

const patterns = ["receiver.audience/spoofed-*"];
const OTHER = "another-deployment.example";

test.each<[string, FrontAnswer]>([
  ["another service", { status: 200, body: "Welcome" }],
  ["a redirect", { status: 301, headers: { location: "http://sync.example.com/" } }],
  ["a gateway that does not know that name", { status: 502 }],
])("%s at another host name is not judged", async (_name, answer) => {
  const { results } = await runBehind(
    (_method, _path, { host }) => (host === OTHER ? answer : undefined),
    { patterns },
  );
  const outcomes = Object.fromEntries(results.map(({ id, outcome }) => [id, outcome]));
  expect(outcomes).toMatchObject({
    "receiver.audience/spoofed-x-forwarded-host@viewOrganization": "pass",
    "receiver.audience/spoofed-forwarded@viewOrganization": "pass",
    "receiver.audience/spoofed-host@viewOrganization": "not-applicable",
  });
});

test("a receiver that trusts the Host header is detected", async () => {
  const faults = ["audience-from-host"];
  const { results, exchanges } = await runCases(patterns, { faults });
  const [failed, ...more] = results.filter(({ outcome }) => outcome === "fail");
  expect(more).toEqual([]);
  expect(failed?.id).toBe("receiver.audience/spoofed-host@viewOrganization");
  const probe = exchanges.get(failed?.evidence?.probes[0] ?? "");
  expect(probe?.request.headers).toContainEqual(["host", OTHER]);
});

const WRITES = new Set<string | undefined>(["editOrganization", "submitChange"]);

test("a cache that accepts a token before it verifies it is detected, although it rejects the token afterwards", async () => {
  let good: unknown;
  const { finished, results } = await runTiny([rule], {
    patterns: ["receiver.audience/other@*", "receiver.audience/missing@*"],
    behaviour({ claims, isControl, ofCase }) {
      if (isControl) good ??= claims?.["aud"];
      const verified = claims?.["aud"] === good;
      return verified || ofCase === 1 ? undefined : refusal(401);
    },
  });
  expect(results).toHaveLength(2 * OPERATION_IDS.length);
  for (const { outcome, flaky = false, actual, operation } of results) {
    // A write is not repeated to learn whether it is flaky.
    const isRepeated = !WRITES.has(operation);
    expect([outcome, flaky]).toEqual(["fail", isRepeated]);
    expect(actual).toMatch(isRepeated ? /^20\d \w+, then as required$/ : /^20\d \w+$/);
  }
  expect(finished.verdict).toBe("non-conformant");
  expect(exitCode(finished, { acceptIncomplete: true })).toBe(1);
});

test("a base URL that is the audience behind a gateway is not called another one", () => {
  const target = referenceTarget({
    baseUrl: "http://sync.example.com/api",
    audience: "https://sync.example.com/api",
  });
  const ids = rule.cases(target).map(({ id }) => id);
  expect(ids).toContain("spoofed-x-forwarded-port@viewOrganization");
  expect(ids).not.toContain("spoofed-x-forwarded-proto@viewOrganization");
});

test("over TLS the Host header is not changed", () => {
  const target = referenceTarget({ baseUrl: "https://sync.example.com" });
  const ids = rule.cases(target).map(({ id }) => id);
  expect(ids).toContain("spoofed-forwarded@viewOrganization");
  expect(ids).not.toContain("spoofed-host@viewOrganization");
});
