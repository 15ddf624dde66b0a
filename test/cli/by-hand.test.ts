import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { describe, expect, it } from "vitest";

import type { ReferenceOptions } from "../../src/reference/index.ts";
import { mergePatch } from "../../src/reference/merge-patch.ts";
import { lastProbe } from "../../src/report/evidence.ts";
import { casesOf, type Report, type ReportCase } from "../../src/report/report.ts";
import { COMMAND } from "../support/built.ts";
import { command, createIo, ioWith, reportIn, type TestIo, textIn } from "./io.ts";
import { documentedReceiver } from "./servers.ts";

const sh = promisify(execFile);

/** The surroundings of the built command, so that what is printed can be pasted. */
function pasteable(io: TestIo): TestIo {
  return Object.assign(io, { self: [process.execPath, COMMAND] });
}

interface Ran {
  readonly io: TestIo;
  readonly report: Report;
  readonly failed: ReportCase;
  readonly profile: object;
}

/** A run of cases against a receiver on which one fails. */
async function failing(
  options: Omit<ReferenceOptions, "jwks">,
  id: string,
  patch: object = {},
): Promise<Ran> {
  const { profile: described } = await documentedReceiver(options);
  const profile = mergePatch(described, { openapi: null, ...patch }) as object;
  const io = pasteable(ioWith(profile));
  const ran = await command(["run", "--rule", id, "--report", "markdown", "--report", "html"], io);
  if (ran.code !== 1) throw new Error(`${ran.code}: ${ran.err}${ran.out}`);
  const report = reportIn(io);
  const failed = casesOf(report).find(({ outcome }) => outcome === "fail");
  if (!failed) throw new Error(`${id} does not fail`);
  return { io, report, failed, profile };
}

/** The commands of the Markdown report that send the request. */
function copied(io: TestIo): string {
  const blocks = [...textIn(io, "reports/report.md").matchAll(/```sh\n([^]*?)\n```/g)];
  const [block] = blocks.flatMap(([, text = ""]) => (/^ *curl /m.test(text) ? [text] : []));
  if (block === undefined) throw new Error("there is no curl command");
  return block;
}

/** The statuses that a shell gets when it runs commands in the folder. */
async function statusesOf(script: string, { cwd }: TestIo): Promise<number[]> {
  const { stdout } = await sh("sh", ["-c", script], { cwd });
  return [...stdout.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status));
}

describe("what is copied from a report runs as it stands, and is answered as recorded", () => {
  it.each<[string, string, Omit<ReferenceOptions, "jwks">, object?]>([
    [
      "a changed token",
      "receiver.audience/below@viewOrganization",
      { faults: ["audience-by-prefix"] },
    ],
    ["a write", "receiver.scope/all-others@editOrganization", { faults: ["scope-unchecked"] }],
    [
      "a token that the receiver takes in one form only",
      "receiver.audience/below@viewOrganization",
      { faults: ["audience-by-prefix"], variants: ["typ-absent-only"] },
    ],
    [
      "an organization that the profile does not name",
      "receiver.audience/below@viewOrganization",
      { faults: ["audience-by-prefix"] },
      { organizations: null, denied: null, writes: false },
    ],
    [
      "no token",
      "receiver.token-required/missing@viewOrganization",
      { faults: ["token-not-required"] },
    ],
    [
      "a token that was issued",
      "receiver.signature/*@viewOrganization",
      { faults: ["signature-unchecked"], authorizationServer: "alone" },
    ],
  ])("%s", async (_what, id, options, patch) => {
    const { io, report, failed } = await failing(options, id, patch);
    expect(await statusesOf(copied(io), io)).toEqual([lastProbe(report, failed)?.response?.status]);
  });

  it("sends a request as often as it takes, and lists the earlier answers", async () => {
    const id = "receiver.audience/other-again@viewOrganization";
    const { io, profile } = await failing({ faults: ["audience-remembered-unchecked"] }, id);
    expect(await statusesOf(copied(io), io)).toEqual([401, 200]);
    const told = /sent 4 requests, answered in this order: 401, 200, 401, 200/;
    expect(textIn(io, "reports/report.md")).toMatch(told);
    expect(textIn(io, "reports/report.html")).toMatch(told);
    // A receiver of its own, because the first one may remember an equal token of the run.
    const another = await documentedReceiver({ faults: ["audience-remembered-unchecked"] });
    const files = { "report.json": textIn(io, "reports/report.json") };
    const replayed = pasteable(ioWith({ ...another.profile, openapi: undefined }, files));
    const again = await command(["replay", "report.json", id], replayed);
    expect(again.out.replaceAll(/\s+/g, " ")).toMatch(told);
    expect(again.out).toContain("for n in 1 2; do");
    const { err } = await command(["token", id], ioWith(profile));
    expect(err.replaceAll(/\s+/g, " ")).toContain("Its case sends up to 3 requests.");
  });
});

describe("token", () => {
  it("prints commands that make the token themselves, and with --quiet nothing else", async () => {
    const { profile } = await documentedReceiver({ faults: ["audience-by-prefix"] });
    const io = pasteable(ioWith({ ...profile, openapi: undefined }));
    const { err } = await command(["token", "audience/below@viewOrganization"], io);
    const script = err.slice(err.indexOf("TOKEN=$("));
    expect(await statusesOf(script, io)).toEqual([200]);
    const quiet = await command(["token", "audience/below", "--quiet"], ioWith(profile));
    expect([quiet.err, quiet.out]).toEqual(["", expect.stringMatching(/^eyJ\S+\n$/)]);
  });

  it("takes the base URL where there is no profile", async () => {
    const { baseUrl } = await documentedReceiver();
    const { code, err } = await command(["token", "good@listOrganizations", baseUrl], createIo());
    expect(code).toBe(0);
    expect(err.replaceAll(/[\s\\]+/g, " ")).toContain(
      `token good@listOrganizations ${baseUrl} --quiet) &&`,
    );
  });

  it("shows no issued token on a terminal", async () => {
    const { profile } = await documentedReceiver({ authorizationServer: "alone" });
    const io = ioWith(profile);
    Object.assign(io.stdout, { isTTY: true });
    const { code, out, err } = await command(["token", "good"], io);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain("An issued token is not shown on a terminal");
  });
});
