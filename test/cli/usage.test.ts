import { spawnSync } from "node:child_process";

import { describe, expect, it, test } from "vitest";

import { suiteVersion } from "../../src/lib/package-root.ts";
import { commandsOf } from "../pipeline/command-lines.ts";
import { COMMAND } from "../support/built.ts";
import { command, createIo, refusal } from "./io.ts";

/** The number of lines that the command prints where the output is no terminal. */
function linesAt(COLUMNS: string): number {
  const env = { ...process.env, COLUMNS };
  const { stdout } = spawnSync(process.execPath, [COMMAND, "rules", "routes.reachable"], { env });
  return stdout.toString().split("\n").length;
}

test("COLUMNS is the width of an output that is no terminal, and nonsense in it is ignored", () => {
  const usual = linesAt("");
  expect(linesAt("60")).toBeGreaterThan(usual);
  for (const nonsense of ["0", "-1", "wide"]) expect(linesAt(nonsense)).toBe(usual);
});

describe("usage", () => {
  it("prints help and version on stdout and exits 0", async () => {
    const help = await command(["--help"]);
    expect(help).toMatchObject({ code: 0, err: "" });
    for (const [name] of commandsOf()) expect(help.out).toContain(`  ${name} `);
    expect(await command(["--version"])).toMatchObject({ code: 0, out: `${suiteVersion}\n` });
  });

  it("shows the options of run in groups, in 80 columns", async () => {
    const io = createIo();
    const narrow = Object.assign(io, { stdout: { ...io.stdout, columns: 80 } });
    const { code, out } = await command(["run", "--help"], narrow);
    expect(code).toBe(0);
    const groups = out.match(/^[A-Z]\w+:$/gm);
    expect(groups).toEqual(
      expect.arrayContaining(["Select:", "Gate:", "Reports:", "Safety:", "Speed:"]),
    );
    expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
    const gate = out.slice(out.indexOf("Gate:"), out.indexOf("Reports:"));
    for (const option of [
      "--require",
      "--fail-on",
      "--accept-incomplete",
      "--baseline",
      "--bail",
    ]) {
      expect(gate).toContain(`  ${option} `.trimEnd());
    }
  });

  it.each([
    [["rn"], "Did you mean run?"],
    [["frobnicate"], "unknown command 'frobnicate'\nTry orgsync-conformance --help.\n"],
    [["keys", "frobnicate"], "\nTry orgsync-conformance keys --help.\n"],
    [["run", "--read-olny"], "Did you mean --read-only?"],
    [["run", "--seed", "4294967296"], "It must be a whole number from 0 to 4294967295."],
    [["run", "--seed", "1.5"], "It must be a whole number"],
    [["run", "--concurrency", "0"], "It must be a whole number from 1 to 256."],
    [["run", "--rule", ""], "It must not be empty."],
    [["run", "--rule", "a,"], "It must not be empty."],
    [["run", "--report", "html,pdf"], "The formats are "],
    [["run", "--require", "partial"], "Allowed choices are conformant."],
    [["run", "--fail-on", "observed"], "Allowed choices are warn."],
    [["run", "http://127.0.0.1:1", "extra"], "too many arguments"],
    [["run", "http://127.0.0.1:9", "--env", "HOME"], "--untrusted"],
    [["doctor"], "no base URL and no orgsync.yaml"],
    [["doctor"], "orgsync-conformance init"],
    [["doctor", "http://192.0.2.1"], "The bundled keys are public"],
    [["rules", "recever.expiry"], "Did you mean receiver.expiry?"],
    [["rules", "receiver.expiry/nonsense"], "receiver.expiry has no case receiver.expiry/nonsense"],
    [["serve", "--fault", "expiry"], "Did you mean expiry-unchecked"],
    [["serve", "--variant", "nonsense"], 'no variant called "nonsense"'],
    [["serve", "--jwks", "missing.json"], "missing.json"],
    [["serve", "--port", "65536"], "It must be a whole number from 0 to 65535."],
    [["serve", "--organizations", "2"], "It must be a whole number from 3 to 100000."],
    [["keys", "generate"], "missing required argument 'folder'"],
    [["keys"], "Usage: orgsync-conformance keys"],
    [[], "Usage: orgsync-conformance"],
  ])("%j exits 2 and suggests a correction on stderr", async (argv, why) => {
    expect(await refusal(command(argv))).toContain(why);
  });
});
