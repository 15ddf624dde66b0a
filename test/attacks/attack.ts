import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer, type IncomingMessage, request as httpRequest } from "node:http";
import { join } from "node:path";

import { parse, stringify } from "yaml";

import { COMMAND } from "../support/built.ts";
import { folderWith } from "../support/folder.ts";
import { close, listen } from "../support/listening.ts";
import type { Genuine, HostileTarget } from "./targets.ts";

/** What came of an attack on the built command. */
export interface Attacked {
  /** `null` if a signal ended it. */
  readonly code: number | null;
  readonly wallMs: number;
  /** The greatest resident set of the whole process, its workers included, in MiB. */
  readonly peakMiB: number;
  readonly out: string;
  readonly err: string;
  /** The text of `report.json`, where it was written. */
  readonly report: string | undefined;
  /** The permissions of `report.json`; `undefined` where there is none. */
  readonly mode: number | undefined;
  /** The texts of all reports. */
  readonly reports: string;
}

/**
 * Writes the greatest resident set of the process into a file when it ends, in KiB; in the main thread only. What Linux
 * says of a process itself does not count the parent that it was forked from, as `maxRSS` does.
 */
const METER = `data:text/javascript,${encodeURIComponent(`
  import { existsSync, readFileSync, writeFileSync } from "node:fs";
  import { isMainThread } from "node:worker_threads";
  const file = process.env.PEAK_FILE;
  delete process.env.PEAK_FILE;
  const status = "/proc/self/status";
  const peak = () =>
    existsSync(status)
      ? /VmHWM:\\s*(\\d+)/.exec(readFileSync(status, "utf8"))[1]
      : process.resourceUsage().maxRSS;
  if (isMainThread) process.on("exit", () => writeFileSync(file, String(peak())));
`)}`;

/** Runs the built command in a folder of its own, with these files. */
async function runBuilt(
  args: readonly string[],
  files: Readonly<Record<string, string>>,
  env: Readonly<Record<string, string>> = {},
): Promise<Attacked> {
  const folder = folderWith(files);
  try {
    const peakFile = join(folder, "peak");
    const began = performance.now();
    const child = spawn(process.execPath, ["--import", METER, COMMAND, ...args], {
      cwd: folder,
      env: { PATH: process.env["PATH"], ...env, PEAK_FILE: peakFile },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let [out, err] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (out += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (err += text));
    const [code] = (await once(child, "close")) as [number | null];
    const wallMs = performance.now() - began;
    const peakMiB = Number(textOf(peakFile) ?? Number.NaN) / 1024;
    const written = join(folder, "reports");
    const reports = existsSync(written)
      ? readdirSync(written)
          .map((name) => readFileSync(join(written, name), "utf8"))
          .join("\n")
      : "";
    return {
      code,
      wallMs,
      peakMiB,
      out,
      err,
      report: textOf(join(written, "report.json")),
      mode: existsSync(written) ? statSync(join(written, "report.json")).mode & 0o777 : undefined,
      reports,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

/** A conforming receiver in a process of its own, behind which hostile targets hide. */
export interface Victim {
  /** Runs the command against a hostile target. */
  attack(target: HostileTarget, args?: readonly string[]): Promise<Attacked>;
  close(): void;
}

export async function startVictim(): Promise<Victim> {
  const receiver = spawn(process.execPath, [COMMAND, "serve"], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const profile = await profileOf(receiver);
  const base = new URL(String(profile["baseUrl"]));
  return {
    async attack(hostile, args = hostile.rule === undefined ? [] : ["--rule", hostile.rule]) {
      const server = createServer((request, response) => {
        response.on("error", () => {});
        const answered = hostile.answer(request, response, () => genuine(base, request));
        Promise.resolve(answered).catch(() => request.socket.destroy());
      });
      server.on("connection", (socket) => socket.on("error", () => {}));
      const origin = await listen(server);
      const attacked = {
        ...profile,
        baseUrl: origin + base.pathname,
        audience: base.href,
        openapi: hostile.profile?.["openapi"],
        ...hostile.profile,
      };
      try {
        const files = {
          ...hostile.files,
          "orgsync.yaml": stringify(attacked).replaceAll("{origin}", origin),
        };
        const formats = hostile.secrets ? ["--report=har", "--report=html"] : [];
        return await runBuilt(["run", "--seed", "1", ...formats, ...args], files, hostile.env);
      } finally {
        await close(server);
      }
    },
    close: () => receiver.kill(),
  };
}

/** The profile that `serve` prints. */
async function profileOf({ stdout }: ChildProcess): Promise<Record<string, unknown>> {
  let text = "";
  for await (const piece of stdout ?? []) {
    text += String(piece);
    if (/readChange:[\s\S]*\n$/.test(text)) break;
  }
  return parse(text) as Record<string, unknown>;
}

async function genuine(base: URL, incoming: IncomingMessage): Promise<Genuine> {
  const { method, url: path, headers } = incoming;
  const onward = httpRequest({ hostname: base.hostname, port: base.port, method, path, headers });
  incoming.pipe(onward);
  const [answer] = (await once(onward, "response")) as [IncomingMessage];
  let body = "";
  for await (const piece of answer.setEncoding("utf8")) body += piece;
  const { "content-length": _, "transfer-encoding": __, ...rest } = answer.headers;
  return { status: answer.statusCode ?? 0, headers: rest, body };
}
