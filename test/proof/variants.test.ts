import { describe, expect, test } from "vitest";

import { complaint, prove, RECEIVER_BUILDS } from "../../src/proof/prove.ts";
import { oneIn } from "./selection.ts";

describe("a conforming behaviour causes no alarm", () => {
  // That the plain receiver conforms shows in many other tests.
  const conforming = RECEIVER_BUILDS.filter(({ kind }) => kind === "variant");
  test.concurrent.for(oneIn(28, conforming).map((subject) => [subject.name, subject] as const))(
    "%s",
    async ([, subject]) => {
      expect(complaint(await prove(subject))).toBeUndefined();
    },
  );
});
