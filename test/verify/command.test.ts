import { readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, onTestFinished, test } from "vitest";
import { parse, stringify } from "yaml";

import { chanceOf, comparable, sampleOf, sizeFor } from "../../src/cli/commands/verify/sample.ts";
import { startReference } from "../../src/reference/index.ts";
import { reportJson } from "../../src/report/json.ts";
import type { Report } from "../../src/report/report.ts";
import { command, createIo, ioWith, oneLine, type TestIo } from "../cli/io.ts";
import { documentedReceiver, receiver } from "../cli/servers.ts";
import { BUNDLED_JWKS } from "../support/run-against.ts";
import { genuine } from "./reports.ts";

function folderWith(report: object): TestIo {
  const io = createIo();
  writeFileSync(join(io.cwd, "report.json"), reportJson(report as Report));
  return io;
}

/** The result of `verify` for a report. */
function verify(report: object, ...flags: string[]): ReturnType<typeof command> {
  return command(["verify", "report.json", ...flags], folderWith(report));
}

let good: Promise<Report> | undefined;

const TWO_RULES = "receiver.{audience,issuer}/*@viewOrganization";

/** The report of a run against a conforming receiver, made once. */
function goodReport(): Promise<Report> {
  good ??= genuine({}, { patterns: [TWO_RULES, "errors.shape"] });
  return good;
}

test("a consistent report exits 0, and the output says what that shows", async () => {
  const { code, out } = await verify(await goodReport());
  expect(code).toBe(0);
  expect(oneLine(out)).toMatch(
    /^Partial\. The report is consistent: its evidence supports the verdict partial\. Not certified: .*only receiver\.\{audience,issuer\}\/\*@viewOrganization, errors\.shape was selected/,
  );
  expect(out).toMatch(/suite +orgsync-conformance \S+, rule set/);
  expect(out).toMatch(/not re-checked +\d+/);
  expect(out).toContain("; --live ");
  expect(out).toContain("--live         shows whether it is true");
});

test("--require conformant exits 3 for a consistent report with another verdict", async () => {
  const { code, err } = await verify(await goodReport(), "--require", "conformant");
  expect(code).toBe(3);
  expect(err).toBe("The exit code is 3 by --require conformant: the verdict is partial.\n");
});

test("a report that is not consistent exits 1 and names the place; its texts cannot steer the terminal", async () => {
  const report = await goodReport();
  const forged = {
    ...report,
    verdict: "conformant",
    rules: report.rules.map((rule) => ({
      ...rule,
      cases: [...rule.cases, ...rule.cases.slice(0, 1)],
    })),
    startedAt: "2025-01-01T00:00:00.000Z",
    target: { ...report.target, deployment: { name: "\u001B[2Jforged" } },
  };
  const { code, out } = await verify(forged);
  expect(code).toBe(1);
  expect(out).toContain("/verdict");
  expect(out).toContain("it is listed twice");
  expect(out).not.toContain("\u001B[2J");
});

test("--json prints all of it", async () => {
  const { out } = await verify(await goodReport(), "--json");
  expect(JSON.parse(out)).toMatchObject({
    consistent: true,
    discrepancies: [],
    verdict: "partial",
    exitCode: 0,
  });
});

test.each(
  Object.entries<[(report: Report) => object, RegExp]>({
    "not a report": [
      () => ({ schemaVersion: "2.1" }),
      /is not a report that this version can read/,
    ],
    "nested too deeply": [
      (report) => ({ ...report, seed: JSON.parse("[".repeat(500) + "]".repeat(500)) as unknown }),
      /nested too deeply/,
    ],
    "made by another version": [
      (report) => ({ ...report, suite: { ...report.suite, version: "0.0.9" } }),
      /made by version 0\.0\.9 .*check out its commit in a clone/s,
    ],
    "made by an invalid version": [
      (report) => ({ ...report, suite: { ...report.suite, version: "1; rm -rf ~" } }),
      /made by version 1; rm -rf ~/,
    ],
  }),
)("a report that is %s exits 2", async (_, [change, why]) => {
  const { code, err } = await verify(change(await goodReport()));
  expect(code).toBe(2);
  expect(err).toMatch(why);
});

test.each(
  Object.entries<[string, (file: string) => void]>({
    "of 100 MB": ["is larger than 64 MiB", (file) => truncateSync(file, 100_000_000)],
    "that is a link to itself": [
      "cannot be read",
      (file) => (rmSync(file), symlinkSync("report.json", file)),
    ],
    "of 60 MB of open brackets": [
      "nested too deeply",
      (file) => writeFileSync(file, "[".repeat(60_000_000)),
    ],
    "of 60 MB in one member": [
      "is not a report",
      (file) => writeFileSync(file, `{"verdict":"${"x".repeat(60_000_000)}"}`),
    ],
    "with two million members": [
      "is not a report",
      (file) => writeFileSync(file, `{"rules":[${"{},".repeat(2_000_000)}{}]}`),
    ],
  }),
)("a hostile report %s is refused", async (_, [why, make]) => {
  const io = folderWith(await goodReport());
  make(join(io.cwd, "report.json"));
  const { code, out, err } = await command(["verify", "report.json"], io);
  expect(err).toContain(why);
  expect(out).toBe("");
  expect(code).toBe(2);
});

