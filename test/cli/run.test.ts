import { existsSync, readdirSync, writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { join } from "node:path";

import { describe, expect, it } from "vitest";
import { stringify } from "yaml";

import { reportProblems } from "../report/schema.ts";
import { type TestIo, command, createIo, ioWith, oneLine, refusal, reportIn } from "./io.ts";
import { listen, receiver } from "./servers.ts";

const ID = "11111111-1111-4111-8111-111111111111";

/** Accepts every request. */
const acceptEverything: RequestListener = (_request, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ items: [{ id: ID }], data: { id: ID } }));
};

const writable = {
  organizations: { primary: ID },
  writes: true,
  operations: {
    editOrganization: { body: { mission: "${unique}" } },
    submitChange: { body: { mission: "${unique}" } },
    readChange: { changeId: "c1" },
  },
};

/** Asks the command to stop when the server has had so many requests. */
async function interruptedAfter(
  requests: number,
  times = 1,
): Promise<{ code: number; io: TestIo }> {
  const io = createIo();
  const { baseUrl, methods } = await listen((request, response) => {
    acceptEverything(request, response);
    if (methods.length === requests) for (let i = 0; i < times; i++) io.stop();
  });
  writeFileSync(join(io.cwd, "orgsync.yaml"), stringify({ baseUrl, ...writable }));
  const { code } = await command(["run", "--concurrency", "1"], io);
  return { code, io };
}

/** Surroundings that cause an unexpected exception. */
function broken(env: Record<string, string>): TestIo {
  return Object.assign(createIo(env), { cwd: undefined });
}

