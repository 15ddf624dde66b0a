import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";

import {
  certify,
  type Report,
  render,
  type ReportFormat,
  rules,
  type RunEvent,
  verify,
} from "../../src/index.ts";
import { type RunningReference, startReference } from "../../src/reference/index.ts";
import { REPORTERS } from "../../src/report/index.ts";
import { command, createIo } from "../cli/io.ts";
import { folderWith } from "../support/folder.ts";
import { packageText } from "../support/package-text.ts";
import { BUNDLED_JWKS } from "../support/run-against.ts";
import { certifyStaging } from "./example.ts";

const PATTERNS = ["receiver.required-claims"];

let receiver: RunningReference;
let folder: string;

beforeAll(async () => {
  receiver = await startReference({ jwks: BUNDLED_JWKS });
  folder = folderWith({ "orgsync.json": JSON.stringify(receiver.profile) });
});

afterAll(() => receiver.close());

/** Removes what differs between any two runs. */
function alike({
  startedAt: _s,
  durationMs: _d,
  waitedMs: _w,
  target,
  exchanges,
  ...rest
}: Report): unknown {
  const { told: _told, report: _report, ...known } = target;
  const report = { ...rest, target: known, exchanges: Object.keys(exchanges) };
  const text = JSON.stringify(report)
    .replaceAll(/"(control|probe)":"?\d{10}[^,}]*/g, '"$1":"a time"')
    .replaceAll(/conformance-[\da-f]{18}/g, "a unique value");
  return JSON.parse(text) as unknown;
}

describe("verify", () => {
  it("judges a report again, as an object or as written, with the rules that made it", async () => {
    const own = rules.filter(({ id }) => id === "receiver.required-claims");
    const report = await certify({ profile: "orgsync.json", cwd: folder, rules: own, seed: 7 });
    expect(await verify(report, { rules: own })).toMatchObject({ consistent: true });
    const forged = { ...report, verdict: "incomplete" };
    expect(await verify(forged, { rules: own })).toMatchObject({
      consistent: false,
      discrepancies: [{ where: "/verdict" }],
    });
    await expect(verify(report)).rejects.toMatchObject({ code: "ERR_REPORT" });
    await expect(verify({})).rejects.toMatchObject({ code: "ERR_REPORT" });
  });
});

describe("certify", () => {
  it("returns the report that the command writes", async () => {
    const report = await certify({
      profile: "orgsync.json",
      cwd: folder,
      patterns: PATTERNS,
      seed: 7,
    });
    const io = createIo();
    const profile = join(folder, "orgsync.json");
    await command(
      ["run", "--profile", profile, "--rule", PATTERNS[0] ?? "", "--seed", "7", "--out", folder],
      io,
    );
    const written = JSON.parse(readFileSync(join(folder, "report.json"), "utf8")) as Report;
    expect(alike(JSON.parse(render(report, "json")) as Report)).toEqual(alike(written));
    expect(report.rules.map(({ id, outcome }) => [id, outcome])).toEqual([
      ["receiver.required-claims", "pass"],
    ]);
  });

  it("accepts a profile as an object, and variables in place of the process's", async () => {
    const profile = {
      ...(receiver.profile as Record<string, unknown>),
      request: { headers: { "X-Api-Key": "${env:GATEWAY_KEY}" } },
    };
    const events: RunEvent[] = [];
    const env = { GATEWAY_KEY: "a-key-that-is-kept" };
    const onEvent = (event: RunEvent): unknown => events.push(event);
    const report = await certify({ profile, env, patterns: PATTERNS, onEvent });
    expect(report.verdict).not.toBe("non-conformant");
    expect(events.map(({ type }) => type)).toContain("exchange");
    expect(JSON.stringify([events, report])).not.toContain(env.GATEWAY_KEY);
    await expect(certify({ profile, env: {}, patterns: PATTERNS })).rejects.toThrow(
      "needs the environment variable GATEWAY_KEY, which is not set",
    );
  });

  it("resolves files against the given folder", async () => {
    writeFileSync(join(folder, "lost.yaml"), "baseUrl: http://127.0.0.1\nopenapi: ./none.yaml\n");
    await expect(certify({ profile: "lost.yaml", cwd: folder })).rejects.toThrow(
      /^lost\.yaml:2:\d+: openapi: none\.yaml does not exist$/,
    );
    writeFileSync(join(folder, "none.yaml"), "openapi: 2.0.0\n");
    await expect(certify({ profile: "lost.yaml", cwd: folder })).rejects.toThrow(
      /^none\.yaml is written for OpenAPI/,
    );
  });

  it("ends early when interrupted, with a report that says so", async () => {
    const report = await certify({ profile: receiver.profile, signal: AbortSignal.abort() });
    expect(report).toMatchObject({ interrupted: true, verdict: "incomplete" });
  });

  it("needs a target", async () => {
    await expect(certify({})).rejects.toThrow("There is no base URL to certify");
  });
});

describe("render", () => {
  it("supports the formats of the command, and no others", async () => {
    const report = await certify({ profile: receiver.profile, patterns: PATTERNS, seed: 1 });
    const formats = ["json", ...REPORTERS.keys()] as ReportFormat[];
    for (const format of formats) {
      expect(render(report, format)).toContain(
        format === "badge" ? "partial" : "receiver.required-claims",
      );
    }
    expect(() => render(report, "pdf" as ReportFormat)).toThrow("There is no report format pdf");
  });
});

describe("the example in docs/library.md", () => {
  it("is the code of this test", () => {
    const page = packageText("docs/library.md");
    const example = packageText("test/library/example.ts");
    expect(page).toContain(
      `\`\`\`ts\n${example.replace("../../src/index.ts", "orgsync-conformance")}\`\`\`\n`,
    );
  });

  it("runs, including its own rule", async () => {
    const page = join(folder, "report.html");
    const report = await certifyStaging(join(folder, "orgsync.json"), page);
    expect(report.rules.map(({ id, outcome }) => [id, outcome])).toEqual([
      ["receiver.audience", "pass"],
      ["acme.no-server-version", "pass"],
    ]);
    expect(readFileSync(page, "utf8")).toContain("acme.no-server-version");
  });
});
