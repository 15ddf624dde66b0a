import { expect, test } from "vitest";

import { runAgainstReference } from "../support/run-against.ts";
import { runCases } from "./support.ts";

const patterns = ["receiver.rotation"];

async function observed(fault?: string): Promise<unknown[]> {
  const { results, finished } = await runAgainstReference(
    fault === undefined ? { variants: ["keys-fetched"] } : { faults: [fault] },
    // One second, for a receiver that never follows.
    { patterns, ...(fault !== undefined && { patienceMs: 80 }) },
  );
  expect(finished.suiteErrors).toEqual([]);
  return results.map(({ id, outcome, actual, reason }) => [id, outcome, actual ?? reason]);
}

const [appears, withdrawn] = [
  "receiver.rotation/appears@viewOrganization",
  "receiver.rotation/withdrawn@viewOrganization",
];

test("the time that a receiver takes to follow a key change is observed", async () => {
  expect(await observed()).toEqual([
    [appears, "observed", expect.stringMatching(/^accepted after \d+ s$/)],
    [withdrawn, "observed", expect.stringMatching(/^refused after \d+ s$/)],
  ]);
});

test("a receiver that fetches the keys once does not accept a new key", async () => {
  expect(await observed("keys-fetched-once")).toEqual([
    [appears, "observed", expect.stringMatching(/^not accepted within \d+ s: 401/)],
    [withdrawn, "not-applicable", "the key was not accepted before it was withdrawn"],
  ]);
});

test("a receiver that keeps old keys accepts a withdrawn one", async () => {
  expect(await observed("withdrawn-keys-kept")).toEqual([
    [appears, "observed", expect.stringMatching(/^accepted after \d+ s$/)],
    [withdrawn, "observed", expect.stringMatching(/^still accepted within \d+ s: 200/)],
  ]);
});

test("if somebody else publishes the keys, nothing is sent", async () => {
  const { results } = await runCases(patterns);
  expect(results.map(({ outcome, reason }) => [outcome, reason])).toEqual(
    Array.from({ length: 2 }, () => [
      "not-applicable",
      "the run does not publish the test issuer's keys: `testIssuer.serve`",
    ]),
  );
});