describe("run, to a verdict", () => {
  it("finds orgsync.yaml, exits 1 for a fault, and never shows a token", async () => {
    const { profile } = await receiver({ faults: ["expiry-unchecked"] });
    const argv = ["run", "-o", "to/here", "--rule", "receiver.expiry"];
    const { code, out, err, io } = await command(argv, ioWith(profile));
    expect(code).toBe(1);
    expect(err).toContain("The profile is orgsync.yaml.");
    expect(out).toContain("case      receiver.expiry/hour-ago@listOrganizations");
    expect(out).toContain("again     npx --no-install orgsync-conformance replay");
    const report = reportIn(io, "to/here");
    expect(reportProblems(report)).toEqual([]);
    expect(out + err + JSON.stringify(report)).not.toContain("eyJ");
  });

  it("uses the given profile and rule, and says that the verdict is partial", async () => {
    const { profile } = await receiver({ faults: ["expiry-unchecked"] });
    const { baseUrl } = profile;
    const other = { ...profile, baseUrl: "http://127.0.0.1:9/", audience: baseUrl };
    const io = createIo({}, "", { "other.yaml": stringify(other) });
    const rule = ["--rule", "receiver.audience"];
    const { code, out } = await command(["run", String(baseUrl), "-p", "other.yaml", ...rule], io);
    expect(code).toBe(0);
    expect(oneLine(out)).toMatch(
      /Partial\. .* \d+ of \d+ MUST cases of the contract were judged: only receiver\.audience was selected\./,
    );
    expect(reportIn(io)).toMatchObject({ verdict: "partial", partial: true });
    expect(reportIn(io).rules.map(({ id }) => id)).toEqual(["receiver.audience"]);
  });

  it("exits 3 if the profile does not consent to writes, and 0 (partial) with --read-only", async () => {
    // Only a run that writes can see what is wrong with this receiver.
    const { profile } = await receiver({ faults: ["binding-unchecked-on-editOrganization"] });
    const rule = ["--rule", "receiver.binding/*@{view,edit}Organization"];
    const unconsenting = { ...profile, writes: false };
    const blind = await command(["run", ...rule], ioWith(unconsenting));
    expect(blind.code).toBe(3);
    expect(blind.out).toContain("the profile lacks writes");
    const planned = await command(["run", ...rule, "--dry-run"], ioWith(unconsenting));
    expect(planned.out).toMatch(/ MUST +nothing +\S+@editOrganization\n/);
    expect(oneLine(planned.out)).toMatch(/for which nothing is sent: the profile lacks writes/);
    const reading = await command(["run", ...rule, "--read-only"], ioWith(profile));
    expect(reading.code).toBe(0);
    expect(oneLine(reading.out)).toMatch(/Partial\. .*--read-only sends no PATCH and no POST/);
    expect((await command(["run", ...rule], ioWith(profile))).code).toBe(1);
  });

  it("exits 3 when everything is rejected, and 0 with --accept-incomplete", async () => {
    const { profile } = await receiver({ faults: ["rejects-everything"] });
    const first = await command(["run"], ioWith(profile));
    expect(first.code).toBe(3);
    expect(first.out).toMatch(/^\nSet-up\n/);
    expect(first.out).toMatch(/\nIncomplete\. /);
    const second = await command(["run", "--accept-incomplete"], ioWith(profile));
    expect(second.code).toBe(0);
    expect(reportIn(second.io).verdict).toBe("incomplete");
  });

  it("writes the formats of a list, and fails a warning or a partial run only on demand", async () => {
    const { profile } = await receiver({ faults: ["sub-missing-accepted"] });
    const rules = ["run", "--rule", "receiver.required-claims,routes.reachable"];
    const codeOf = (...argv: string[]): ReturnType<typeof command> =>
      command([...rules, ...argv], ioWith(profile));
    const { code, io, out } = await codeOf("--report", "markdown,html", "--report", "junit");
    expect(code).toBe(0);
    expect(out).toContain("report.json, reports/report.md, reports/report.html, reports/junit.xml");
    expect(readdirSync(join(io.cwd, "reports")).toSorted()).toEqual([
      "junit.xml",
      "report.html",
      "report.json",
      "report.md",
    ]);
    expect(reportIn(io).rules.map(({ id }) => id)).toEqual([
      "routes.reachable",
      "receiver.required-claims",
    ]);
    const warned = await codeOf("--fail-on", "warn", "--require", "conformant");
    expect(warned.code).toBe(1);
    expect(warned.err).toMatch(
      /The exit code is 1 by --fail-on warn: \d+ cases? violated a SHOULD\./,
    );
    const partial = await codeOf("--require", "conformant");
    expect(partial.code).toBe(3);
    expect(partial.err).toContain(
      "The exit code is 3 by --require conformant: the run is partial, because only receiver.required-claims, routes.reachable was selected.",
    );
    expect(reportIn(partial.io).verdict).toBe("partial");
  });

  it("sends no PATCH and no POST with --read-only, and some without it, to a target that accepts everything", async () => {
    const { baseUrl, methods } = await listen(acceptEverything);
    const profile = { baseUrl, ...writable };
    const reading = [
      "run",
      "--read-only",
      "--rule",
      "receiver.{token-required,binding},resources.*",
    ];
    await command(reading, ioWith(profile));
    const safe = ["GET", "HEAD", "OPTIONS"];
    expect(safe).toEqual(expect.arrayContaining(methods));
    const argv = ["run", "--rule", "receiver.token-required"];
    const { code, io } = await command(argv, ioWith(profile));
    expect(methods).toEqual(expect.arrayContaining(["PATCH", "POST"]));
    expect(code).toBe(1);
    expect(reportProblems(reportIn(io))).toEqual([]);
  });
});

describe("run, with exit code 2", () => {
  it.each([
    [["run", "--rule", "nonsense"], "--rule nonsense matches no rule and no case"],
    [["run", "nowhere"], "The base URL must"],
    [["run", "http://192.0.2.1/"], "The bundled keys are public"],
    [["run", "-p", "missing.yaml"], "missing.yaml does not exist"],
    [["run", "-o", "file"], "a file has that name"],
    [["run", "-o", "/proc/reports"], "Reports cannot go to /proc/reports"],
    [["run", "-o", "/dev/null/reports"], "Reports cannot go to /dev/null/reports"],
  ])("%j exits 2 and says why", async (argv, why) => {
    const io = createIo({}, "", { file: "" });
    const err = await refusal(command(argv, io));
    expect(err).toContain(why);
    expect(err).toContain("No report was written.");
    expect(err).not.toMatch(/^ +at /m);
    expect(readdirSync(io.cwd)).toEqual(["file"]);
  });

  it("exits 2 when nobody listens, keeps the report of an earlier run, and says that it is of an earlier run", async () => {
    const io = createIo({}, "", { "reports/report.json": "{}" });
    const err = await refusal(command(["run", "http://127.0.0.1:9/"], io));
    expect(err).toContain("http://127.0.0.1:9/ cannot be reached");
    expect(err).toContain("No report was written; reports/report.json is of an earlier run.");
    expect(readdirSync(join(io.cwd, "reports"))).toEqual(["report.json"]);
    expect(reportIn(io)).toEqual({});
  });

  it("names the line and column of a typo in the profile", async () => {
    const io = ioWith({ baseUrl: "http://127.0.0.1:9/", claimNamespace: "x" });
    const place = /orgsync\.yaml:2:1: .*did you mean claimsNamespace\?/;
    expect(await refusal(command(["run"], io))).toMatch(place);
  });

  it("reports an unexpected exception as a bug of the suite, and shows the stack only with DEBUG", async () => {
    const quiet = await command(["run"], broken({}));
    expect(quiet.code).toBe(2);
    expect(quiet.err).toContain("error: a bug in the suite: ");
    expect(quiet.err).toContain("Please report it");
    expect(quiet.err).not.toMatch(/^ +at /m);
    expect((await command(["run"], broken({ DEBUG: "1" }))).err).toMatch(/^ +at /m);
  });
});

