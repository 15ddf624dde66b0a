import { readdirSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { reportProblems } from "../report/schema.ts";
import { command, createIo, ioWith, oneLine, reportIn, type TestIo } from "./io.ts";
import { receiver } from "./servers.ts";

let embedded: ReturnType<typeof command> | undefined;

/** The one run without arguments, of several tests. */
function embeddedRun(): ReturnType<typeof command> {
  embedded ??= command(["run", "--seed", "7"]);
  return embedded;
}

test("certifies the embedded reference receiver without arguments: exits 0 and writes a valid report", async () => {
  const { code, out, err, io } = await embeddedRun();
  expect(code).toBe(0);
  expect(err).toContain("embedded reference receiver");
  expect(out).toMatch(/\nConformant\. /);
  expect(out).toContain("seed 7\nReport: reports/report.json");
  const report = reportIn(io);
  expect(reportProblems(report)).toEqual([]);
  expect(report).toMatchObject({ verdict: "conformant", partial: false, seed: 7 });
  const unjudged = report.rules.filter(({ outcome }) => outcome !== "pass");
  // Its keys are not published by the run.
  expect(unjudged.map(({ id }) => id)).toEqual(["receiver.rotation"]);
  expect(readdirSync(join(io.cwd, "reports"))).toEqual(["report.json"]);
});

test.each<[string, Parameters<typeof receiver>[0] | undefined, string[]]>([
  ["both sides", undefined, []],
  ["a selection of the receiver", {}, ["--rule", "receiver.expiry,receiver.order,pagination.*"]],
  ["one case", {}, ["--rule", "receiver.isolation/side-by-side@viewOrganization"]],
  [
    "tokens of its own server",
    { authorizationServer: "alone" },
    ["--rule", "receiver.scope,errors.*,authorization-server.scope"],
  ],
])("--dry-run says how many requests a run sends: %s", async (_what, reference, rules) => {
  const { testIssuer, ...profile } = reference ? (await receiver(reference)).profile : {};
  const told = reference?.authorizationServer === undefined ? { testIssuer } : {};
  const io = (): TestIo => (reference ? ioWith({ ...profile, ...told }) : createIo());
  const { out, err } = await command(["run", ...rules, "--dry-run"], io());
  const about = Number(/about (\d+) requests/.exec(oneLine(out))?.[1]);
  const ran = reference ? await command(["run", ...rules], io()) : await embeddedRun();
  const { requests } = reportIn(ran.io);
  const difference = Math.abs(about - requests);
  expect(difference, `${about} of ${requests} ${err}`).toBeLessThan(Math.max(15, requests * 0.15));
});
