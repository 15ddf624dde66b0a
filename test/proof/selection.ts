import { packageRoot } from "../../src/lib/package-root.ts";
import { commitOf } from "../../src/proof/changes.ts";

/**
 * Whether every fault and variant is tried: `PROOF=all npx vitest run test/proof`. By default some are; `npm run proof`
 * tries all of them.
 */
export const ALL: boolean = process.env["PROOF"] === "all";

/** Every `step`-th one, from the first, the same ones each time; all of them with `PROOF=all`. */
export function oneIn<T>(step: number, all: readonly T[]): readonly T[] {
  return everyNth(step, all, 0);
}

/**
 * Every `step`-th one, from one that the commit draws, so that others are tried after the next commit; all of them with
 * `PROOF=all`.
 */
export function drawnOneIn<T>(step: number, all: readonly T[]): readonly T[] {
  return everyNth(step, all, Number.parseInt(commit(), 16) % step);
}

function everyNth<T>(step: number, all: readonly T[], from: number): readonly T[] {
  return ALL ? all : all.filter((_, index) => index % step === from);
}

/** As hexadecimal digits. Without git, as in an archive of the sources, always the same. */
function commit(): string {
  try {
    return commitOf(packageRoot);
  } catch {
    return "0";
  }
}