describe("run --dry-run", () => {
  it("prints the plan, sends nothing, writes nothing", async () => {
    const { baseUrl, methods } = await listen(acceptEverything);
    const rules = "receiver.expiry,receiver.binding-list,errors.shape,resources.*";
    const argv = ["run", "--dry-run", "--rule", rules];
    const { code, out, io } = await command(argv, ioWith({ baseUrl, ...writable }));
    expect(code).toBe(0);
    expect(methods).toEqual([]);
    expect(existsSync(join(io.cwd, "reports"))).toBe(false);
    expect(out).toMatch(/\n {2}MUST +writes +receiver\.expiry\/hour-ago@editOrganization\n/);
    expect(out).toMatch(/\n {2}MUST +nothing +receiver\.binding-list\/\S+\n/);
    expect(out).toMatch(/\n {2}MUST +may read +errors\.shape\/viewOrganization\n/);
    expect(out.split("\n").filter((line) => line.length > 100)).toEqual([]);
    expect(out).toContain("cases for which nothing is sent: the profile lacks claimsNamespace.");
    expect(oneLine(out)).toMatch(
      /\d+ cases for which the run looks for organizations\.other at the deployment, because the profile lacks it/,
    );
    expect(oneLine(out)).toMatch(
      /about \d+ requests, \d+ of them PATCH or POST to the receiver\. Nothing was sent\./,
    );
  });

  it("counts consents that only a program has to give again", async () => {
    expect(await consentsPlanned(["consent"])).toContain(
      "about 3 consents, up to 8 more if a refused request ends the grant, at most",
    );
    expect(await consentsPlanned("browser")).toContain("about 3 consents, at most");
  });

  it("refuses what a run refuses", async () => {
    expect(await refusal(command(["run", "--dry-run", "--rule", "nonsense"]))).not.toContain(
      "No report was written",
    );
  });
});

describe("run, interrupted", () => {
  it.each([1, 2, 40])("at request %i: exits 130 and writes what was judged", async (requests) => {
    const { code, io } = await interruptedAfter(requests);
    expect(code).toBe(130);
    expect(io.exits).toEqual([]);
    expect(io.err).toContain("Interrupted: what was judged is being written.");
    expect(oneLine(io.out)).toContain("the run was interrupted");
    const report = reportIn(io);
    expect(reportProblems(report)).toEqual([]);
    expect(report).toMatchObject({ interrupted: true, partial: true });
  });

  it("ends at once on a second interrupt", async () => {
    expect((await interruptedAfter(3, 2)).io.exits).toEqual([130]);
  });

  it("before the first request: also exits 130", async () => {
    const { baseUrl, methods } = await listen(acceptEverything);
    const io = createIo();
    io.when("plan ", () => io.stop());
    const { code, err } = await command(["run", baseUrl], io);
    expect(code).toBe(130);
    expect(methods).toEqual([]);
    expect(err).not.toContain("error:");
  });
});

/** The plan for a client of the code flow whose consent is given in this way. */
async function consentsPlanned(consent: string | readonly string[]): Promise<string> {
  const admin = { flow: "authorization_code", id: "admin", authentication: "none" };
  const redirectUri = "http://127.0.0.1:8400/callback";
  const clients = { admin: { ...admin, redirectUri, consent } };
  const authorizationServer = { issuer: "http://127.0.0.1:9", probes: true, clients };
  const argv = ["run", "--dry-run", "--rule", "*/redirect-almost@admin"];
  const io = ioWith({ baseUrl: "http://127.0.0.1:9/", authorizationServer });
  return oneLine((await command(argv, io)).out);
}
