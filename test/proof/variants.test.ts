import { describe, expect, test } from "vitest";

import { complaint, prove, RECEIVER_BUILDS } from "../../src/proof/prove.ts";
import { oneIn } from "./selection.ts";

describe("a conforming behaviour causes no alarm", () => {
  const conforming = RECEIVER_BUILDS.filter(({ kind }) => kind !== "fault");
  test.concurrent.for(
    oneIn(12, conforming).map((subject) => [subject.name || "none used", subject] as const),
  )("%s", async ([, subject]) => {
    expect(complaint(await prove(subject))).toBeUndefined();
  });
});
