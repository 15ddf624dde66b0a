import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

import picomatch from "picomatch";

import { packageRoot } from "../lib/package-root.ts";
import { type Behaviour, differences } from "./behaviour.ts";
import { checkOut } from "./check-out.ts";
import { type ReceiverBuild, RECEIVER_BUILDS } from "./prove.ts";

// `npm run compare-behaviour -- <commit> [--only <glob>] [--sample <n>]` certifies the reference receiver,
// its variants and its faults with the command of a commit and with that of the working tree. It lists the
// differences, and exits 1 if there are any. Both use the installed dependencies.

type Answer = { readonly behaviour: Behaviour } | { readonly error: string };

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: "string" }, sample: { type: "string" } },
});
const [commit] = positionals;
if (commit === undefined) {
  console.error(
    "Name a commit: npm run compare-behaviour -- <commit> [--only <glob>] [--sample <n>]",
  );
  process.exit(2);
}

/** The selected subjects: of those that match, at most the number asked for, evenly spread. */
function selected(): readonly ReceiverBuild[] {
  const matches = picomatch(values.only ?? "*");
  const all = RECEIVER_BUILDS.filter(({ name }) => matches(name || "plain"));
  const most = Number(values.sample ?? all.length);
  const step = Math.max(1, Math.ceil(all.length / most));
  return all.filter((_, index) => index % step === 0);
}

async function ask(worker: ChildProcess, subject: ReceiverBuild): Promise<Answer> {
  worker.send(subject);
  // Whichever event comes first removes the listener for the other.
  const heard = new AbortController();
  try {
    const [answer] = (await Promise.race([
      once(worker, "message", { signal: heard.signal }),
      once(worker, "exit", { signal: heard.signal }).then(() => [{ error: "its process ended" }]),
    ])) as [Answer];
    return answer;
  } finally {
    heard.abort();
  }
}

/** Compares one subject, and again when something differs, for what varies by itself. */
async function compare(
  [before, after]: readonly [ChildProcess, ChildProcess],
  subject: ReceiverBuild,
): Promise<string[]> {
  const olds: Behaviour[] = [];
  const nows: Behaviour[] = [];
  let found: string[] = [];
  for (let tries = 1; tries === 1 || (tries === 2 && found.length > 0); tries++) {
    const [old, now] = [await ask(before, subject), await ask(after, subject)];
    if ("error" in old || "error" in now) {
      const said = (answer: Answer): string => ("error" in answer ? answer.error : "it runs");
      return said(old) === said(now) ? [] : [`${said(old)} -> ${said(now)}`];
    }
    olds.push(old.behaviour);
    nows.push(now.behaviour);
    found = differences(olds, nows);
  }
  return found;
}

// Everything temporary is in one folder: the checkout of the commit, and what the runs write.
const folder = mkdtempSync(join(tmpdir(), "compare-behaviour-"));
const checkout = join(folder, "checkout");
const started: ChildProcess[] = [];
let differing = 0;
try {
  mkdirSync(checkout);
  checkOut(commit, checkout);
  const subjects = selected();
  const queue = [...subjects];
  const startWorker = (root: string): ChildProcess => {
    const worker = fork(fileURLToPath(new URL("./behaviour-worker.js", import.meta.url)), [
      root,
      folder,
    ]);
    started.push(worker);
    return worker;
  };
  const work = async (): Promise<void> => {
    const pair = [startWorker(checkout), startWorker(packageRoot)] as const;
    for (let subject = queue.shift(); subject; subject = queue.shift()) {
      const lines = await compare(pair, subject);
      if (lines.length > 0) differing += 1;
      const name = [subject.kind, subject.name].filter(Boolean).join(" ");
      for (const line of lines) console.log(`${name}: ${line}`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  console.log(`${subjects.length} receivers compared with ${commit}, ${differing} of them differ`);
} finally {
  for (const worker of started) worker.disconnect();
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = differing > 0 ? 1 : 0;