test("the report of a run with a baseline is consistent", async () => {
  const { profile } = await documentedReceiver({ faults: ["expiry-unchecked"] });
  const known = "- case: receiver.expiry/hour-ago@viewOrganization\n  reason: known\n";
  const io = ioWith(profile, { "known.yaml": known });
  const rule = "receiver.expiry/*@viewOrganization";
  await command(["run", "--rule", rule, "--baseline", "known.yaml", "-o", "."], io);
  const { code, out } = await command(["verify", "report.json", "--report", "html"], io);
  expect(out).toMatch(
    /^Not conformant\. The report is consistent: its evidence supports the verdict non-conformant/m,
  );
  expect(readFileSync(join(io.cwd, "verification.html"), "utf8")).toMatch(
    /<title>Not conformant: .*<section class="verdict fail"/s,
  );
  expect(code).toBe(0);
});

/** A folder with the report of a run against a receiver, its profile, and the receiver once more with other faults. */
async function runThenChange(faults: readonly string[]): Promise<TestIo> {
  const before = await receiver();
  const io = ioWith(before.profile);
  await command(["run", "--rule", TWO_RULES, "-o", "."], io);
  const { port } = new URL(before.baseUrl);
  await before.close();
  const after = await startReference({ jwks: BUNDLED_JWKS, port: Number(port), faults });
  onTestFinished(() => after.close());
  return io;
}

test("--live confirms that a deployment behaves as the report says", async () => {
  const io = await runThenChange([]);
  const argv = ["--live", "orgsync.yaml", "--sample", "10", "--seed", "7", "--untrusted"];
  const refused = await command(["verify", "report.json", ...argv], io);
  expect(refused.err).toContain("named on the command line as the base URL");
  const { baseUrl } = parse(readFileSync(join(io.cwd, "orgsync.yaml"), "utf8")) as {
    baseUrl: string;
  };
  const { code, out, err } = await command(["verify", "report.json", baseUrl, ...argv], io);
  expect(out).toContain("The deployment behaves as the report says: 10 cases, drawn by --seed 7.");
  expect(err).toMatch(/10 of \d+ cases are run again, drawn by --seed 7\./);
  expect(oneLine(out)).toMatch(
    /If 5 cases of \d+ had another outcome now, such a sample would find at least one of them with a chance of [\d.]+ %\./,
  );
  expect(code).toBe(0);
});

test("a sample is spread over rules and levels, and its chance to show a wrong case follows from its size", async () => {
  const report = await goodReport();
  const all = comparable(report, new Set(report.rules.flatMap(({ cases }) => cases.map(idOf))));
  const ids = sampleOf(all, 10, 7);
  expect(new Set(ids).size).toBe(10);
  expect(sampleOf(all, 10, 7)).toEqual(ids);
  expect(sampleOf(all, 10, 8)).not.toEqual(ids);
  expect(new Set(sampleOf(all, 10_000, 7))).toEqual(new Set(all.map(idOf)));
  for (const rule of ["receiver.audience", "receiver.issuer"]) {
    const share = all.filter(({ id }) => id.startsWith(`${rule}/`)).length / all.length;
    const drawn = ids.filter((id) => id.startsWith(`${rule}/`)).length;
    expect(Math.abs(drawn - 10 * share)).toBeLessThan(3);
  }
  expect(chanceOf(40, 1600, 1)).toBeCloseTo(40 / 1600);
  expect(chanceOf(1, 2, 2)).toBe(1);
  const size = sizeFor(0.95, 1600, 5);
  expect(chanceOf(size, 1600, 5)).toBeGreaterThanOrEqual(0.95);
  expect(chanceOf(size - 1, 1600, 5)).toBeLessThan(0.95);
});

function idOf({ id }: { readonly id: string }): string {
  return id;
}

test("--live detects that a deployment behaves differently", async () => {
  const io = await runThenChange(["audience-unchecked"]);
  const flags = ["--power", "0.999", "--wrong", "1", "--report", "html"];
  const argv = ["verify", "report.json", "--live", "orgsync.yaml", ...flags];
  const { code, out } = await command(argv, io);
  expect(out).toMatch(/^The deployment does not do what the report says\. \d+ of /m);
  expect(out).toMatch(
    /  receiver\.audience\/other@viewOrganization\n +the report says pass, now it is fail/,
  );
  const page = readFileSync(join(io.cwd, "verification.html"), "utf8");
  expect(page).toMatch(
    /<title>The deployment does not do what the report says: .*<section class="verdict fail"/s,
  );
  expect(page).toContain("<code>receiver.audience/other@viewOrganization</code>: the report says");
  expect(code).toBe(1);
});

test("--live sends requests only to the deployment of the report", async () => {
  const { profile } = await receiver();
  const io = folderWith(await goodReport());
  writeFileSync(join(io.cwd, "orgsync.yaml"), stringify(profile));
  const { code, err } = await command(["verify", "report.json", "--live", "orgsync.yaml"], io);
  expect(err).toContain("Name the profile of the deployment that the report is of.");
  expect(code).toBe(2);
});

test.each([
  [["--seed", "1"], "--seed has no meaning without --live"],
  [["https://example.com"], "A base URL has no meaning without --live"],
  [["--power", "0.9"], "--power has no meaning without --live"],
  [["--live", "p.yaml", "--power", "0.9", "--sample", "3"], "exclude each other"],
  [["--live", "p.yaml", "--power", "1"], "above 0 and below 1"],
  [["--report", "pdf"], "no report of the format pdf"],
])("%j is an error", async (flags, why) => {
  const { code, err } = await verify(await goodReport(), ...flags);
  expect(err).toContain(why);
  expect(code).toBe(2);
});
