import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";
import { stringify } from "yaml";

import type { Report } from "../../src/report/report.ts";
import { isPrintable } from "../../src/report/untrusted.ts";
import { reportOf as synthetic, result } from "../report/events.ts";
import { reportProblems } from "../report/schema.ts";
import { type TestIo, command, createIo, oneLine, refusal, reportIn } from "./io.ts";
import { listen, receiver } from "./servers.ts";

const BELOW = "receiver.audience/below@viewOrganization";

interface World {
  readonly columns?: number;
  readonly color?: boolean;
  readonly profile?: Record<string, unknown>;
  readonly report?: object;
}

function world({ columns = 100, color = false, profile, report }: World): TestIo {
  const io = createIo(color ? { FORCE_COLOR: "1" } : {});
  Object.assign(io.stdout, { columns });
  if (profile) writeFileSync(join(io.cwd, "orgsync.yaml"), stringify(profile));
  if (report) writeFileSync(join(io.cwd, "report.json"), JSON.stringify(report));
  return io;
}

/** The report of one rule's run, whose failures are to be looked at. */
async function failing(profile: Record<string, unknown>, rule: string): Promise<Report> {
  const { io } = await command(["run", "--seed", "7", "--rule", rule], world({ profile }));
  return reportIn(io);
}

function replay(io: TestIo, name: string, ...more: string[]): ReturnType<typeof command> {
  return command(["replay", "report.json", name, ...more], io);
}

