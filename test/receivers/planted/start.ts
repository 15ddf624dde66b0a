import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { packageRoot } from "../../../src/lib/package-root.ts";
import { folderWith } from "../../support/folder.ts";
import { BUNDLED, type RunningReceiver } from "../world.ts";
import { API, type Plant } from "./plant.ts";

/** Starts a receiver from a copy of the code of all stacks, in which one piece is replaced. */
export async function startPlanted(
  start: (code: (file: string) => Promise<unknown>) => Promise<RunningReceiver>,
  { name, plant: [file, right, wrong] }: Plant,
): Promise<RunningReceiver> {
  const folder = folderWith();
  for (const code of ["test/receivers", "docs/stacks/code"]) {
    mkdirSync(join(folder, code), { recursive: true });
    cpSync(join(packageRoot, code), join(folder, code), { recursive: true });
  }
  for (const same of ["node_modules", "src", "keys", "test/support"]) {
    symlinkSync(join(packageRoot, same), join(folder, same));
  }
  const text = readFileSync(join(folder, file), "utf8");
  if (!text.includes(right)) throw new Error(`${name}: ${file} does not contain ${right}`);
  writeFileSync(
    join(folder, file),
    text.replace(right, () => wrong),
  );
  // The examples check scope and binding themselves: a second check behind them would hide a bug in theirs.
  if (file.startsWith("docs/")) {
    const api = join(folder, API);
    const unchecked = readFileSync(api, "utf8")
      .replace("if (why !== undefined)", "if (orgId !== undefined && !mayUse(claims, orgId))")
      .replace("failed(403, why)", 'failed(403, why ?? "not allowed here")');
    writeFileSync(api, unchecked);
  }
  return start((one) => import(pathToFileURL(join(folder, one)).href));
}

type Examples = typeof import("../examples.ts");

/** An example of `docs/stacks`. */
export function example(name: string): Parameters<typeof startPlanted>[0] {
  return async (code) => {
    const { EXAMPLES, startExample } = (await code("test/receivers/examples.ts")) as Examples;
    const found = EXAMPLES.find((one) => one.name === name);
    if (!found) throw new Error(`there is no example ${name}`);
    return startExample(found, BUNDLED);
  };
}
