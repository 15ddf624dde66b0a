import { createIo, type TestIo } from "../cli/io.ts";
import { COMMAND } from "../support/built.ts";

/** A world for `fleet`, whose runs are processes of the built command. */
export function createFleetIo(env: Record<string, string> = {}): TestIo {
  const self: TestIo["self"] = [process.execPath, COMMAND];
  return Object.assign(createIo(env), { self });
}
