import { statSync } from "node:fs";

import { describe, expect, it, test } from "vitest";

import { diagnose } from "../../../src/engine/conclusion/diagnose.ts";
import {
  packed,
  type SignatureFile,
  unpacked,
} from "../../../src/engine/conclusion/signature-file.ts";
import { fixturePath } from "../../../src/lib/package-root.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import { signaturesFile, wordsOf } from "../../../src/proof/signatures.ts";
import { FAULTS } from "../../../src/reference/index.ts";
import { RULES } from "../../../suites/index.ts";
import { changed, KNOWN, known, names, prefix, showing, signature } from "./showing.ts";

describe("the committed signatures", () => {
  it("are those of the reference receiver's faults, in their order; `npm run proof` writes them", () => {
    const shown = FAULTS.filter(
      ({ seenAs, observed }) => seenAs === undefined && observed === undefined,
    );
    expect(KNOWN.signatures.map(({ fault, rule, look }) => [fault, rule, look])).toEqual(
      shown.map((one) => [one.name, one.rule, wordsOf(one).look]),
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

describe("faults that a run does not tell apart", () => {
  it("are named once, in words that say what the run shows, with one of them as an example", () => {
    const kept = signature("edit-not-saved");
    const cached = signature("view-cached");
    expect(cached.behaves).toBe(kept.behaves);
    const found = diagnose(showing(cached), known);
    expect(found.map(({ behaves }) => behaves)).toEqual([kept.behaves]);
    expect(found[0]?.look).toMatch(/^For example, it /);
  });

  it("are not named where they would show in cases that were not judged, and another explains all", () => {
    const [lost] = signature("edit-not-saved").saw ?? [];
    const elsewhere = signature("edit-saved-elsewhere");
    const seen = changed(showing(elsewhere), ({ id }) =>
      id.includes("/nowhere-else@") ? { outcome: "inconclusive" } : {},
    ).map((one) => (one.outcome === "fail" ? { ...one, actual: phrase`${lost}` } : one));
    expect(names(diagnose(seen, known))).toEqual(["edit-not-saved"]);
  });
});

function stem(fault: string): string {
  return fault.replace(/-(?:underscores|mixed)$/, "");
}

describe("every fault is recognised by its signature, among at most three candidates", () => {
  test.for(KNOWN.signatures.map((one) => [one.fault, one] as const))("%s", ([fault, one]) => {
    const found = diagnose(showing(one), known);
    // Spellings of a header's name are one fault to a reader, and so are faults that show in the same words.
    const inItsWords = found.filter(({ behaves }) => behaves === one.behaves);
    expect([...names(found), ...inItsWords.map(() => fault)].map(stem)).toContain(stem(fault));
    expect(found.length).toBeLessThanOrEqual(3);
  });
});
