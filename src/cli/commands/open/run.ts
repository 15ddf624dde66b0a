import { spawn } from "node:child_process";
import { resolve } from "node:path";

import { SuiteError } from "../../../lib/errors.ts";
import { systemReason } from "../../../lib/system-error.ts";
import { readWholeReport } from "../../../report/read-report.ts";
import { reportPage } from "../../../workbench/page.ts";
import { startWorkbench } from "../../../workbench/server.ts";
import { untilStopped, type CommandIo } from "../../io.ts";
import type { OpenFlags } from "./flags.ts";

/**
 * Serves a report to one browser on this machine until the user stops it. Prints the link on stdout.
 * @throws SuiteError when the report cannot be read, or the port cannot be used
 */
export async function open(file: string, flags: OpenFlags, io: CommandIo): Promise<void> {
  const { report } = readWholeReport(resolve(io.cwd, file), file);
  const contentType = "text/html; charset=utf-8";
  const routes = new Map([["", { contentType, ...reportPage(report) }]]);
  const workbench = await startWorkbench(routes, flags.port).catch((error: unknown) => {
    throw new SuiteError(
      "ERR_LISTEN",
      `The page cannot listen on port ${flags.port}: ${systemReason(error)}`,
      { hint: "Name another port with --port, or leave it out." },
    );
  });
  try {
    const stopped = untilStopped(io);
    io.stdout.write(`${workbench.url}\n`);
    io.stderr.write("The link works once; Ctrl-C stops it.\n");
    if (flags.browser) startBrowser(workbench.url);
    await stopped;
  } finally {
    await workbench.close();
  }
}

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** Asks the system to show a page. Where it has no browser, the printed link remains. */
function startBrowser(url: string): void {
  const [program, ...words] = OPENERS[process.platform] ?? ["xdg-open"];
  const child = spawn(program, [...words, url], { stdio: "ignore", detached: true });
  child.on("error", () => {});
  child.unref();
}
