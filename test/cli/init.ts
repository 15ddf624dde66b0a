import { cpSync } from "node:fs";
import { dirname, join } from "node:path";

import type { Asker } from "../../src/init/gather.ts";
import { generateKeys, type GeneratedKeys } from "../../src/keys/generate.ts";
import { BUNDLED_KEYS } from "../../src/profile/issuer-keys.ts";
import { loadProfile } from "../../src/profile/load.ts";
import { createIo, type TestIo, textIn } from "./io.ts";

export const BASE = "https://sync.example.com/common-grants";

export const IDS: readonly string[] = ["1", "2", "3"].map(
  (n) => `11111111-1111-4111-8111-11111111111${n}`,
);

/** Answers questions in turn, an empty answer for the default; `undefined` cancels. */
export function person(...answers: readonly (string | boolean | undefined)[]): Asker & {
  readonly asked: string[];
  readonly complaints: string[];
  /** What Enter would have taken at each question with yes or no. */
  readonly fallbacks: boolean[];
} {
  const left = [...answers];
  const asked: string[] = [];
  const complaints: string[] = [];
  const fallbacks: boolean[] = [];
  return {
    asked,
    complaints,
    fallbacks,
    text({ message, fallback, check }) {
      asked.push(message);
      for (;;) {
        const said = left.shift();
        if (typeof said !== "string") return Promise.resolve(undefined);
        const problem = check(said);
        if (problem === undefined) return Promise.resolve(said === "" ? fallback : said);
        complaints.push(problem);
      }
    },
    confirm({ message, fallback = false }) {
      asked.push(message);
      fallbacks.push(fallback);
      const said = left.shift();
      return Promise.resolve(typeof said === "boolean" ? said : undefined);
    },
  };
}

/** The surroundings of a command that asks. */
export function ioWith(ask: Asker): TestIo {
  return Object.assign(createIo(), { ask });
}

let keys: Promise<GeneratedKeys> | undefined;

/** Surroundings with keys, for tests that are not about making them: RSA keys take long. */
export async function withKeys(io: TestIo = createIo(), folder = "keys"): Promise<TestIo> {
  keys ??= generateKeys(join(createIo().cwd, "keys"), { algorithms: ["ES256"] });
  cpSync(dirname((await keys).publicFile), join(io.cwd, folder), { recursive: true });
  return io;
}

/** The profile that a command wrote. */
export function profileIn({ cwd }: TestIo, name = "orgsync.yaml"): ReturnType<typeof loadProfile> {
  return loadProfile(join(cwd, name));
}

/** A clone of the repository, or a copy of a bundled key under another name. */
export function withBundled(folder = "keys"): TestIo {
  const io = createIo();
  cpSync(BUNDLED_KEYS, join(io.cwd, folder), { recursive: true });
  return io;
}

/** The ids of the public keys in a folder. */
export function kidsIn(io: TestIo, folder: string): string[] {
  const set = JSON.parse(textIn(io, `${folder}/jwks.json`)) as { keys: { kid: string }[] };
  return set.keys.map(({ kid }) => kid);
}
