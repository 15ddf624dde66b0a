// Installs the package as users do, and runs the command and the vitest host on every supported version of Node.
//
// The npm package `node` holds the binaries. It is fetched when needed and is not a dependency. Needs a registry and a
// build. Arguments select versions of Node; default: all.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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

const chosen = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "orgsync-node-"));
const run = (cwd, command, ...args) =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });

try {
  run(root, "npm", "pack", "--ignore-scripts", "--silent", "--pack-destination", folder);
  const [tarball] = readdirSync(folder).map((file) => join(folder, file));
  for (const { node, vitest } of COMBINATIONS) {
    if (chosen.length > 0 && !chosen.includes(node)) continue;
    const project = mkdtempSync(join(folder, `${node}-`));
    writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }\n');
    run(project, "npm", "install", "--no-audit", "--no-fund", tarball, `vitest@${vitest}`);
    const on = ["--yes", "--package", `node@${node}`, "node"];
    console.log(`Node ${run(project, "npx", ...on, "--version").trim()}`);
    console.log(`  command: ${commanded(project, on)}`);
    const { version } = readJson(join(project, "node_modules/vitest/package.json"));
    console.log(`  vitest ${version}: ${await hosted(project, on)}`);
  }
} catch (error) {
  console.error(`${error.message}\n${error.stdout ?? ""}`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}

function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}

/** Certifies the embedded reference receiver; throws when it exits with anything but 0. */
function commanded(project, on) {
  run(project, "npx", ...on, COMMAND, "run", "--seed", "1");
  const { verdict, rules } = readJson(join(project, "reports/report.json"));
  return `${verdict}, ${rules.length} rules`;
}

/** Does the same with vitest, against a served receiver; a failing test fails the script. */
async function hosted(project, on) {
  const served = spawn(process.execPath, [COMMAND, "serve"], { cwd: project });
  const ended = once(served, "exit");
  const args = [
    "node_modules/vitest/vitest.mjs",
    "run",
    "--reporter=json",
    "--outputFile=tests.json",
  ];
  try {
    const [profile] = await once(served.stdout.setEncoding("utf8"), "data");
    writeFileSync(join(project, "orgsync.yaml"), profile);
    writeFileSync(join(project, "conformance.test.js"), TEST);
    try {
      run(project, "npx", ...on, ...args);
    } catch (error) {
      if (!existsSync(join(project, "tests.json"))) throw error;
    }
  } finally {
    served.kill();
    await ended;
  }
  const { numPassedTests, numPendingTests, numFailedTests, testResults } = readJson(
    join(project, "tests.json"),
  );
  const failed = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === "failed")
    .map(
      ({ fullName, failureMessages }) => `\n    ${fullName}: ${failureMessages[0]?.split("\n", 1)}`,
    );
  if (numFailedTests > 0 || numPassedTests === 0) process.exitCode = 1;
  return `${numPassedTests} pass, ${numPendingTests} skip, ${numFailedTests} fail${failed.join("")}`;
}
