import { readdirSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { reportProblems } from "../report/schema.ts";
import { command, createIo, ioWith, oneLine, reportIn, type TestIo } from "./io.ts";
import { receiver } from "./servers.ts";

test("certifies the embedded reference receiver without arguments: exits 0 and writes a valid report", async () => {
  const { code, out, err, io } = await command(["run", "--seed", "7"]);
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
  [
    "both sides of the embedded reference",
    undefined,
    ["--rule", "receiver.binding-list,authorization-server.{client-credentials,pkce,scope}"],
  ],
  [
    "a selection of the receiver",
    {},
    ["--rule", "receiver.order,pagination.{totals,defaults,echo}"],
  ],
  ["one case", {}, ["--rule", "receiver.isolation/side-by-side@viewOrganization"]],
  [
    "tokens of its own server",
    { authorizationServer: "alone" },
    ["--rule", "receiver.scope-sufficient,errors.status,authorization-server.scope"],
  ],
])("--dry-run says how many requests a run sends: %s", async (_what, reference, rules) => {
  const { testIssuer, ...profile } = reference ? (await receiver(reference)).profile : {};
  const told = reference?.authorizationServer === undefined ? { testIssuer } : {};
  const io = (): TestIo => (reference ? ioWith({ ...profile, ...told }) : createIo());
  const { out, err } = await command(["run", ...rules, "--dry-run"], io());
  const about = Number(/about (\d+) requests/.exec(oneLine(out))?.[1]);
  const ran = await command(["run", ...rules], io());
  const { requests } = reportIn(ran.io);
  expect(Math.abs(about - requests) / requests, `${about} of ${requests} ${err}`).toBeLessThan(
    0.03,
  );
});
