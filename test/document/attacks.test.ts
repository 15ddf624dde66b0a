import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import type { DocumentLimits } from "../../src/document/supervise.ts";
import { withDocument } from "../../src/document/with-document.ts";
import type { CaseResult } from "../../src/engine/events.ts";
import { run } from "../../src/engine/run.ts";
import { inWords } from "../../src/probe/phrase.ts";
import type { DeploymentDocument } from "../../src/profile/document.ts";
import type { Target } from "../../src/profile/target.ts";
import type { ReportRule } from "../../src/report/report.ts";
import { RULES } from "../../suites/index.ts";
import { command, createIo, ioWith, reportIn } from "../cli/io.ts";
import { listen } from "../cli/servers.ts";
import { COMMAND } from "../support/built.ts";
import { folderWith } from "../support/folder.ts";
import { referenceTarget } from "../support/target.ts";
import { type Json, ref, viewing } from "./support.ts";

const ID = "11111111-1111-4111-8111-111111111111";
const HOUR_MS = 3_600_000;
const AMPLE: DocumentLimits = { milliseconds: HOUR_MS, mebibytes: 512 };

/** A document whose view has answers with the schema. */
function answering(schema: Json, schemas: Json = {}): string {
  return JSON.stringify(viewing(schema, schemas));
}

/** Thirty levels, each with two references to the next. */
function levels(): string {
  const schemas = Object.fromEntries(
    Array.from({ length: 30 }, (_, level) => [
      `L${level}`,
      {
        type: "object",
        required: ["a", "b"],
        properties: { a: ref(`L${level + 1}`), b: ref(`L${level + 1}`) },
      },
    ]),
  );
  return answering(ref("L0"), { ...schemas, L30: { type: "object" } });
}

const HEAD = 'openapi: 3.1.0\ninfo: { title: T, version: "1" }\npaths: {}\n';
const nested = (levelsDeep: number): string => "[".repeat(levelsDeep) + "]".repeat(levelsDeep);

async function targetOf(
  text: string,
  limits: DocumentLimits = AMPLE,
  signal?: AbortSignal,
): Promise<Target & { document: DeploymentDocument }> {
  const file = join(folderWith({ "openapi.yaml": text }), "openapi.yaml");
  const target = { ...referenceTarget(), openapi: file };
  const { document, ...read } = await withDocument(target, { limits, signal });
  if (!document) throw new Error("there is no document");
  onTestFinished(() => document.close());
  return { ...read, document };
}

function compared(document: DeploymentDocument, json: unknown): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  const answer = { status: 200, headers, hasBody: true, cut: false, json: () => json };
  return document.compare("viewOrganization", answer);
}

describe("a document cannot hang a run", () => {
  it("with a slow pattern", async () => {
    const { document } = await targetOf(answering({ type: "string", pattern: "^(a+)+$" }));
    expect(await compared(document, `${"a".repeat(5000)}!`)).toMatchObject({
      problem: "200: the body must match the pattern `^(a+)+$`",
    });
  });

  it("with thirty levels of references; an interrupt ends the wait", async () => {
    const interrupt = new AbortController();
    const { document } = await targetOf(levels(), AMPLE, interrupt.signal);
    expect(await compared(document, {})).toMatchObject({
      problem: "200: the body lacks the member `a`",
    });
    const asked = document.problems();
    interrupt.abort();
    await expect(asked).rejects.toMatchObject({ name: "Interrupted" });
  });

  it("with a question that is still open when the document is closed", async () => {
    const { document } = await targetOf(levels());
    const asked = document.problems().catch((error: unknown) => error);
    document.close();
    expect(await asked).toMatchObject({ name: "Interrupted" });
  });

  it("while it is being read", async () => {
    const keys = Array.from({ length: 100_000 }, (_, n) => `  k${n}: 1`).join("\n");
    const interrupt = new AbortController();
    const reading = targetOf(`${HEAD}x:\n${keys}`, AMPLE, interrupt.signal);
    setImmediate(() => interrupt.abort());
    await expect(reading).rejects.toMatchObject({ name: "Interrupted" });
  });

  it("for longer than its limit; the next question is answered", async () => {
    const limits = { ...AMPLE };
    const { document } = await targetOf(levels(), limits);
    limits.milliseconds = 1;
    await expect(document.problems()).rejects.toThrow("the document takes more than 0.0005 s");
    limits.milliseconds = HOUR_MS;
    expect(await compared(document, { a: 7 })).toMatchObject({ part: "success" });
  });

  it("for longer in all than its limit, with few questions or many", async () => {
    const limits = { ...AMPLE };
    const { document } = await targetOf(levels(), limits);
    await compared(document, {});
    // What it took so far is more than this.
    limits.milliseconds = 0.01;
    await expect(compared(document, {})).rejects.toThrow("the document takes more than");
  });

  it.each([
    [
      "is of OpenAPI 3.2",
      () => answering({}).replace("3.1.0", "3.2.0"),
      /written for OpenAPI 3\.2\.0/,
    ],
    [
      "is larger than what is read",
      () => `${HEAD}x: "${"y".repeat(5 * 1024 * 1024)}"`,
      /is larger than 4 MiB$/,
    ],
  ])("when it %s: it is left unread", async (_what, text, reason) => {
    const { document } = await targetOf(text());
    expect(document.unread).toMatch(reason);
    await expect(compared(document, {})).rejects.toThrow(reason);
  });

  it("repeatedly: it is given up after three times", async () => {
    const limits = { ...AMPLE };
    const { document } = await targetOf(answering({}), limits);
    // The next question must read the document again, which takes longer.
    document.close();
    limits.milliseconds = 1;
    const tooLong = "the document takes more than 0.001 s";
    for (const json of [1, 2, 3]) await expect(compared(document, json)).rejects.toThrow(tooLong);
    limits.milliseconds = HOUR_MS;
    await expect(compared(document, 4)).rejects.toThrow(tooLong);
  });

  it("with 100,000 levels in JSON", async () => {
    const { document } = await targetOf(
      `{"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{},"x":${nested(100_000)}}`,
    );
    await expect(document.problems()).rejects.toThrow("nested too deeply");
  });

  it("with 100,000 levels in YAML", async () => {
    const reading = targetOf(`${HEAD}x: ${nested(100_000)}`);
    await expect(reading).rejects.toMatchObject({ name: "SuiteError" });
  });

  it("with the memory that it needs", async () => {
    const text = `${HEAD}a: &a [1]\nx: [${"*a,".repeat(200_000)}]`;
    const { document } = await targetOf(text, { ...AMPLE, mebibytes: 32 });
    expect(document.unread).toBe("the document takes more than 32 MiB");
  });
});

