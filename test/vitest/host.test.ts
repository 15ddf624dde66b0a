import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect, test } from "vitest";

import { packageRoot } from "../../src/lib/package-root.ts";
import { documentedReceiver } from "../cli/servers.ts";
import { folderWith } from "../support/folder.ts";
import { runAgainst } from "../support/run-against.ts";
import type { WordedResult } from "../support/worded.ts";

interface VitestReport {
  testResults: {
    assertionResults: {
      ancestorTitles: string[];
      title: string;
      status: string;
      failureMessages: string[];
    }[];
  }[];
}

/** The cases of these rules hold one of each outcome against the receiver below. */
const SELECTED = "receiver.(audience|local-policy|scope-sufficient) ";

/** The results of the suite's tests in a vitest of its own, by id. */
async function hosted(
  profile: Readonly<Record<string, unknown>>,
  selected: string = SELECTED,
  env: Readonly<Record<string, string>> = {},
): Promise<Map<string, { status: string; message: string }>> {
  const folder = folderWith({ "orgsync.json": JSON.stringify(profile) });
  const file = join(folder, "orgsync.json");
  const vitest = join(packageRoot, "node_modules/vitest/vitest.mjs");
  const output = join(folder, "report.json");
  await promisify(execFile)(
    process.execPath,
    [
      vitest,
      "run",
      "test/conformance.test.ts",
      "-t",
      selected,
      "--reporter=json",
      `--outputFile=${output}`,
    ],
    { cwd: packageRoot, env: { ...process.env, ORGSYNC_PROFILE: file, ...env } },
  ).catch((error: unknown) => error);
  const report = (await import(output, { with: { type: "json" } })) as { default: VitestReport };
  return new Map(
    report.default.testResults[0]?.assertionResults
      .filter(({ ancestorTitles, title }) =>
        new RegExp(selected).test([...ancestorTitles, title].join(" ")),
      )
      .map((one) => [
        `${one.ancestorTitles.at(-1)}/${one.title}`,
        { status: one.status, message: one.failureMessages.join("\n") },
      ]),
  );
}

/** The result in the host for each outcome, without acceptIncomplete. */
function expectedStatus({ outcome, level }: WordedResult): string {
  if (outcome === "fail") return "failed";
  if (outcome === "inconclusive" || outcome === "not-provisioned") {
    return level === "MUST" ? "failed" : "skipped";
  }
  return outcome === "not-applicable" ? "skipped" : "passed";
}

test("vitest and the command run the same engine: same ids, same outcomes", async () => {
  const receiver = await documentedReceiver({ faults: ["audience-unchecked"] });
  const { denied: _denied, ...profile } = receiver.profile as Record<string, unknown>;
  const { results } = await runAgainst(profile, {
    patterns: ["receiver.{audience,local-policy,scope-sufficient}"],
  });
  const tests = await hosted(profile);
  expect([...tests.keys()].toSorted()).toEqual(results.map(({ id }) => id).toSorted());
  expect(results.map(({ outcome }) => outcome)).toEqual(
    expect.arrayContaining(["fail", "pass", "observed", "inconclusive", "not-provisioned"]),
  );
  for (const result of results) {
    expect([result.id, tests.get(result.id)?.status]).toEqual([result.id, expectedStatus(result)]);
  }
  expect(tests.get("receiver.audience/other@viewOrganization")?.message).toContain("claim aud:");
});

test("a partial run fails in the host that requires `conformant`, whatever it accepts", async () => {
  const { profile } = await documentedReceiver();
  const tests = await hosted(profile, "( verdict|routes.reachable listOrganizations)$", {
    ORGSYNC_REQUIRE: "conformant",
  });
  const [, verdict] = [...tests].find(([id]) => id.endsWith("/verdict")) ?? [];
  expect(verdict).toMatchObject({ status: "failed", message: expect.stringMatching("Partial") });
  expect(tests.get("routes.reachable/listOrganizations")).toMatchObject({ status: "passed" });
});
