import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { packageRoot } from "../../src/lib/package-root.ts";

interface Mutated {
  readonly file: string;
  readonly mutants: readonly { readonly find: string }[];
}

const read = (file: string): string => readFileSync(join(packageRoot, file), "utf8");
const FILES = JSON.parse(read("scripts/mutants.json")) as readonly Mutated[];

test.each(FILES.map(({ file, mutants }) => [file, mutants] as const))(
  "every mutant of %s finds its text exactly once",
  (file, mutants) => {
    const source = read(file);
    expect(mutants.filter(({ find }) => source.split(find).length !== 2)).toEqual([]);
  },
);