describe("a run with a document that takes too long", () => {
  it("continues with what the profile says, and names the document", async () => {
    const target = await targetOf(answering({}), { ...AMPLE, milliseconds: 0 });
    expect(target.operations).toEqual(referenceTarget().operations);
    const { baseUrl } = await listen((_request, response) => response.end());
    const { origin } = new URL(baseUrl);
    const results: CaseResult[] = [];
    const finished = await run({
      target: { ...target, baseUrl, origin },
      rules: RULES,
      patterns: ["document.*", "errors.media-type"],
      seed: 1,
      emit(event) {
        if (event.type === "case-judged") results.push(event.result);
      },
    });
    expect(finished.suiteErrors).toEqual([]);
    const ofDocument = results.filter(({ rule }) => rule.startsWith("document."));
    expect(
      new Set(ofDocument.map(({ outcome, reason }) => `${outcome}: ${reason && inWords(reason)}`)),
    ).toEqual(new Set(["inconclusive: the document takes more than 0 s"]));
    expect(results.length).toBeGreaterThan(ofDocument.length);
  });
});

/** A folder with a profile that names a document, for a receiver. */
async function folderOf(document: string, answer: RequestListener): Promise<string> {
  const { baseUrl } = await listen(answer);
  const profile = { baseUrl, openapi: "api.yaml", organizations: { primary: ID } };
  return ioWith(profile, { "api.yaml": document }).cwd;
}

describe("the command", () => {
  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "ends by %s whatever its document contains",
    async (signal) => {
      const cwd = await folderOf(levels(), (_request, response) => response.end());
      const args = [COMMAND, "run", "--rule", "document.valid"];
      const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "ignore", "pipe"] });
      let said = "";
      child.stderr.setEncoding("utf8").on("data", (text: string) => (said += text));
      // The document has been read when it says something; its validity is looked at from then on.
      child.stderr.once("data", () => child.kill(signal));
      const [code] = (await once(child, "exit")) as [number | null];
      expect([code, said]).toEqual([130, expect.stringContaining("Interrupted") as string]);
    },
  );

  it("judges by every pattern except those that it cannot use, and names these", async () => {
    const schema = { properties: { a: { pattern: "^(?=x)" }, b: { pattern: "^b$" } } };
    const json = { "content-type": "application/json" };
    const outcomeOf = async (answer: Json): Promise<ReportRule["cases"][number] | undefined> => {
      const cwd = await folderOf(answering(schema), (_request, response) => {
        response.writeHead(200, json).end(JSON.stringify(answer));
      });
      const io = { ...createIo(), cwd };
      await command(["run", "--rule", "document.responses/success@viewOrganization"], io);
      const report = reportIn({ cwd });
      return report.rules[0]?.cases[0];
    };
    expect(await outcomeOf({ id: ID, a: "y", b: "b" })).toMatchObject({
      outcome: "pass",
      reason: "the suite cannot apply the pattern ^(?=x)",
    });
    expect(await outcomeOf({ id: ID, a: "y", b: "c" })).toMatchObject({ outcome: "warn" });
  });
});

describe("a user's own file", () => {
  it.each([
    [
      "300,000 keys",
      "--baseline",
      Array.from({ length: 120_000 }, (_, n) => `k${n}:`).join("\n"),
      "too many parts",
    ],
    [
      "the maximum size in keys",
      "--profile",
      Array.from({ length: 9000 }, (_, n) => `k${n}:`).join("\n"),
      "problems",
    ],
    ["many brackets", "--baseline", nested(100_000), "too many parts"],
    [
      "slightly over a hundred brackets",
      "--profile",
      `baseUrl: ${nested(200)}`,
      "nested too deeply",
    ],
    ["many aliases", "--baseline", `- &a 1\n${"- *a\n".repeat(5000)}`, "too many aliases"],
  ])("with %s, %s, exits 2", async (_what, option, text, problem) => {
    const io = createIo();
    writeFileSync(join(io.cwd, "file.yaml"), text);
    const { code, err } = await command(["run", option, "file.yaml"], io);
    expect(err).toContain(problem);
    expect(err).not.toContain("a bug in the suite");
    expect(code).toBe(2);
  });
});
