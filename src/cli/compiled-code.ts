import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import module, { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { Script } from "node:vm";

/** Node's own way to keep compiled code, which it has from 22.8 on. */
const { enableCompileCache } = module as {
  enableCompileCache?: (folder: string) => void;
};

/**
 * Loads a CommonJS module with the modules beside it, and keeps the code that V8 compiles for them until the process ends. The
 * next process does not compile it again, which takes a short run as long as Node's own start.
 * @param file an absolute path; a module beside it is required as `./<name>`, and its name has to change with its content, because
 *   V8 does not compare kept code with its source
 * @param folder where the code is kept. It is made, or nothing is kept where it cannot be written.
 * @returns what the module exports
 */
export function loadCompiled(file: string, folder: string): unknown {
  const require = createRequire(file);
  if (enableCompileCache) {
    enableCompileCache(folder);
    return require(file);
  }
  const loaded = new Map<string, { exports: unknown }>();
  const compiled = new Map<string, Script>();
  process.once("exit", () => keep(compiled, folder));
  return load(file);

  function load(path: string): unknown {
    const known = loaded.get(path);
    if (known) return known.exports;
    const own: { exports: unknown } = { exports: {} };
    loaded.set(path, own);
    const source = readFileSync(path, "latin1");
    const kept = path === file ? undefined : join(folder, basename(path));
    const cachedData = kept === undefined ? undefined : contentOf(kept);
    const script = new Script(module.wrap(source), {
      filename: path,
      ...(cachedData && { cachedData }),
    });
    // Another version of V8 rejects it.
    if (kept !== undefined && script.cachedDataRejected !== false) compiled.set(kept, script);
    const run = script.runInThisContext() as (...args: readonly unknown[]) => void;
    const requires = (id: string): unknown =>
      id.startsWith("./") ? load(join(dirname(path), id)) : require(id);
    run.call(own.exports, own.exports, requires, own, path, dirname(path));
    return own.exports;
  }
}

function contentOf(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}

function keep(compiled: ReadonlyMap<string, Script>, folder: string): void {
  if (compiled.size === 0) return;
  try {
    mkdirSync(folder, { recursive: true });
    for (const [file, script] of compiled) {
      // Other processes may read the file or write it too.
      const unfinished = `${file}.${process.pid}`;
      writeFileSync(unfinished, script.createCachedData());
      renameSync(unfinished, file);
    }
  } catch {
    // Whoever cannot write there waits a little longer each time.
  }
}
