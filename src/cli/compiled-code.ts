import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import module, { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { cachedDataVersionTag } from "node:v8";
import { Script } from "node:vm";
import { crc32 } from "node:zlib";

/** Node's own way to keep compiled code, which it has from 22.8 on. */
const { enableCompileCache } = module as {
  enableCompileCache?: (folder: string) => void;
};

/** Code that is not kept yet. */
interface Compiled {
  readonly script: Script;
  readonly sourceSum: number;
}

const SUM_BYTES = 4;

/**
 * Loads a CommonJS module with the modules beside it, and keeps the code that V8 compiles for them until the process ends. The
 * next process does not compile it again, which takes a short run as long as Node's own start.
 * @param file an absolute path; a module beside it is required as `./<name>`. The modules are in ASCII.
 * @param folder where the code is kept. It is made, or nothing is kept where it cannot be written.
 * @returns what the module exports
 */
export function loadCompiled(file: string, folder: string): unknown {
  const require = createRequire(file);
  if (enableCompileCache) {
    enableCompileCache(folder);
    return require(file);
  }
  const kept = join(folder, engineName());
  const loaded = new Map<string, { exports: unknown }>();
  const compiled = new Map<string, Compiled>();
  process.once("exit", () => keep(compiled, kept));
  return load(file);

  function load(path: string): unknown {
    const known = loaded.get(path);
    if (known) return known.exports;
    const own: { exports: unknown } = { exports: {} };
    loaded.set(path, own);
    const source = readFileSync(path);
    const sourceSum = crc32(source);
    const place = join(kept, basename(path));
    const cachedData = keptCode(place, sourceSum);
    const script = new Script(module.wrap(source.toString("latin1")), {
      filename: path,
      ...(cachedData && { cachedData }),
    });
    if (script.cachedDataRejected !== false) compiled.set(place, { script, sourceSum });
    const run = script.runInThisContext() as (...args: readonly unknown[]) => void;
    const requires = (id: string): unknown =>
      id.startsWith("./") ? load(join(dirname(path), id)) : require(id);
    run.call(own.exports, own.exports, requires, own, path, dirname(path));
    return own.exports;
  }
}

/**
 * Names this build of Node and the flags of its V8. V8 may take code of another release of Node, or for another processor, for its
 * own, and then crashes or computes nonsense.
 */
function engineName(): string {
  const { version, platform, arch, execPath } = process;
  return [version, platform, arch, sizeOf(execPath), cachedDataVersionTag()].join("-");
}

function sizeOf(file: string): number {
  try {
    return statSync(file).size;
  } catch {
    return 0;
  }
}

/** Code that was kept whole, for the same source; V8 checks neither. */
function keptCode(file: string, sourceSum: number): Buffer | undefined {
  try {
    const kept = readFileSync(file);
    const code = kept.subarray(0, -SUM_BYTES);
    return kept.readUInt32LE(code.length) === crc32(code, sourceSum) ? code : undefined;
  } catch {
    return undefined;
  }
}

function keep(compiled: ReadonlyMap<string, Compiled>, folder: string): void {
  if (compiled.size === 0) return;
  try {
    mkdirSync(folder, { recursive: true });
    for (const [file, { script, sourceSum }] of compiled) {
      const code = script.createCachedData();
      const sum = Buffer.alloc(SUM_BYTES);
      sum.writeUInt32LE(crc32(code, sourceSum));
      // Whatever another process makes of the file meanwhile, or reads of it, has another sum.
      writeFileSync(file, Buffer.concat([code, sum]));
    }
  } catch {
    // Whoever cannot write there waits a little longer each time.
  }
}
