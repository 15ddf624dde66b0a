// Installs the package as users do, without a lock file and with `engines` enforced, on every supported version of Node with npm,
// pnpm and Yarn, and runs the command and the vitest host there. An older Node must be told so.
//
// The npm package `node` holds the binaries. It and the installers are fetched when needed and are no dependencies. Needs a
// registry and a build. Arguments select versions of Node; default: all.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const COMMAND = "node_modules/orgsync-conformance/bin/orgsync-conformance.js";
const TOO_OLD = "18";
const VERSIONS = { 20.19: "vitest@4", 22: "vitest@5", 24: "vitest@5", 26: "vitest@5" };
/** The file that each installer runs, and its arguments. Yarn enforces `engines` by itself. */
const INSTALLERS = {
  npm: ["npm/bin/npm-cli.js", "install", "--engine-strict", "--no-audit", "--no-fund"],
  pnpm: ["pnpm/bin/pnpm.mjs", "add", "--config.engine-strict=true"],
  yarn: ["yarn/bin/yarn.js", "add", "--no-progress"],
};
const MOST_PACKAGES = 45;
const MOST_MEGABYTES = 30;
const TEST = `import { conformance } from "orgsync-conformance/vitest";
await conformance("orgsync.yaml", { seed: 1 });
`;

const chosen = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "orgsync-node-"));

try {
  run(root, "npm", "pack", "--ignore-scripts", "--silent", "--pack-destination", folder);
  const [tarball] = readdirSync(folder).map((file) => join(folder, file));
  const tools = newProject("tools");
  run(tools, "npm", "install", "--no-audit", "--no-fund", ...Object.keys(INSTALLERS));
  for (const [version, vitest] of Object.entries(VERSIONS)) {
    if (chosen.length > 0 && !chosen.includes(version)) continue;
    const node = nodeOf(version);
    console.log(`Node ${run(folder, node, "--version").trim()}`);
    for (const installer of Object.keys(INSTALLERS)) {
      const project = newProject(`${version}-${installer}`);
      install(tools, node, installer, project, tarball);
      const size = installer === "npm" ? `, ${weighed(project)}` : "";
      console.log(`  ${installer}: ${commanded(project, node)}${size}`);
    }
    const project = newProject(`${version}-vitest`);
    install(tools, node, "npm", project, tarball, vitest);
    const installed = readJson(join(project, "node_modules/vitest/package.json")).version;
    console.log(`  vitest ${installed}: ${await hosted(project, node)}`);
  }
  console.log(`Node ${TOO_OLD}: ${refused(nodeOf(TOO_OLD))}`);
} catch (error) {
  console.error(`${error.message}\n${error.stdout ?? ""}`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}

function run(cwd, command, ...args) {
  const stdio = ["ignore", "pipe", "pipe"];
  return execFileSync(command, args, { cwd, encoding: "utf8", stdio });
}

function newProject(name) {
  const project = mkdtempSync(join(folder, `${name}-`));
  writeFileSync(join(project, "package.json"), '{ "private": true, "type": "module" }\n');
  return project;
}

/** The binary of a version of Node. */
function nodeOf(version) {
  const project = newProject(`node-${version}`);
  run(project, "npm", "install", "--no-audit", "--no-fund", `node@${version}`);
  return join(project, "node_modules/node/bin/node");
}

/** Installs packages by an installer that runs on that Node. */
function install(tools, node, installer, project, ...packages) {
  const [file, ...args] = INSTALLERS[installer];
  const PATH = `${join(node, "..")}${delimiter}${process.env.PATH}`;
  execFileSync(node, [join(tools, "node_modules", file), ...args, ...packages], {
    cwd: project,
    env: { ...process.env, PATH },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

function readJson(file) {
  return JSON.parse(readFileSync(file, "utf8"));
}

/** What an installation consists of; too much of it fails the script. */
function weighed(project) {
  const packages = run(project, "npm", "ls", "--all", "--parseable").trim().split("\n").length - 1;
  const [kilobytes] = run(project, "du", "-sk", "node_modules").split("\t");
  const megabytes = Number(kilobytes) / 1024;
  if (packages > MOST_PACKAGES || megabytes > MOST_MEGABYTES) process.exitCode = 1;
  return `${packages} packages, ${megabytes.toFixed(1)} MB`;
}

/** Certifies the embedded reference receiver; throws when it exits with anything but 0. */
function commanded(project, node) {
  run(project, node, COMMAND, "run", "--seed", "1");
  const { verdict, rules } = readJson(join(project, "reports/report.json"));
  return `${verdict}, ${rules.length} rules`;
}

/** What the command says to a Node that is too old; throws unless that is one line. */
function refused(node) {
  try {
    run(root, node, "bin/orgsync-conformance.js", "run");
  } catch ({ status, stderr = "" }) {
    if (status === 2 && /^.*needs Node.*\n$/.test(stderr)) return stderr.trim();
  }
  throw new Error(`Node ${TOO_OLD} is not told that it is too old`);
}

/** Does the same with vitest, against a served receiver; a failing test fails the script. */
async function hosted(project, node) {
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
      run(project, node, ...args);
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
