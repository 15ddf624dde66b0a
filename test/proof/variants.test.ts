import { describe, expect, test } from "vitest";

import { complaint, prove, SUBJECTS } from "../../src/proof/prove.ts";

/** `npm run proof` takes every one, and so does VARIANTS=all; here one in three has to do. */
const STEP = process.env["VARIANTS"] === "all" ? 1 : 3;

describe("a freedom of the contract, used, is no fault", () => {
  const conforming = SUBJECTS.filter(({ kind }) => kind !== "fault");
  const tried = conforming.filter((_, index) => index % STEP === 0);
  test.for(tried.map((subject) => [subject.name || "none used", subject] as const))(
    "%s",
    async ([, subject]) => {
      expect(complaint(await prove(subject))).toBeUndefined();
    },
  );
});
