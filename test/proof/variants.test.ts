import { describe, expect, test } from "vitest";

import { combination, complaint, prove } from "../../src/proof/prove.ts";
import { VARIANTS } from "../../src/reference/index.ts";
import { compatible } from "./compatible.ts";
import { ALL, oneIn } from "./selection.ts";

/** Receivers with as many of these variants each as can be combined. */
function inFew(variants: typeof VARIANTS): (typeof VARIANTS)[] {
  const few: (typeof VARIANTS)[] = [];
  for (const variant of variants) {
    const at = few.findIndex((some) => compatible([...some, variant]));
    if (at < 0) few.push([variant]);
    else few[at] = [...(few[at] ?? []), variant];
  }
  return few;
}

describe("a conforming behaviour causes no alarm", () => {
  // That the plain receiver conforms shows in many other tests.
  const receivers = ALL ? VARIANTS.map((variant) => [variant]) : inFew(oneIn(28, VARIANTS));
  const subjects = receivers.map((variants) => combination("variant", variants));
  test.concurrent.for(subjects.map((subject) => [subject.name, subject] as const))(
    "%s",
    async ([, subject]) => {
      expect(complaint(await prove(subject))).toBeUndefined();
    },
  );
});
