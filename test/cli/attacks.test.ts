import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";
import { stringify } from "yaml";

import { reportOf, result } from "../report/events.ts";
import { command, createIo, refusal } from "./io.ts";
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
    const io = createIo();
    const pipe = join(io.cwd, "pipe");
    execFileSync("mkfifo", [pipe]);
    const baseUrl = "http://127.0.0.1:9";
    writeFileSync(join(io.cwd, "ca.yaml"), stringify({ baseUrl, request: { ca: pipe } }));
    writeFileSync(join(io.cwd, "openapi.yaml"), stringify({ baseUrl, openapi: pipe }));
    const argv = args.map((arg) => (arg === "PIPE" ? pipe : arg));
    expect(await refusal(command(argv, io))).toContain("is not a regular file");
  });
});

test("replay sends nothing to a host that only the report names", async () => {
  const io = createIo();
  const report = reportOf([result("receiver.issuer/other@viewOrganization")]);
  const target = { ...report.target, baseUrl: "https://collector.example/", embedded: undefined };
  writeFileSync(join(io.cwd, "report.json"), JSON.stringify({ ...report, target }));
  const err = await refusal(command(["replay", "report.json", "issuer/other"], io));
  expect(err).toContain("Name the profile of the deployment with --profile");
});

test("a report is refused if an id could forge an output line", async () => {
  const io = createIo();
  const id = "receiver.issuer/x\n::error title=forged::@viewOrganization";
  const report = reportOf([{ ...result("receiver.issuer/x@viewOrganization"), id }]);
  for (const name of ["a", "b"]) writeFileSync(join(io.cwd, name), JSON.stringify(report));
  const { code, out, err } = await command(["compare", "a", "b"], io);
  expect(code).toBe(2);
  expect(`${out}${err}`).not.toMatch(/^::error/m);
});

test("a new report replaces the other formats of an earlier run", async () => {
  const io = createIo();
  const folder = join(io.cwd, "reports");
  const { profile } = await receiver();
  writeFileSync(join(io.cwd, "orgsync.yaml"), stringify(profile));
  const args = ["run", "--rule", "routes.reachable", "--seed", "1"];
  await command([...args, "--report", "html", "--report", "junit"], io);
  writeFileSync(join(folder, "notes.html"), "mine");
  expect(readdirSync(folder)).toContain("report.html");
  await command([...args, "--report", "junit"], io);
  expect(readdirSync(folder).toSorted()).toEqual(["junit.xml", "notes.html", "report.json"]);
});

test("a baseline that cannot be written completely stays unchanged and keeps its permissions", async () => {
  const io = createIo();
  const { profile } = await receiver({ faults: ["issuer-unchecked"] });
  writeFileSync(join(io.cwd, "orgsync.yaml"), stringify(profile));
  const file = join(io.cwd, "known.yaml");
  writeFileSync(file, "[]\n");
  chmodSync(file, 0o640);
  const args = ["run", "--rule", "receiver.issuer", "--write-baseline"];
  await command(args, io);
  expect(readFileSync(file, "utf8")).toContain("receiver.issuer");
  expect(statSync(file).mode & 0o777).toBe(0o640);
  expect(readdirSync(io.cwd).filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

test("a run that reaches its time limit writes its results, and its verdict is incomplete", async () => {
  const io = createIo();
  const { baseUrl } = await listen(() => {});
  mkdirSync(join(io.cwd, "reports"));
  const { code } = await command(["run", baseUrl, "--timeout", "1"], io);
  expect(code).toBe(3);
  expect(existsSync(join(io.cwd, "reports/report.json"))).toBe(true);
  expect(readFileSync(join(io.cwd, "reports/report.json"), "utf8")).toContain(
    "time limit of the run",
  );
});
