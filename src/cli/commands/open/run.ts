import { resolve } from "node:path";

import { SuiteError } from "../../../lib/errors.ts";
import { systemReason } from "../../../lib/system-error.ts";
import { findTarget } from "../../../profile/resolve.ts";
import { INSTALLED } from "../../../report/commands.ts";
import { readWholeReport } from "../../../report/read-report.ts";
import type { Report } from "../../../report/report.ts";
import type { WorkbenchEvent } from "../../../workbench/api.ts";
import { type Bench, endpointsOf } from "../../../workbench/endpoints.ts";
import { createJudging } from "../../../workbench/judging.ts";
import { reportPage, workbenchPage } from "../../../workbench/page.ts";
import { startWorkbench, type Workbench } from "../../../workbench/server.ts";
import { createSession, type Session } from "../../../workbench/session.ts";
import { tellConsents } from "../../consents.ts";
import { type CommandIo, startedAs, untilStopped } from "../../io.ts";
import { profileFile } from "../../profile-file.ts";
import { namedVariables, toldOf } from "../../run-target.ts";
import { watchFolder, type WatchedFolder } from "../../watch-folder.ts";
import { tokenOfCase } from "../token/run.ts";
import { startBrowser } from "./browser.ts";
import { createEngine } from "./engine.ts";
import type { OpenFlags } from "./flags.ts";

/**
 * Serves a report to one browser on this machine until the user stops it. Prints the link on stdout.
 * @throws SuiteError when the report, the named profile or the folder cannot be used, or the port cannot be used
 */
export async function open(
  file: string,
  baseUrl: string | undefined,
  flags: OpenFlags,
  io: CommandIo,
): Promise<void> {
  const { report } = readWholeReport(resolve(io.cwd, file), file);
  const folder = folderToWatch(flags, io);
  // Taken before anybody can see the page, so that no change is missed.
  const files = (await folder?.look()) ?? "";
  const stop = new AbortController();
  const { signal } = stop;
  const found = sessionFor(report, baseUrl, flags, io, signal);
  const session = "off" in found ? found : found.session;
  const page: { tell: (event: WorkbenchEvent) => void } = { tell: () => {} };
  const engine =
    "off" in session ? undefined : await createEngine(session.target, report, flags, io, signal);
  const judging = createJudging(report, engine, (event) => page.tell(event));
  const bench: Bench = {
    file,
    report,
    judging,
    session,
    profile: "off" in found ? undefined : found.named,
    watching: folder && { folder: flags.watch ?? "", writes: flags.watchWrites === true },
  };
  const workbench = await listen(bench, report, flags);
  page.tell = (event) => workbench.tell(event);
  try {
    const stopped = untilStopped(io);
    io.stdout.write(`${workbench.url}\n`);
    io.stderr.write(`${whatIsSent(found)}\nThe link works once; Ctrl-C stops it.\n`);
    if (flags.browser) startBrowser(workbench.url);
    const watching = folder && watchFor(folder, files, bench, page.tell, flags, signal);
    await stopped;
    stop.abort();
    await watching;
  } finally {
    stop.abort();
    await workbench.close();
    if (!("off" in session)) await session.close();
  }
}

interface Found {
  readonly session: Session;
  /** The profile, or else the base URL, as the user named it. */
  readonly named: string;
}

function whatIsSent(found: Found | { readonly off: string }): string {
  if ("off" in found) return `Nothing can be sent: ${found.off}`;
  return `Requests go to ${found.session.target.origin}, as ${found.named} says.`;
}

function folderToWatch(flags: OpenFlags, { cwd }: CommandIo): WatchedFolder | undefined {
  const { watch, watchWrites } = flags;
  if (watch !== undefined) return watchFolder(watch, cwd);
  if (watchWrites)
    throw new SuiteError("ERR_FLAG", "--watch-writes has no meaning without --watch");
  return undefined;
}

/**
 * Sends to the deployment of the profile. The report has no say in it: it may be somebody else's.
 * @throws SuiteError when what the user named cannot be used
 */
function sessionFor(
  report: Report,
  baseUrl: string | undefined,
  flags: OpenFlags,
  io: CommandIo,
  signal: AbortSignal,
): Found | { readonly off: string } {
  const { cwd } = io;
  const profile = profileFile(flags.profile, cwd);
  const named = profile ?? baseUrl;
  if (named === undefined) {
    return { off: "there is no profile here. Name the one of the deployment with --profile." };
  }
  const { readOnly, allowBundledKeys, untrusted } = flags;
  const env = namedVariables(flags, io);
  const options = { profile, baseUrl, readOnly, allowBundledKeys, untrusted, cwd, env };
  try {
    const target = findTarget(options);
    const session = createSession(target, report, {
      tokenOfCase: (id) => tokenOfCase(target, id),
      command: startedAs(io) ?? INSTALLED,
      told: toldOf(baseUrl, flags),
      signal,
      onConsent: tellConsents(io.stderr),
    });
    return { session, named };
  } catch (error) {
    const isNamed = flags.profile !== undefined || baseUrl !== undefined;
    if (isNamed || !(error instanceof SuiteError)) throw error;
    return { off: `${named} cannot be used: ${error.message}` };
  }
}

async function listen(bench: Bench, report: Report, { port }: OpenFlags): Promise<Workbench> {
  const served = {
    pages: new Map([
      ["", await workbenchPage(report)],
      ["report", reportPage(report)],
    ]),
    endpoints: endpointsOf(bench),
    events: "api/events",
  };
  return startWorkbench(served, port).catch((error: unknown) => {
    throw new SuiteError(
      "ERR_LISTEN",
      `The page cannot listen on port ${port}: ${systemReason(error)}`,
      { hint: "Name another port with --port, or leave it out." },
    );
  });
}

/**
 * Judges again whenever files change, until the signal aborts.
 * @param files what `folder.look` found at the start
 */
async function watchFor(
  folder: WatchedFolder,
  files: string,
  { judging, session }: Bench,
  tell: (event: WorkbenchEvent) => void,
  { watchWrites }: OpenFlags,
  signal: AbortSignal,
): Promise<void> {
  if ("off" in session) return;
  let before = files;
  while (!signal.aborted) {
    const after = await folder.changed(before, signal);
    if (after === undefined) return;
    before = after;
    tell({ type: "changed" });
    const { commands, commandsAllowed } = session;
    if (commands.length > 0 && !commandsAllowed) {
      const problem = "The profile names commands, which run after a click.";
      tell({ type: "idle", problem });
    } else await judging.again(watchWrites !== true);
  }
}
