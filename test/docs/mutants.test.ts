import { expect, test } from "vitest";

import { packageText } from "../support/package-text.ts";

interface Mutated {
  readonly file: string;
  readonly mutants: readonly { readonly find: string }[];
}

const FILES = JSON.parse(packageText("scripts/mutants.json")) as readonly Mutated[];

test.each(FILES.map(({ file, mutants }) => [file, mutants] as const))(
  "every mutant of %s finds its text exactly once",
  (file, mutants) => {
    const source = packageText(file);
    expect(mutants.filter(({ find }) => source.split(find).length !== 2)).toEqual([]);
  },
);