describe("replay", () => {
  it("shows control and probe side by side, marks the differences, and exits 1 for a failure", async () => {
    const { profile, baseUrl } = await receiver({ faults: ["audience-by-prefix"] });
    const report = await failing(profile, BELOW);
    const { code, out, err, io } = await replay(world({ profile, report }), BELOW);
    expect(code).toBe(1);
    expect(err).toContain("seed    7\n");
    expect(err).toContain("plan    1 case of 1 rule");
    const marked = out.split("\n").filter((line) => line.includes("≠"));
    expect(marked).toHaveLength(1);
    expect(marked[0]).toMatch(/^ {2}aud: "http:.* ≠ aud: "http:/);
    expect(out).toContain(`"aud equals the receiver's own base URL."`);
    expect(out).toContain("(Authentication / Receiver checks / 3)");
    expect(oneLine(out)).toContain(`claim aud: "${baseUrl}" -> "${baseUrl}/untrusted"`);
    expect(out).toContain("Sent again, with the same answers");
    expect(out).toMatch(/\nFailed then, and fails now\.\n$/);
    expect(out.split("\n").filter((line) => line.length > 100)).toEqual([]);
    expect(out + err).not.toContain("eyJ");
    expect(existsSync(join(io.cwd, "reports"))).toBe(false);
  });

  it("reports that a failure is fixed, and exits 0", async () => {
    const broken = await receiver({ faults: ["audience-by-prefix"] });
    const report = await failing(broken.profile, BELOW);
    const { profile } = await receiver();
    const { code, out, err } = await replay(world({ profile, report }), "below@viewOrganization");
    expect(code).toBe(0);
    expect(err).toContain(`The report is of ${broken.baseUrl}`);
    expect(out).toMatch(/\nFailed then, passes now\.\n$/);
    expect(out).toMatch(/ {2}200 after \d+ ms +≠ 401 after/);
    expect(oneLine(out)).toContain("then fail: 200 OK");
  });

  it("puts the probe below the control on a narrow terminal, and shows common lines once", async () => {
    const { profile } = await receiver({ faults: ["audience-by-prefix"] });
    const report = await failing(profile, BELOW);
    const { out } = await replay(world({ profile, report, columns: 60 }), BELOW);
    expect(out).toMatch(/\n {2}≠ control {3}aud: "[^≠]*\n {2}≠ probe {5}aud: "/);
    expect(out.match(/iss: "/g)).toHaveLength(1);
    // Commands are not wrapped, so that they can be copied.
    const [shown = ""] = out.split("By hand");
    expect(shown.split("\n").filter((line) => line.length > 60)).toEqual([]);
  });

  it("marks differences in colour, but not only in colour", async () => {
    const { profile } = await receiver({ faults: ["audience-by-prefix"] });
    const report = await failing(profile, BELOW);
    const { out } = await replay(world({ profile, report, color: true }), BELOW);
    expect(out).toContain("\u001B[33maud: ");
    expect(out.match(/≠/g)).toHaveLength(1);
  });

  it.each([
    ["signature-bit-flipped", /≠ signature: byte \d+ of 256 differs/],
    ["stripped", /≠ signature: none/],
    ["payload-respaced", /≠ payload from character 2: /],
    ["alg-none", /alg: "RS256" +≠ alg: "none"/],
    ["segments-four", /segments: 3 +≠ segments: 4/],
  ])("marks the byte or the header in which a token of %s differs", async (name, mark) => {
    const { profile } = await receiver();
    const id = `receiver.signature/${name}@viewOrganization`;
    const report = synthetic([result(name, { id, outcome: "pass" })]);
    const { code, out } = await replay(world({ profile, report }), id);
    expect(code).toBe(0);
    expect(out).toMatch(mark);
  });

  it("says so when no token was sent", async () => {
    const { profile } = await receiver();
    const id = "receiver.token-required/missing@viewOrganization";
    const report = synthetic([result("missing", { id })]);
    const { out } = await replay(world({ profile, report }), id);
    expect(out).toMatch(/authorization: Bearer \[redacted\] +≠ —/);
    expect(out).toContain("no token was sent");
  });

  it("shows every probe of a case that sends several", async () => {
    const { profile } = await receiver();
    const id = "resources.feed/readable@readChangesFeed";
    const all = await failing(profile, "resources.feed");
    const several = all.rules
      .flatMap(({ cases }) => cases)
      .find(({ evidence }) => (evidence?.probes.length ?? 0) > 1);
    const { out } = await replay(world({ profile, report: all }), several?.id ?? id);
    const numbers = [...out.matchAll(/^Probe (\d+) of (\d+)/gm)].map(([, at, of]) => [at, of]);
    expect(numbers.length).toBeGreaterThan(1);
    expect(numbers.map(([at]) => Number(at))).toEqual(numbers.map((_, index) => index + 1));
  });

  it("starts a new embedded receiver for a report of the embedded receiver", async () => {
    const { io } = await command(["run", "--rule", "receiver.audience"]);
    const report = reportIn(io);
    expect(reportProblems(report)).toEqual([]);
    expect(report.target.embedded).toBe(true);
    const { code, err } = await replay(world({ report }), BELOW);
    expect(code).toBe(0);
    expect(err).toContain("embedded reference receiver");
    expect(err).not.toContain("The report is of");
  });

  it("writes its own report to the given folder, and does not change others", async () => {
    const { profile } = await receiver();
    const io = world({ profile, report: synthetic([result("hour-ago@viewOrganization")]) });
    mkdirSync(join(io.cwd, "reports"));
    await replay(io, "receiver.expiry/hour-ago@*", "-o", "replayed");
    expect(reportProblems(reportIn(io, "replayed"))).toEqual([]);
    expect(existsSync(join(io.cwd, "reports/report.json"))).toBe(false);
  });

  it("exits 3 when the case cannot be judged, and says what is wrong with the set-up", async () => {
    const { profile } = await receiver({ faults: ["rejects-everything"] });
    const report = synthetic([result("hour-ago@viewOrganization")]);
    const { code, out } = await replay(world({ profile, report }), "hour-ago@viewOrganization");
    expect(code).toBe(3);
    expect(out).toMatch(/^\nSet-up\n/);
    expect(out).toMatch(/\nFailed then, is inconclusive now\.\n$/);
  });

  it.each([
    ["hour-agp@viewOrganization", "Did you mean receiver.expiry/hour-ago@viewOrganization?"],
    ["receiver.expiry", "  receiver.expiry/hour-ago@viewOrganization\n"],
    ["", "There is no case"],
  ])("exits 2 for the case %j, and suggests an id", async (name, why) => {
    const report = synthetic([result("hour-ago@viewOrganization"), result("null@readChange")]);
    expect(await refusal(replay(world({ report }), name))).toContain(why);
  });

  it("exits 2 when nobody answers, and uses the report's own base URL", async () => {
    const report = synthetic([result("hour-ago@viewOrganization")]);
    const gone = { ...report, target: { ...report.target, baseUrl: "http://127.0.0.1:1/base" } };
    expect(await refusal(replay(world({ report: gone }), "hour-ago@viewOrganization"))).toContain(
      "http://127.0.0.1:1/base cannot be reached",
    );
  });

  it("escapes everything in a hostile answer", async () => {
    const evil = "\u001B[2J\u202E<script>::error::" + "x".repeat(100_000);
    const { baseUrl } = await listen((_request, response) => {
      response.writeHead(200, { "content-type": "application/json", server: "a\u009Bb" });
      response.end(JSON.stringify({ data: { id: evil }, [evil.slice(0, 20)]: evil }));
    });
    const organizations = { primary: "11111111-1111-4111-8111-111111111111" };
    const report = synthetic([result("hour-ago@viewOrganization")]);
    const io = world({ profile: { baseUrl, organizations }, report });
    const { code, out } = await replay(io, "hour-ago@viewOrganization");
    expect(code).toBe(1);
    expect(out.split("\n").filter((line) => !isPrintable(line))).toEqual([]);
    expect(out.length).toBeLessThan(20_000);
  });

  it("with --watch tries again when a file changes, and exits as the last try would", async () => {
    const broken = await receiver({ faults: ["audience-by-prefix"] });
    const fixed = await receiver();
    const report = await failing(broken.profile, BELOW);
    const io = world({ profile: broken.profile, report });
    mkdirSync(join(io.cwd, "node_modules"));
    const code = replay(io, BELOW, "--watch", ".");
    await io.said("Waiting for changes in .\n");
    expect(io.out).toContain("Failed then, and fails now.");
    writeFileSync(join(io.cwd, "node_modules/ignored"), "");
    writeFileSync(join(io.cwd, "orgsync.yaml"), "baseUrl: [");
    await io.said("error:");
    writeFileSync(join(io.cwd, "orgsync.yaml"), stringify(fixed.profile));
    await io.said("Failed then, passes now.");
    io.stop();
    expect((await code).code).toBe(0);
  });

  it("with --watch refuses a case that writes, unless --watch-writes is given", async () => {
    const { profile } = await receiver();
    const id = "receiver.expiry/hour-ago@editOrganization";
    const report = synthetic([result("hour-ago", { id })]);
    const io = world({ profile, report });
    const err = await refusal(replay(io, id, "--watch", "."));
    expect(err).toContain(`${id} needs a PATCH or POST, and --watch sends reads alone`);
    expect(err).toContain("Add --watch-writes");
    const allowed = world({ profile, report });
    const ran = replay(allowed, id, "--watch", ".", "--watch-writes");
    await allowed.said("Waiting for changes in .\n");
    allowed.stop();
    expect((await ran).code).toBe(0);
    expect(allowed.out).toContain("PATCH ");
  });

  it.each([
    [["--watch-writes"], "--watch-writes has no meaning without --watch"],
    [["--watch", "gone"], "--watch gone: there is no such folder"],
  ])("exits 2 for %j", async (flags, why) => {
    const report = synthetic([result("hour-ago@viewOrganization")]);
    const io = world({ report });
    expect(await refusal(replay(io, "hour-ago@viewOrganization", ...flags))).toContain(why);
  });
});
