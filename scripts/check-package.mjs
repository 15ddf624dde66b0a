// Checks what npm would publish: with publint, with "are the types wrong?", and by compiling a program that uses it. Needs a build,
// but no network.
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
if (!existsSync(join(root, "dist/src/index.js"))) {
  console.error("There is no build to check: run `npm run build` first.");
  process.exit(2);
}

const run = (command, ...args) =>
  execFileSync(command, args, {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32",
  });
const tool = (name) => join(root, "node_modules/.bin", name);
const folder = mkdtempSync(join(tmpdir(), "orgsync-package-"));

/** A program as strict as it can be, without the types of Node. */
const PROGRAM = `import { certify, defineRule, render, rules, verify } from "orgsync-conformance";
import { conformance } from "orgsync-conformance/vitest";

const rule = defineRule({ ...rules[0]!, id: "own.rule" });
const report = await certify({ profile: "orgsync.yaml", rules: [rule] });
export const text: string = render(report, "markdown");
export const isConsistent: boolean = (await verify(report)).consistent;
await conformance({ baseUrl: "https://sync.example.com" });

// @ts-expect-error Otherwise the types of Node are there after all.
export const none = Buffer;
`;
const STRICT = {
  module: "nodenext",
  target: "es2023",
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  noEmit: true,
  types: [],
  // Else what the dependencies import could be found in this repository.
  preserveSymlinks: true,
};

/** Compiles the program with the packed types, in a folder where nothing but the package and its dependencies is installed. */
function compileProgram(tarball) {
  const installed = join(folder, "node_modules");
  const own = join(installed, "orgsync-conformance");
  mkdirSync(own, { recursive: true });
  run("tar", "-xzf", tarball, "-C", own, "--strip-components", "1");
  const { dependencies } = JSON.parse(readFileSync(join(own, "package.json"), "utf8"));
  for (const name of Object.keys(dependencies)) {
    symlinkSync(join(root, "node_modules", name), join(installed, name), "junction");
  }
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(join(folder, "program.ts"), PROGRAM);
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions: STRICT, files: ["program.ts"] }),
  );
  run(tool("tsc"), "-p", folder);
}

try {
  run("npm", "pack", "--ignore-scripts", "--silent", "--pack-destination", folder);
  const [tarball] = readdirSync(folder).map((file) => join(folder, file));
  run(tool("publint"), "run", tarball, "--strict");
  run(tool("attw"), tarball, "--profile", "esm-only", "--no-emoji");
  compileProgram(tarball);
} catch (error) {
  // The tool has already printed what is wrong.
  if (error.status === undefined) throw error;
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}
