import { execFileSync } from "node:child_process";
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";
import { stringify } from "yaml";

import { reportOf, result } from "../report/events.ts";
import { command, createIo, ioWith, refusal, reportIn } from "./io.ts";
import { listen, receiver } from "./servers.ts";

describe.skipIf(process.platform === "win32")("a pipe or a device is refused as", () => {
  test.each([
    ["the profile", ["run", "--profile", "PIPE"]],
    ["the profile", ["doctor", "--profile", "/dev/zero"]],
    ["the baseline", ["run", "http://127.0.0.1:9", "--baseline", "PIPE"]],
    ["a report", ["replay", "PIPE", "x"]],
    ["a report", ["compare", "/dev/zero", "/dev/zero"]],
    ["certificates", ["run", "--profile", "ca.yaml"]],
    ["the OpenAPI document", ["run", "--profile", "openapi.yaml"]],
  ])("%s: %j", async (_what, args) => {
    const baseUrl = "http://127.0.0.1:9";
    const io = createIo({}, "", {
      "ca.yaml": stringify({ baseUrl, request: { ca: "pipe" } }),
      "openapi.yaml": stringify({ baseUrl, openapi: "pipe" }),
    });
    const pipe = join(io.cwd, "pipe");
    execFileSync("mkfifo", [pipe]);
    const argv = args.map((arg) => (arg === "PIPE" ? pipe : arg));
    expect(await refusal(command(argv, io))).toContain("is not a regular file");
  });
});

test("replay sends nothing to a host that only the report names", async () => {
  const report = reportOf([result("receiver.issuer/other@viewOrganization")]);
  const target = { ...report.target, baseUrl: "https://collector.example/", embedded: undefined };
  const io = createIo({}, "", { "report.json": JSON.stringify({ ...report, target }) });
  const err = await refusal(command(["replay", "report.json", "issuer/other"], io));
  expect(err).toContain("Name the profile of the deployment with --profile");
});

test("a report is refused if an id could forge an output line", async () => {
  const id = "receiver.issuer/x\n::error title=forged::@viewOrganization";
  const report = reportOf([{ ...result("receiver.issuer/x@viewOrganization"), id }]);
  const io = createIo({}, "", { a: JSON.stringify(report), b: JSON.stringify(report) });
  expect(await refusal(command(["compare", "a", "b"], io))).not.toMatch(/^::error/m);
});

test("a new report replaces the other formats of an earlier run", async () => {
  const { profile } = await receiver();
  const io = ioWith(profile);
  const folder = join(io.cwd, "reports");
  const args = ["run", "--rule", "routes.reachable", "--seed", "1"];
  await command([...args, "--report", "html", "--report", "junit"], io);
  writeFileSync(join(folder, "notes.html"), "mine");
  expect(readdirSync(folder)).toContain("report.html");
  await command([...args, "--report", "junit"], io);
  expect(readdirSync(folder).toSorted()).toEqual(["junit.xml", "notes.html", "report.json"]);
});

test("a baseline that cannot be written completely stays unchanged and keeps its permissions", async () => {
  const { profile } = await receiver({ faults: ["issuer-unchecked"] });
  const io = ioWith(profile, { "known.yaml": "[]\n" });
  const file = join(io.cwd, "known.yaml");
  chmodSync(file, 0o640);
  const args = ["run", "--rule", "receiver.issuer", "--write-baseline"];
  await command(args, io);
  expect(readFileSync(file, "utf8")).toContain("receiver.issuer");
  expect(statSync(file).mode & 0o777).toBe(0o640);
  expect(readdirSync(io.cwd).filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

test("a run that reaches its time limit writes its results, and its verdict is incomplete", async () => {
  const { baseUrl } = await listen(() => {});
  const { code, io } = await command(["run", baseUrl, "--timeout", "1"]);
  expect(code).toBe(3);
  expect(JSON.stringify(reportIn(io))).toContain("time limit of the run");
});
