import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it, onTestFinished, test, vi } from "vitest";
import { stringify } from "yaml";

import { command, type TestIo } from "../cli/io.ts";
import { listen, receiver } from "../cli/servers.ts";
import { fleetIn, reportIn, writeFiles } from "./files.ts";
import { startHanging } from "./hanging.ts";
import { createFleetIo } from "./io.ts";

const RULE = "--rule=receiver.token-required/missing@viewOrganization";

/** A folder with profiles, named as they are to be called. */
function world(
  profiles: Readonly<Record<string, unknown>>,
  env: Record<string, string> = {},
): TestIo {
  const io = createFleetIo({ PATH: process.env["PATH"] ?? "", ...env });
  const files = Object.entries(profiles).map(([name, one]) => [`profiles/${name}.yaml`, one]);
  writeFiles(io.cwd, Object.fromEntries(files) as Record<string, unknown>);
  return io;
}

/** The same folder for another command. */
function again({ cwd, env }: TestIo): TestIo {
  return Object.assign(createFleetIo(env as Record<string, string>), { cwd });
}

const UNREACHABLE = { baseUrl: "http://127.0.0.1:1/nobody" };

describe("fleet", () => {
  it("gives each run its own folder, seed, baseline and log, and exits 0 whatever the verdicts", async () => {
    const { profile } = await receiver();
    const faulty = await receiver({ faults: ["accepts-everything"] });
    const io = world({ good: profile, bad: faulty.profile, known: faulty.profile });
    const knownFailure = { case: "receiver.token-required/missing@*", reason: "until spring" };
    writeFileSync(join(io.cwd, "known.yaml"), stringify([knownFailure]));
    mkdirSync(join(io.cwd, "baselines"));
    writeFileSync(join(io.cwd, "baselines/known.yaml"), stringify([knownFailure]));
    const args = ["fleet", "profiles/*.yaml", "--out=out", RULE, "--baselines=baselines"];
    const { code, out, err } = await command([...args, "--seed=7"], io);
    expect([code, err]).toEqual([0, expect.stringContaining("3 runs of 3 profiles\n") as string]);
    expect(out).toBe("3 runs: 2 non-conformant, 1 partial\nResults: out/fleet.json\n");
    expect(fleetIn(io.cwd, "out")).toEqual({
      runs: ["bad", "good", "known"].map((name) => ({
        name,
        verdict: name === "good" ? "partial" : "non-conformant",
        report: `runs/${name}/report.json`,
      })),
    });
    const reports = ["bad", "good", "known"].map((name) => reportIn(join(io.cwd, "out"), name));
    expect(new Set(reports.map(({ seed }) => seed)).size).toBe(3);
    expect(reports.map(({ baseline }) => baseline?.known.length)).toEqual([
      undefined,
      undefined,
      1,
    ]);
    expect(readFileSync(join(io.cwd, "out/runs/bad/log.txt"), "utf8")).toContain("Not conformant");

    // A known failure counts as it did in the run.
    const gate = async (...names: string[]): Promise<number> => {
      const folders = names.map((name) => `out/runs/${name}`);
      return (await command(["merge", ...folders, "--gate", "--out=m"], again(io))).code;
    };
    expect([await gate("good", "known"), await gate("known", "bad")]).toEqual([0, 1]);

    // The same seed, the same inputs, in whichever shard.
    await command([...args.slice(0, 2), "--out=half", RULE, "--seed=7", "--shard=1/2"], again(io));
    const [first] = fleetIn(io.cwd, "half").runs;
    const name = first?.name ?? "";
    expect(reportIn(join(io.cwd, "half"), name).seed).toBe(
      reportIn(join(io.cwd, "out"), name).seed,
    );
  });

  it("keeps finished runs when interrupted, ends running ones, and continues with --resume", async () => {
    const { profile } = await receiver();
    const hanging = await startHanging();
    onTestFinished(() => hanging.close());
    const profiles = { a: profile, b: { baseUrl: hanging.baseUrl }, c: UNREACHABLE };
    const io = world(profiles);
    void hanging.asked().then(() => io.stop());
    const args = ["fleet", "profiles/*.yaml", "--out=out", RULE, "--jobs=1"];
    const { code, err } = await command(args, io);
    expect(code).toBe(130);
    expect(err).toContain("2 runs left; continue with --resume.");
    await hanging.deserted();
    const done = { name: "a", verdict: "partial", report: "runs/a/report.json" };
    expect(fleetIn(io.cwd, "out")).toEqual({ runs: [done, { name: "b" }, { name: "c" }] });
    const interrupted = await command(["merge", "out", "--out=m", "--gate"], again(io));
    expect(interrupted.code).toBe(130);

    const report = readFileSync(join(io.cwd, "out/runs/a/report.json"), "utf8");
    writeFiles(io.cwd, { "profiles/b.yaml": { ...profile, subject: "another" } });
    const resumed = await command([...args, "--resume"], again(io));
    expect(resumed.code).toBe(0);
    expect(resumed.err).not.toContain("a: ");
    expect(readFileSync(join(io.cwd, "out/runs/a/report.json"), "utf8")).toBe(report);
    const [a, b, c] = fleetIn(io.cwd, "out").runs;
    expect([a, b?.verdict, c?.error]).toEqual([
      done,
      "incomplete",
      expect.stringContaining("cannot be reached") as string,
    ]);
    // An error is a result: nothing is left to do.
    const nothing = await command([...args, "--resume"], again(io));
    expect(nothing.err).toBe("3 runs of 3 profiles\n");
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "ends on %s, with everything that it runs",
    async (signal) => {
      const hanging = await startHanging();
      onTestFinished(() => hanging.close());
      const { cwd, self } = world({
        a: { baseUrl: hanging.baseUrl },
        b: { baseUrl: hanging.baseUrl },
      });
      const [program, ...first] = self;
      const fleet = spawn(program, [...first, "fleet", "profiles/*.yaml"], {
        cwd,
        stdio: "ignore",
      });
      const ended = once(fleet, "exit");
      await hanging.asked();
      fleet.kill(signal);
      expect(await ended).toEqual([130, null]);
      await hanging.deserted();
      expect(fleetIn(cwd, "fleet")).toEqual({ runs: [{ name: "a" }, { name: "b" }] });
    },
  );

  it("repeats a run whose report is lost", async () => {
    const io = world({ a: UNREACHABLE });
    const lost = { name: "a", verdict: "conformant", report: "runs/a/report.json" };
    writeFiles(io.cwd, { "out/fleet.json": { runs: [lost] } });
    await command(["fleet", "profiles/*.yaml", "--out=out", "--resume"], io);
    expect(fleetIn(io.cwd, "out").runs[0]).toMatchObject({ name: "a", error: expect.any(String) });
  });

  it("never runs two profiles with the same base URL and primary organization at once", async () => {
    const primary = "11111111-1111-4111-8111-111111111111";
    const seen: string[] = [];
    const { baseUrl } = await listen((request, response) => {
      seen.push(String(request.headers["x-run"]));
      response.writeHead(401).end("{}");
    });
    const of = (run: string, url = baseUrl): Record<string, unknown> => ({
      baseUrl: url,
      organizations: { primary },
      request: { headers: { "X-Run": run } },
    });
    const io = world({ a: of("a"), b: of("b", `${baseUrl}/`), c: of("c") });
    await command(["fleet", "profiles/*.yaml", RULE, "--jobs=4"], io);
    expect(seen.filter((run, at) => run !== seen[at - 1])).toEqual(["a", "b", "c"]);
    const runs = ["a", "b", "c"].map((name) => reportIn(join(io.cwd, "fleet"), name));
    const times = runs.map(({ startedAt, durationMs }) => {
      const began = Date.parse(startedAt);
      return { began, ended: began + durationMs };
    });
    for (const [at, { began }] of times.entries()) {
      expect(began).toBeGreaterThanOrEqual(Math.floor(times[at - 1]?.ended ?? 0));
    }
  });

  it("takes what a run judged before its time limit as its result", async () => {
    const hanging = await startHanging();
    onTestFinished(() => hanging.close());
    // The run itself keeps its limit; the fleet does not stop it.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const io = world({ a: { baseUrl: hanging.baseUrl, request: { timeoutMs: 2_000_000_000 } } });
    await command(["fleet", "profiles/*.yaml", "--timeout=1", RULE], io);
    expect(fleetIn(io.cwd, "fleet").runs).toMatchObject([{ name: "a", verdict: "incomplete" }]);
  });

  it.each([
    [[], "missing required argument"],
    [["none/*.yaml"], "No profile matches none/*.yaml"],
    [["profiles/*", "--shard=0/2"], "For example 2/5"],
    [["profiles/*", "--shard=3/2"], "For example 2/5"],
    [["profiles/*", "--shard=index:2/2"], "For example 2/5"],
    [["profiles/*", "--shard=1"], "For example 2/5"],
    [["profiles/*", "--env=X"], "--env has no meaning without --untrusted"],
    [
      ["profiles/a.yaml", "others/a.yaml"],
      "Two profiles would be called a: profiles/a.yaml and others/a.yaml",
    ],
    [["profiles/*", "--out=profiles/a.yaml"], "a file has that name"],
    [["profiles/*", "--shard=2/5", "--out=first"], "first holds the results of shard 1 of 5"],
    [["profiles/*", "--resume", "--out=broken"], "broken/fleet.json is not a fleet.json: runs"],
  ])("%j exits 2 and says why", async (args, why) => {
    const io = world({ a: UNREACHABLE });
    writeFiles(io.cwd, { "others/a.yaml": UNREACHABLE, "broken/fleet.json": {} });
    const shard = { number: 1, of: 5, others: ["a"] };
    writeFiles(io.cwd, { "first/fleet.json": { runs: [], shard } });
    const { code, err } = await command(["fleet", ...args], io);
    expect([code, err]).toEqual([2, expect.stringContaining(why) as string]);
    expect(existsSync(join(io.cwd, "fleet"))).toBe(false);
  });

  it("finds profiles that are links, as in a ConfigMap, and names them by their place", async () => {
    const io = world({});
    writeFiles(io.cwd, { "data/acme/orgsync.yaml": UNREACHABLE });
    mkdirSync(join(io.cwd, "profiles/zeta"), { recursive: true });
    symlinkSync("../data/acme/orgsync.yaml", join(io.cwd, "profiles/acme.yaml"));
    symlinkSync("../../data/acme/orgsync.yaml", join(io.cwd, "profiles/zeta/orgsync.yaml"));
    await command(["fleet", "profiles/*.yaml", "profiles/*/orgsync.yaml"], io);
    expect(fleetIn(io.cwd, "fleet").runs.map(({ name }) => name)).toEqual(["acme", "zeta/orgsync"]);
  });

  it("does not let runs write to GitHub Actions: each has a log", async () => {
    const { profile } = await receiver({ faults: ["accepts-everything"] });
    const summary = join(createFleetIo().cwd, "summary.md");
    const io = world({ a: profile }, { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: summary });
    const { out } = await command(["fleet", "profiles/*.yaml", RULE], io);
    expect(out).not.toContain("::error");
    expect(existsSync(summary)).toBe(false);
    expect(readFileSync(join(io.cwd, "fleet/runs/a/log.txt"), "utf8")).not.toContain("::error");
  });
});

test("fleet --untrusted passes to a profile only what is named", async () => {
  const { profile, baseUrl } = await receiver();
  const secret = { SECRET: "for-nobody-else-1" };
  const request = { headers: { "X-Key": "${env:SECRET}" } };
  const vendor = "https://vendor.invalid/api";
  const io = world(
    {
      nearby: profile,
      curious: { baseUrl: vendor, request },
      runs: { baseUrl: vendor, tokens: { command: ["touch", "proof"] } },
    },
    secret,
  );
  const { code } = await command(["fleet", "profiles/*.yaml", "--untrusted"], io);
  expect(code).toBe(0);
  const errors = fleetIn(io.cwd, "fleet").runs.map(({ name, error }) => [name, error]);
  expect(errors).toEqual([
    ["curious", expect.stringContaining("SECRET, which is not named with --env") as string],
    ["nearby", expect.stringContaining("not on the public internet") as string],
    ["runs", expect.stringContaining("is a command") as string],
  ]);
  expect(existsSync(join(io.cwd, "proof"))).toBe(false);
  expect(JSON.stringify(errors)).not.toContain("for-nobody-else-1");
  const named = ["fleet", "profiles/curious.yaml", "--untrusted", "--env=SECRET", "--out=named"];
  await command(named, again(io));
  expect(fleetIn(io.cwd, "named").runs[0]?.error).not.toContain("not named with --env");
  expect(baseUrl).toContain("127.0.0.1");
});
