// Runs the commands in docs/debugging.md and docs/debugging-own.md and rewrites their output; with --check it only compares.
//
// A block ```console contains commands, each after `$ `, and their output. A command that ends with ` &` keeps running
// until the next such command. A block ```console from=A to=B omits the lines from the one that begins with A up to the
// one that begins with B. --check leaves out a block ```console long.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const fromRoot = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const PAGES = ["docs/debugging.md", "docs/debugging-own.md"];
const checks = process.argv.includes("--check");
/** A folder in which the package is installed, as the pages say. */
const project = mkdtempSync(join(tmpdir(), "orgsync-project-"));
const installed = join(project, "node_modules", "orgsync-conformance");
mkdirSync(dirname(installed));
symlinkSync(fromRoot("."), installed);
const main = join(installed, "bin", "orgsync-conformance.js");
const SHOWN_PORT = "8080";

/** Values that vary between runs are replaced by fixed ones. */
const VARYING = [
  [/\b1[6-9]\d{8}\b/g, "1795253400"],
  [/\b20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d/g, "2026-11-21T09:30:00"],
  [/\b\d{3}Z\b/g, "000Z"],
  // Keeps the width of the column.
  [
    /\bafter \d+ ms( *)/g,
    (all, blanks) => (blanks ? "after 3 ms".padEnd(all.length) : "after 3 ms"),
  ],
  [/\bin \d+\.\d s\b( \(\d+\.\d s of it only waiting\))?/g, "in 1.8 s"],
  [/\b\d+ s ago/g, "60 s ago"],
  [/\bin (9|10) min/g, "in 9 min"],
  [/\bconformance-[\da-f]{18}/g, "conformance-6c1f0e7a92b34d58a0"],
  [/\beyJ[\w.-]+/g, "eyJhbGciOiJSUzI1NiIs…"],
  // Which of several is answered first.
  [/(?<=^FAIL so far +\S+@)\w+/gm, "listOrganizations"],
];
/** Numbers that vary a little, or grow with the rules. The page has real ones, and --check does not compare them. */
const COUNTED =
  /\b[\d,]+(?= (?:requests in|accepted writes|pass|not-applicable|cases of|of [\d,]+ MUST|MUST cases of the|rules$))/gm;
/** Progress lines, which appear only in slow runs. */
const PROGRESS = /^\d+ of \d+ cases, .*\n?/gm;

const port = await freePort();
let folder;
const env = { ...process.env, NO_COLOR: "1", MAIN: main };
delete env.GITHUB_ACTIONS;
let running;

try {
  for (const name of PAGES) await walk(name);
} finally {
  rmSync(project, { recursive: true });
}

/** Runs the commands of one page in a temporary folder. */
async function walk(name) {
  const page = fromRoot(name);
  folder = mkdtempSync(join(tmpdir(), "orgsync-walk-"));
  symlinkSync(fromRoot("node_modules"), join(folder, "node_modules"));
  const receiver = readFileSync(fromRoot("docs/receiver.mjs"), "utf8");
  writeFileSync(join(folder, "receiver.mjs"), receiver.replaceAll(SHOWN_PORT, port));
  try {
    const before = readFileSync(page, "utf8");
    let after = "";
    let at = 0;
    for (const block of before.matchAll(/^```console(.*)\n([\s\S]*?)^```$/gm)) {
      if (checks && block[1] === " long") continue;
      const commands = [...block[2].matchAll(/^\$ (.*)$/gm)].map(([, command]) => command);
      const outputs = [];
      for (const command of commands) {
        outputs.push(`$ ${command}\n${shown(await run(command), block[1])}`);
      }
      after += `${before.slice(at, block.index)}\`\`\`console${block[1]}\n${outputs.join("\n")}\`\`\``;
      at = block.index + block[0].length;
    }
    after += before.slice(at);
    if (checks) {
      const [has, prints] = [before, after].map((text) => text.replace(COUNTED, "0"));
      if (has !== prints) {
        const lines = [has, prints].map((text) => text.split("\n"));
        const first = lines[0].findIndex((line, index) => line !== lines[1][index]);
        console.error(
          `${name} is not what its commands print; line ${first + 1}\n` +
            `  has     ${lines[0][first]}\n  printed ${lines[1][first]}\n"npm run debugging" writes it anew.`,
        );
        process.exitCode = 1;
      }
    } else writeFileSync(page, after);
  } finally {
    await stop();
    rmSync(folder, { recursive: true });
  }
}

/** The output of a command, and its exit code if that is not 0. */
async function run(command) {
  const real = `orgsync-conformance() { node "$MAIN" "$@"; }\n${command.replaceAll(SHOWN_PORT, port)}`;
  if (command.endsWith(" &")) return start(real.slice(0, -2));
  const {
    code = 0,
    stdout,
    stderr,
  } = await promisify(execFile)("bash", ["-c", `exec 2>&1\n${real}`], { cwd: folder, env }).catch(
    (error) => error,
  );
  return `${stdout}${stderr}${code === 0 ? "" : `[exit ${code}]\n`}`;
}

/** Starts a command and resolves at its first line of output. The command keeps running. */
async function start(command) {
  await stop();
  running = spawn(
    "bash",
    [
      "-c",
      command
        .replace("orgsync-conformance serve", 'exec node "$MAIN" serve')
        .replace("node receiver.mjs", "exec node receiver.mjs"),
    ],
    {
      cwd: folder,
      env,
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  const [line] = await once(running.stderr.setEncoding("utf8"), "data");
  return line;
}

async function stop() {
  if (!running) return;
  running.kill();
  await once(running, "exit");
  running = undefined;
}

function shown(output, info) {
  let text = output.replaceAll(String(port), SHOWN_PORT).replaceAll(PROGRESS, "");
  for (const [pattern, value] of VARYING) text = text.replaceAll(pattern, value);
  const [, from, to] = / from=(\S+) to=(\S+)/.exec(info) ?? [];
  if (from === undefined) return text;
  const lines = text.split("\n");
  const first = lines.findIndex((line) => line.startsWith(from));
  const last = lines.findIndex((line, index) => index > first && line.startsWith(to));
  return first < 0 || last < 0
    ? text
    : [...lines.slice(0, first), "[…]", "", ...lines.slice(last)].join("\n");
}

/** A free port with as many digits as the one in the page, so that columns keep their width. */
async function freePort() {
  for (let candidate = 8100; candidate < 9999; candidate++) {
    const server = createServer().listen(candidate, "127.0.0.1");
    const free = await once(server, "listening").then(
      () => true,
      () => false,
    );
    if (!free) continue;
    server.close();
    await once(server, "close");
    return candidate;
  }
  throw new Error("no port is free");
}
