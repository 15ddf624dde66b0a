import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { packageRoot } from "../../src/lib/package-root.ts";
import { command } from "../cli/io.ts";
import { packageText } from "../support/package-text.ts";
import { callsIn, commandsOf, problemOf } from "./command-lines.ts";

const PAGES = [
  "README.md",
  "CONTRIBUTING.md",
  "Dockerfile",
  ...readdirSync(join(packageRoot, "docs"), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(md|yml)$|Jenkinsfile/.test(file))
    .map((file) => join("docs", file)),
];

/** Numbers that the job runner provides. */
const NUMBERS = /\$(?:SHARDS?|CI_NODE_INDEX|CI_NODE_TOTAL)\b/g;

function problems(text: string): string[] {
  // A command inside `TOKEN=$(…) &&`.
  const bare = text.replaceAll(NUMBERS, "1").replaceAll(/(?<=--quiet)\)(?: &&)?/g, "");
  return callsIn(bare).flatMap((args) => {
    const problem = problemOf(args);
    return problem === undefined ? [] : [`${args.join(" ")}: ${problem}`];
  });
}

describe("every command line in the pages can be typed", () => {
  it.each(PAGES)("in %s", (page) => {
    const text = packageText(page);
    expect(problems(text)).toEqual([]);
    // Nor does npx run a package that is not installed.
    expect(text.match(/npx (?!--no-install).*orgsync-conformance.*/g)).toBeNull();
  });

  it.each([[], ...commandsOf()].map((words) => ({ words })))(
    "in the help of %j",
    async ({ words }) => {
      const { code, out } = await command([...words, "--help"]);
      expect(code).toBe(0);
      const examples = callsIn(out.split("\nExamples:\n")[1] ?? "");
      const own = examples.filter((args) => words.every((word, at) => args[at] === word));
      expect(own.length).toBeGreaterThan(0);
      expect(problems(out)).toEqual([]);
      expect(out.split("\n").filter((line) => line.length > 100)).toEqual([]);
    },
  );

  it.each(["github.yml", "gitlab.yml", "Jenkinsfile", "azure.yml"])(
    "the job of docs/ci/%s runs the package of the lock file, at night and as a gate",
    (job) => {
      const text = packageText(`docs/ci/${job}`);
      expect(text).toMatch(/npm ci'?\n[^]*npx --no-install orgsync-conformance run/);
      const gates = callsIn(text).map((args) => [
        args.includes("--require") && args.includes("conformant"),
        args.includes("--fail-on") && args.includes("warn"),
      ]);
      expect(gates).toEqual([
        [false, false],
        [true, true],
      ]);
    },
  );

  it("this test detects invalid command lines", () => {
    expect(callsIn("  orgsync-conformance run --rule 'a b' \\\n    --seed 1 > out  # x")).toEqual([
      ["run", "--rule", "a b", "--seed", "1"],
    ]);
    expect(problems("npx orgsync-conformance run --sed 1")).toHaveLength(1);
    expect(problems("npx orgsync-conformance run --report none")).toHaveLength(1);
    expect(problems("npx orgsync-conformance rnu")).toHaveLength(1);
    expect(PAGES.filter((page) => !existsSync(join(packageRoot, page)))).toEqual([]);
  });
});
