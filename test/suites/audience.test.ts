import { expect, test } from "vitest";

import { rule } from "../../suites/receiver/audience.ts";
import { type FrontAnswer, runBehind } from "../support/front.ts";
import { runAgainstReference } from "../support/run-against.ts";
import { referenceTarget } from "../support/target.ts";

const patterns = ["receiver.audience/spoofed-*"];
const OTHER = "another-deployment.example";

test.each<[string, FrontAnswer]>([
  ["another service", { status: 200, body: "Welcome" }],
  ["a redirect", { status: 301, headers: { location: "http://sync.example.com/" } }],
  ["a gateway that knows nobody of that name", { status: 502 }],
])("%s under another name says nothing of the receiver", async (_name, answer) => {
  const { results } = await runBehind(
    (_method, _path, { host }) => (host === OTHER ? answer : undefined),
    { patterns },
  );
  const outcomes = Object.fromEntries(results.map(({ id, outcome }) => [id, outcome]));
  expect(outcomes).toEqual({
    "receiver.audience/spoofed-x-forwarded-host@viewOrganization": "pass",
    "receiver.audience/spoofed-forwarded@viewOrganization": "pass",
    "receiver.audience/spoofed-host@viewOrganization": "not-applicable",
  });
});

test("a receiver that believes the Host header is caught by it", async () => {
  const faults = ["audience-from-host"];
  const { results, exchanges } = await runAgainstReference({ faults }, { patterns });
  const [failed, ...more] = results.filter(({ outcome }) => outcome === "fail");
  expect(more).toEqual([]);
  expect(failed?.id).toBe("receiver.audience/spoofed-host@viewOrganization");
  const probe = exchanges.get(failed?.evidence?.probes[0] ?? "");
  expect(probe?.request.headers).toContainEqual(["host", OTHER]);
});

test("over TLS the Host header stays as it is", () => {
  const target = referenceTarget({ baseUrl: "https://sync.example.com" });
  const ids = rule.cases(target).map(({ id }) => id);
  expect(ids).toContain("spoofed-forwarded@viewOrganization");
  expect(ids).not.toContain("spoofed-host@viewOrganization");
});
