import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import files from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { replaceIn } from "../support/replace.ts";
import { type TestIo, command, createIo, ioWith, textIn } from "./io.ts";
import { receiver } from "./servers.ts";

const { writeFile } = files;

const FAILURES: Readonly<Record<string, Partial<typeof files>>> = {
  "the disk is full halfway": {
    async writeFile(file, text, options) {
      const whole = typeof text === "string" ? text : [...(text as Iterable<string>)].join("");
      await writeFile(file, whole.slice(0, whole.length / 2), options);
      throw new Error("ENOSPC: no space left on device, write");
    },
  },
  "the file cannot be put in its place": {
    rename: () => Promise.reject(new Error("EACCES: permission denied, rename")),
  },
};

/** Runs a command in a folder where a file is already. */
async function overwriting(
  name: string,
  former: string,
  args: readonly string[],
  io: TestIo,
): Promise<{ code: number; err: string; left: string; others: string[] }> {
  writeFileSync(join(io.cwd, name), former);
  const { code, err } = await command(args, io);
  const others = readdirSync(io.cwd, { recursive: true, encoding: "utf8" });
  return { code, err, left: textIn(io, name), others };
}

describe.each(Object.entries(FAILURES))("where %s", (_, failing) => {
  test.each([
    ["the baseline", "known.yaml", "[]\n", ["--write-baseline"]],
    ["the report", "reports/report.json", '{"former":true}\n', []],
  ])("%s of a run stays unchanged", async (_what, name, former, more) => {
    const { profile } = await receiver({ faults: ["issuer-unchecked"] });
    const io = ioWith(profile);
    mkdirSync(join(io.cwd, "reports"));
    replaceIn(files, failing);
    const args = ["run", "--rule", "receiver.issuer", ...more];
    const { code, err, left, others } = await overwriting(name, former, args, io);
    expect([code, left]).toEqual([2, former]);
    expect(err).toContain("cannot be written: E");
    expect(others.filter((other) => other.endsWith(".tmp"))).toEqual([]);
  });

  test("the profile that init --force would overwrite stays unchanged", async () => {
    const io = createIo();
    const { baseUrl } = await receiver();
    replaceIn(files, failing);
    const args = ["init", "--force", "--base-url", baseUrl, "--yes"];
    const { code, left, others } = await overwriting("orgsync.yaml", "former: true\n", args, io);
    expect([code, left]).toEqual([2, "former: true\n"]);
    expect(others.filter((other) => other.endsWith(".tmp"))).toEqual([]);
    expect(existsSync(join(io.cwd, "orgsync.yaml"))).toBe(true);
  });
});
