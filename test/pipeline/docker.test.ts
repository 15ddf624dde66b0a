import { existsSync } from "node:fs";
import { join } from "node:path";

import { validate, ValidationSeverity } from "dockerfile-utils";
import { describe, expect, it } from "vitest";

import { packageRoot } from "../../src/lib/package-root.ts";
import { packageText } from "../support/package-text.ts";

const text = packageText("Dockerfile");
const manifest = JSON.parse(packageText("package.json")) as {
  bin: Record<string, string>;
  engines: { node: string };
  files: readonly string[];
};

/** The arguments of every instruction with this name, with continued lines joined. */
function instructions(name: string): string[] {
  const lines = text.replaceAll(/\\\n\s*/g, "").split("\n");
  return lines.flatMap((line) =>
    line.startsWith(`${name} `) ? [line.slice(name.length + 1)] : [],
  );
}

describe("the Dockerfile", () => {
  it("is valid for Docker's own checks, without a warning", () => {
    const severity = ValidationSeverity.ERROR;
    const problems = validate(text, {
      deprecatedMaintainer: severity,
      instructionCasing: severity,
    });
    expect(problems.map(({ message }) => message)).toEqual([]);
  });

  it("builds in one stage and runs in another, on a Node version that the package supports", () => {
    const [least = 0] = (manifest.engines.node.match(/\d+/g) ?? []).map(Number);
    const [build, run] = instructions("FROM");
    expect(build).toBe(`${run} AS build`);
    expect(Number(/^node:(\d+)-slim$/.exec(run ?? "")?.[1])).toBeGreaterThan(least);
  });

  it("runs the package's command as an unprivileged user, in the folder where the profile is mounted", () => {
    const bin = manifest.bin["orgsync-conformance"]?.replace("./", "");
    expect(instructions("ENTRYPOINT")).toEqual([`["node", "/suite/${bin}"]`]);
    expect(instructions("USER").at(-1)).toBe("1000:1000");
    expect(instructions("WORKDIR").at(-1)).toBe("/work");
  });

  it("copies everything that the package consists of, except the docs", () => {
    const folders = manifest.files
      .flatMap((name) => (/^[a-z]+/.exec(name) ?? []).slice(0, 1))
      .filter((folder) => folder !== "docs");
    const copied = instructions("COPY").join("\n");
    for (const folder of new Set(folders)) expect(copied).toContain(` /suite/${folder}`);
  });

  it("copies only existing files", () => {
    const sources = instructions("COPY")
      .filter((line) => !line.startsWith("--from"))
      .flatMap((line) => line.split(" ").slice(0, -1));
    expect(sources.filter((source) => !existsSync(join(packageRoot, source)))).toEqual([]);
  });
});
