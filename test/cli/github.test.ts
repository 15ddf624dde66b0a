import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { guardLog } from "../../src/cli/github.ts";
import { summary } from "../../src/report/terminal.ts";
import { HOSTILE, hostileReport } from "../report/hostile.ts";
import { folderWith } from "../support/folder.ts";
import { command, createIo } from "./io.ts";
import { listen, receiver } from "./servers.ts";

function summaryFile(): string {
  return join(folderWith(), "summary.md");
}

function decoded(text: string): string {
  return text
    .replaceAll("%3A", ":")
    .replaceAll("%2C", ",")
    .replaceAll("%0D", "\r")
    .replaceAll("%0A", "\n")
    .replaceAll("%25", "%");
}

/**
 * What the runner of GitHub Actions takes for commands: https://github.com/actions/runner,
 * src/Runner.Common/ActionCommand.cs, TryParseV2 and TryParse; here of any name.
 */
function commands(output: string): { name: string; title: string; message: string }[] {
  return output.split(/\r\n|\r|\n/).flatMap((line) => {
    const [, name = "", title = "", message = ""] =
      /^\s*::(\S*?)(?: title=(.*?))?::(.*)$/.exec(line) ?? /##\[([^\]]*)\]()(.*)/.exec(line) ?? [];
    return name === "" ? [] : [{ name, title: decoded(title), message: decoded(message) }];
  });
}

describe("in GitHub Actions", () => {
  it("a run prints an annotation for each failed rule, and writes the summary of the job", async () => {
    const { baseUrl } = await receiver({ faults: ["expiry-unchecked"] });
    const file = summaryFile();
    writeFileSync(file, "What an earlier command said.");
    const io = createIo({ GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: file });
    const { code, out } = await command(["run", baseUrl, "--rule", "receiver.expiry"], io);
    expect(code).toBe(1);
    expect(commands(out)).toEqual([
      {
        name: "error",
        title: expect.stringMatching(/^receiver\.expiry: \d+ of \d+ cases$/) as string,
        message: expect.stringMatching(
          /`exp`.*\nexpected: .*\nactual: 200 OK\n[^]*\ncases: /,
        ) as string,
      },
      {
        name: "warning",
        title: expect.stringMatching(/^receiver\.expiry: \d+ of \d+ cases$/) as string,
        message: expect.stringContaining("beyond-300s@viewOrganization") as string,
      },
    ]);
    const appended = readFileSync(file, "utf8");
    expect(appended).toMatch(/^What an earlier command said\.\n\n\S/);
    expect(appended).toContain("\n## orgsync-conformance: non-conformant\n");
  });

  it("nothing that a target answers becomes a workflow command, wherever it is printed", async () => {
    const text = `::error::pwned ##[error]pwned ${HOSTILE.join(" ")}`;
    const { baseUrl } = await listen((_request, response) => {
      response.writeHead(200, { "content-type": "application/json", location: "::error::x" });
      response.end(JSON.stringify({ items: [{ id: text }], message: text, errors: [text] }));
    });
    const io = createIo({ GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: summaryFile() });
    const { out, err } = await command(["run", baseUrl, "--read-only", "--verbose"], io);
    const titles = commands(`${out}\n${err}`).map(({ name, title }) => `${name} ${title}`);
    expect(
      titles.filter((title) => !/^(error|warning) [\w.-]+: \d+ of \d+ cases?$/.test(title)),
    ).toEqual([]);
    expect(titles).not.toEqual([]);
    expect(out).toContain("\\u{23}#[error]pwned");
  });

  it.each([40, 60, 80, 100])(
    "wrapping at %i columns makes no workflow command either",
    (columns) => {
      const io = createIo({ GITHUB_ACTIONS: "true" });
      const text = summary(hostileReport(), { columns, color: false });
      expect(commands(text)).not.toEqual([]);
      const { stdout } = guardLog(io);
      stdout.write(text);
      expect(commands(io.out)).toEqual([]);
      expect(io.out.replaceAll("\\u{3a}", ":").replaceAll("\\u{23}", "#")).toBe(text);
    },
  );

  it.each([
    [["run", "--rule", "a\n::error::pwned\n##[error]pwned"], "matches no rule and no case"],
    [["run", "http://127.0.0.1:1/base"], "cannot be reached"],
    [["doctor", "http://127.0.0.1:1/base"], "cannot be reached"],
    [["run", "--read-olny"], "unknown option '--read-olny'"],
    [["merge", "none"], "none"],
  ])("%j exits 2 with one annotation and a summary, and forges neither", async (argv, why) => {
    const file = summaryFile();
    const io = createIo({ GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: file });
    const { code, out, err } = await command(argv, io);
    expect(code).toBe(2);
    expect(commands(err)).toEqual([]);
    expect(commands(out)).toEqual([
      {
        name: "error",
        title: "orgsync-conformance could not run",
        message: expect.stringContaining(why) as string,
      },
    ]);
    expect(readFileSync(file, "utf8")).toMatch(/^## orgsync-conformance could not run\n\n\S/);
  });

  it("a summary that cannot be written changes nothing else", async () => {
    const { baseUrl } = await receiver();
    const io = createIo({ GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: "/dev/null/none" });
    const { code, err } = await command(
      ["run", baseUrl, "--rule", "routes.reachable", "--accept-incomplete"],
      io,
    );
    expect(code).toBe(0);
    expect(err).toContain("The job has no summary: ");
  });
});

it("outside GitHub Actions, a run prints no workflow commands and writes no summary", async () => {
  const { baseUrl } = await receiver({ faults: ["expiry-unchecked"] });
  const file = summaryFile();
  writeFileSync(file, "");
  const io = createIo({ GITHUB_STEP_SUMMARY: file });
  const { out } = await command(["run", baseUrl, "--rule", "receiver.expiry"], io);
  expect(commands(out)).toEqual([]);
  expect(readFileSync(file, "utf8")).toBe("");
});
