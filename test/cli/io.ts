import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";

import { expect } from "vitest";
import { stringify } from "yaml";

import type { CommandIo } from "../../src/cli/io.ts";
import { main } from "../../src/cli/main.ts";
import type { Report } from "../../src/report/report.ts";
import { folderWith } from "../support/folder.ts";

/** The surroundings of one command. They keep what it writes, and can interrupt it. */
export interface TestIo extends CommandIo {
  readonly out: string;
  readonly err: string;
  /** What the command ended the process with, if it did. */
  readonly exits: readonly number[];
  stop(): void;
  /** Calls back as soon as the text is written to stdout or stderr. */
  when(text: string, heard: () => void): void;
  /** Resolves once it is. */
  said(text: string): Promise<void>;
}

export function createIo(
  env: Record<string, string> = {},
  stdin: string | Uint8Array = "",
  files: Readonly<Record<string, string>> = {},
): TestIo {
  const written = { out: "", err: "" };
  const listeners = new Set<() => void>();
  const waiting: { text: string; heard: () => void }[] = [];
  const exits: number[] = [];
  const stream = (name: "out" | "err"): CommandIo["stdout"] => ({
    write(text) {
      written[name] += text;
      for (const { text: wanted, heard } of waiting) if (written[name].includes(wanted)) heard();
    },
    isTTY: false,
    columns: 100,
  });
  const when: TestIo["when"] = (text, heard) => {
    if (`${written.out}\n${written.err}`.includes(text)) heard();
    else waiting.push({ text, heard });
  };
  return {
    stdout: stream("out"),
    stderr: stream("err"),
    stdin: Readable.from([stdin]),
    env,
    self: [process.execPath],
    cwd: folderWith(files),
    onStop(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    exit: (code) => exits.push(code),
    exits,
    stop() {
      for (const listener of listeners) listener();
    },
    when,
    said: (text) => new Promise((heard) => when(text, heard)),
    get out() {
      return written.out;
    },
    get err() {
      return written.err;
    },
  };
}

/** Surroundings with a profile as `orgsync.yaml`, and files beside it. */
export function ioWith(
  profile: object,
  files: Readonly<Record<string, string>> = {},
  stdin?: string | Uint8Array,
): TestIo {
  return createIo({}, stdin, { ...files, "orgsync.yaml": stringify(profile) });
}

/** The text of a file in the working directory. */
export function textIn({ cwd }: Pick<CommandIo, "cwd">, file: string): string {
  return readFileSync(join(cwd, file), "utf8");
}

/** The report that a run has written. */
export function reportIn(io: Pick<CommandIo, "cwd">, folder = "reports"): Report {
  return JSON.parse(textIn(io, `${folder}/report.json`)) as Report;
}

/** Text as it was before it was wrapped. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ");
}

/** Runs the command to its end. */
export async function command(
  argv: readonly string[],
  io: TestIo = createIo(),
): Promise<{ code: number; out: string; err: string; io: TestIo }> {
  const code = await main(argv, io);
  return { code, out: io.out, err: io.err, io };
}

/** What a command says on stderr that exits 2 and prints nothing else. */
export async function refusal(
  ran: Promise<Pick<Awaited<ReturnType<typeof command>>, "code" | "out" | "err">>,
): Promise<string> {
  const { code, out, err } = await ran;
  expect([code, out]).toEqual([2, ""]);
  return err;
}
