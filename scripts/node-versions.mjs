// Installs the package as users do, and runs the command and the vitest host on every supported Node.
//
// The npm package `node` holds the binaries; it is fetched for this and is no dependency. Needs a registry and a build.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const COMMAND = "node_modules/orgsync-conformance/bin/orgsync-conformance.js";
const COMBINATIONS = [
  { node: "20", vitest: "4" },
  { node: "22", vitest: "5" },
  { node: "24", vitest: "5" },
];
const TEST = `import { conformance } from "orgsync-conformance/vitest";
await conformance("orgsync.yaml", { seed: 1 });
`;

const folder = mkdtempSync(join(tmpdir(), "orgsync-node-"));
const run = (cwd, command, ...args) =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

try {
  run(root, "npm", "pack", "--ignore-scripts", "--silent", "--pack-destination", folder);
  const [tarball] = readdirSync(folder).map((file) => join(folder, file));
  for (const { node, vitest } of COMBINATIONS) {
    const project = mkdtempSync(join(folder, `${node}-`));
    writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }\n');
    run(project, "npm", "install", "--no-audit", "--no-fund", tarball, `vitest@${vitest}`);
    const on = ["--yes", "--package", `node@${node}`, "node"];
    const version = run(project, "npx", ...on, "--version").trim();
    const { verdict, rules } = commanded(project, on);
    const { numPassedTests, numTotalTests } = await hosted(project, on);
    const host = readFileSync(join(project, "node_modules/vitest/package.json"), "utf8");
    console.log(
      `Node ${version}: the command finds the reference receiver ${verdict}, ${rules.length} rules; ` +
        `vitest ${JSON.parse(host).version}: ${numPassedTests} of ${numTotalTests} tests pass, none fails`,
    );
  }
} finally {
  rmSync(folder, { recursive: true });
}

/** Certifies the embedded reference receiver; throws where it exits with anything but 0. */
function commanded(project, on) {
  run(project, "npx", ...on, COMMAND, "run", "--seed", "1");
  return JSON.parse(readFileSync(join(project, "reports/report.json"), "utf8"));
}

/** The same by vitest, against a receiver that is served for it; throws where a test fails. */
async function hosted(project, on) {
  const served = spawn(process.execPath, [COMMAND, "serve"], { cwd: project });
  const ended = once(served, "exit");
  try {
    const [profile] = await once(served.stdout.setEncoding("utf8"), "data");
    writeFileSync(join(project, "orgsync.yaml"), profile);
    writeFileSync(join(project, "conformance.test.js"), TEST);
    const report = run(
      project,
      "npx",
      ...on,
      "node_modules/vitest/vitest.mjs",
      "run",
      "--reporter=json",
    );
    return JSON.parse(report.slice(report.indexOf("{")));
  } finally {
    served.kill();
    await ended;
  }
}
