/**
 * Whether every fault and variant is tried: `PROOF=all npx vitest run test/proof`. By default a few are, the same
 * ones each time; `npm run proof` tries all of them.
 */
export const ALL: boolean = process.env["PROOF"] === "all";

/** Every `step`-th one, from the first; all of them with `PROOF=all`. */
export function oneIn<T>(step: number, all: readonly T[]): readonly T[] {
  return ALL ? all : all.filter((_, index) => index % step === 0);
}
