import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { certify, phrase } from "../../src/index.ts";
import { definePack, type Pack } from "../../src/probe/pack.ts";
import { startReference } from "../../src/reference/index.ts";
import { BUNDLED_JWKS } from "../support/run-against.ts";

test("the pack in docs/packs.md has a verdict of its own", async () => {
  const text = readFileSync(new URL("../../docs/packs.md", import.meta.url), "utf8");
  const code = /```js\nimport [^\n]+\n([\s\S]+?)```/.exec(text)?.[1] ?? "";
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- the documentation's own code
  const make = new Function("definePack", "phrase", code.replace("export default", "return"));
  const pack = make(definePack, phrase) as Pack;
  const receiver = await startReference({ jwks: BUNDLED_JWKS });
  try {
    const report = await certify({
      profile: receiver.profile,
      packs: [pack],
      patterns: ["house.*"],
      seed: 1,
    });
    expect(report.packs?.map(({ id }) => id)).toEqual(["house"]);
    expect(
      report.packs?.[0]?.rules.flatMap((rule) => rule.cases.map((one) => one.outcome)),
    ).toEqual(["pass"]);
  } finally {
    await receiver.close();
  }
});
