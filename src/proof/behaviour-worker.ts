import { subscribe } from "node:diagnostics_channel";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pathToFileURL } from "node:url";

import type { CommandIo } from "../cli/io.ts";
import { type AnyReport, behaviourOf } from "./behaviour.ts";
import type { ReceiverBuild } from "./prove.ts";

// A child process of compare-behaviour.ts. It certifies receivers with the command of another checkout,
// whose folder is its first argument. The second one is where the runs may write.
const [root = "", scratch = ""] = process.argv.slice(2);
const { main } = (await import(pathToFileURL(join(root, "dist/src/cli/main.js")).href)) as {
  main: (argv: readonly string[], io: CommandIo) => Promise<number>;
};

/** Seed of every run. */
const SEED = "1";

const requests: { method: string; path: string }[] = [];
subscribe("http.server.request.start", (message) => {
  const { method = "", url = "" } = (message as { request: IncomingMessage }).request;
  requests.push({ method, path: url });
});

/** The environment of one command. */
function createIo(cwd: string, heard: (text: string) => void): CommandIo & { stop: () => void } {
  const listeners = new Set<() => void>();
  const quiet = { write: () => {}, isTTY: false, columns: 100 };
  return {
    stdout: { ...quiet, write: heard },
    stderr: quiet,
    stdin: Readable.from([""]),
    env: {},
    self: [process.execPath],
    cwd,
    onStop(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    exit: () => {},
    stop() {
      for (const listener of listeners) listener();
    },
  };
}

async function certify({ kind, name }: ReceiverBuild): Promise<unknown> {
  const cwd = mkdtempSync(join(scratch, "run-"));
  let served: Promise<number> | undefined;
  let world: ReturnType<typeof createIo> | undefined;
  try {
    const profile = await new Promise<string>((resolve, reject) => {
      world = createIo(cwd, resolve);
      served = main(["serve", ...(kind === "plain" ? [] : [`--${kind}`, name])], world);
      void served.then((code) => reject(new Error(`serve exits ${code}`)));
    });
    writeFileSync(join(cwd, "orgsync.yaml"), profile);
    requests.length = 0;
    const exit = await main(
      ["run", "--seed", SEED, "-o", "out"],
      createIo(cwd, () => {}),
    );
    const report = JSON.parse(readFileSync(join(cwd, "out/report.json"), "utf8")) as AnyReport;
    return { behaviour: behaviourOf(exit, report, requests) };
  } catch (error) {
    return { error: String(error) };
  } finally {
    world?.stop();
    await served;
    rmSync(cwd, { recursive: true, force: true });
  }
}

process.on("message", (subject: ReceiverBuild) => {
  void certify(subject).then((answer) => process.send?.(answer));
});
process.on("disconnect", () => process.exit());
