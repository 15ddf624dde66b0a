import { statSync } from "node:fs";

import { describe, expect, it, test } from "vitest";

import { diagnose } from "../../../src/engine/conclusion/diagnose.ts";
import {
  packed,
  type SignatureFile,
  unpacked,
} from "../../../src/engine/conclusion/signature-file.ts";
import { fixturePath } from "../../../src/lib/package-root.ts";
import { signaturesFile } from "../../../src/proof/signatures.ts";
import { FAULTS } from "../../../src/reference/index.ts";
import { RULES } from "../../../suites/index.ts";
import { KNOWN, known, showing, names, prefix } from "./showing.ts";

describe("the committed signatures", () => {
  it("are those of the reference receiver's faults, in their order; `npm run proof` writes them", () => {
    const shown = FAULTS.filter(
      ({ seenAs, observed }) => seenAs === undefined && observed === undefined,
    );
    expect(KNOWN.signatures.map(({ fault, rule, look }) => [fault, rule, look])).toEqual(
      shown.map(({ name, rule, how }) => [name, rule, how]),
    );
  });

  it("describe a receiver with a phrase that completes `behaves like a receiver that`", () => {
    for (const { behaves } of KNOWN.signatures) expect(behaves).toMatch(/^[a-z]+s (?!.*\.$)/);
  });

  it("are small enough to ship: the id of each case is in the file once", () => {
    expect(statSync(fixturePath("signatures.json")).size).toBeLessThan(360 * 1024);
  });

  it("come out of the file as they were put into it", () => {
    const faults = new Set(FAULTS.map(({ name }) => name));
    const still = { ...KNOWN, signatures: KNOWN.signatures.filter((one) => faults.has(one.fault)) };
    const text = signaturesFile([], still);
    expect(unpacked(JSON.parse(text) as SignatureFile)).toEqual(still);
  });

  it("may share cases in any order", () => {
    const more = { ...prefix, fault: "another", fail: [...(prefix.fail ?? []), "new@readChange"] };
    const all = { ...KNOWN, signatures: [...KNOWN.signatures, more] };
    expect(unpacked(packed(all))).toEqual(all);
  });

  it("the rule of every signature exists", () => {
    const rules = new Set<string>(RULES.map(({ id }) => id));
    for (const { rule } of KNOWN.signatures) expect(rules).toContain(rule);
  });
});

function stem(fault: string): string {
  return fault.replace(/-(?:underscores|mixed)$/, "");
}

describe("every fault is recognised by its signature, among at most three candidates", () => {
  test.for(KNOWN.signatures.map((one) => [one.fault, one] as const))("%s", ([fault, one]) => {
    const found = diagnose(showing(one), known);
    // Spellings of a header's name are one fault to a reader.
    expect(names(found).map(stem)).toContain(stem(fault));
    expect(found.length).toBeLessThanOrEqual(3);
  });
});
