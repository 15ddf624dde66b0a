import { describe, expect, it } from "vitest";

import { REQUIREMENTS, requirement, requirementsVersion } from "../../src/contract/requirements.ts";

describe("requirements.yaml", () => {
  it("has its own version", () => {
    expect(requirementsVersion).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it("never loses, renames or moves an entry unnoticed", async () => {
    const table = REQUIREMENTS.map(({ id, level, clause }) => `${id} | ${level} | ${clause}\n`);
    await expect(table.join("")).toMatchFileSnapshot("__snapshots__/requirements.txt");
  });

  it("has unique ids of dotted words", () => {
    const ids = REQUIREMENTS.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    for (const id of ids)
      expect(id).toMatch(/^[a-z][a-z0-9]*(-[a-z]+)*(\.[a-z][a-z0-9]*(-[a-z]+)*)+$/);
  });

  it.each(REQUIREMENTS.map((entry) => [entry.id, entry] as const))(
    "%s is complete and valid",
    (_id, entry) => {
      const known = ["id", "source", "clause", "level", "text", "gap", "side"];
      const reasons = ["observedBy", "records", "untestable"];
      expect([...known, ...reasons]).toEqual(expect.arrayContaining(Object.keys(entry)));
      expect(entry.clause).not.toBe("");
      expect(entry.text).not.toBe("");
      expect(["MUST", "SHOULD", "MAY", "none"]).toContain(entry.level);

      expect(["receiver", "authorization-server", "both"]).toContain(entry.side);
      expect(entry.untestable).not.toBe("");
      expect(entry.records !== undefined, "records goes with observedBy").toBe(
        entry.observedBy.length > 0,
      );
    },
  );

  it("requires nothing that the contract does not show", () => {
    const gaps = REQUIREMENTS.filter(({ text }) => text.includes("not shown"));
    expect(gaps.length).toBeGreaterThan(0);
    for (const { id, gap, level } of gaps) {
      expect({ id, gap, level }).toEqual({ id, gap: true, level: "none" });
    }
    expect(REQUIREMENTS.filter(({ gap }) => gap)).toEqual(gaps);
  });

  it("distinguishes the contract's sentences from those of RFCs", () => {
    for (const { id, source, clause } of REQUIREMENTS) {
      expect([id, /^RFC \d{4} (section \d|abstract)/.test(clause)]).toEqual([id, source === "rfc"]);
      expect([id, /^rfc\d{4}\./.test(id)]).toEqual([id, source === "rfc"]);
    }
  });
});

describe("requirement", () => {
  it("finds an entry by id", () => {
    expect(requirement("checks.audience")).toMatchObject({
      clause: "Authentication / Receiver checks / 3",
      level: "MUST",
      text: "aud equals the receiver's own base URL.",
      gap: false,
    });
  });

  it("throws for an unknown id", () => {
    expect(() => requirement("checks.audiance")).toThrow('nor a pack has "checks.audiance"');
  });
});
