import { describe, expect, it } from "vitest";

import {
  REQUIREMENTS,
  requirement,
  requirementsOf,
  requirementsVersion,
} from "../../src/contract/requirements.ts";
import { namesRule, RULE_IDS, RULE_FAMILIES } from "../../src/contract/rule-ids.ts";

const rules = [...RULE_IDS, ...RULE_FAMILIES];
const ruleNames = new Set<string>(rules.map(({ id }) => id));

describe("requirements.yaml", () => {
  it("has a version of its own", () => {
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

  it.each(REQUIREMENTS.map((entry) => [entry.id, entry] as const))("%s is whole", (_id, entry) => {
    const known = ["id", "source", "clause", "level", "text", "gap", "verifiedBy", "mainOf"];
    const reasons = ["observedBy", "records", "untestable"];
    expect([...known, ...reasons]).toEqual(expect.arrayContaining(Object.keys(entry)));
    expect(entry.clause).not.toBe("");
    expect(entry.text).not.toBe("");
    expect(["MUST", "SHOULD", "MAY", "none"]).toContain(entry.level);

    const answers = [
      entry.verifiedBy.length > 0,
      entry.observedBy.length > 0,
      entry.untestable !== undefined,
    ];
    expect(answers.filter(Boolean), "verifiedBy, observedBy or untestable").toHaveLength(1);
    expect(entry.untestable).not.toBe("");
    expect(entry.records !== undefined, "records goes with observedBy").toBe(
      entry.observedBy.length > 0,
    );

    for (const name of [...entry.verifiedBy, ...entry.observedBy]) {
      expect([...ruleNames]).toContain(name);
    }
    expect(entry.verifiedBy).toEqual(expect.arrayContaining([...entry.mainOf]));
    expect(new Set(entry.verifiedBy).size).toBe(entry.verifiedBy.length);
  });

  it("judges nothing that the contract does not show", () => {
    const gaps = REQUIREMENTS.filter(({ text }) => text.includes("not shown"));
    expect(gaps.length).toBeGreaterThan(0);
    for (const { id, gap, level, verifiedBy } of gaps) {
      expect({ id, gap, level, verifiedBy }).toEqual({
        id,
        gap: true,
        level: "none",
        verifiedBy: [],
      });
    }
    expect(REQUIREMENTS.filter(({ gap }) => gap)).toEqual(gaps);
  });

  it("tells the contract's sentences from those of RFCs", () => {
    for (const { id, source, clause } of REQUIREMENTS) {
      expect([id, /^RFC \d{4} (section \d|abstract)/.test(clause)]).toEqual([id, source === "rfc"]);
      expect([id, /^rfc\d{4}\./.test(id)]).toEqual([id, source === "rfc"]);
    }
  });
});

describe("the catalogue of rules", () => {
  it("never changes unnoticed", async () => {
    const table = rules.map(({ id, level }) => `${id} | ${level}\n`);
    await expect(table.join("")).toMatchFileSnapshot("__snapshots__/rules.txt");
  });

  it("has unique ids", () => {
    expect(ruleNames.size).toBe(rules.length);
  });

  it.each(rules)("$id rests on the contract, and on one sentence first of all", ({ id, level }) => {
    const ruleId = id.replace("*", "any");
    const found = requirementsOf(ruleId);
    const main = REQUIREMENTS.filter(({ mainOf }) => mainOf.some((name) => name === id));
    expect(main.map((entry) => entry.source)).toEqual(["contract"]);
    expect(found[0]).toBe(main[0]);
    const sufficient = level === "MUST" ? ["MUST"] : ["MUST", "SHOULD"];
    expect(sufficient).toContain(main[0]?.level);
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

  it("throws on an id that is not there", () => {
    expect(() => requirement("checks.audiance")).toThrow('no requirement "checks.audiance"');
  });
});

describe("requirementsOf", () => {
  it("gives a rule's requirements, the main one first and the contract's before those of RFCs", () => {
    const found = requirementsOf("receiver.audience");
    expect(found[0]?.id).toBe("checks.audience");
    expect(found.map(({ id }) => id)).toEqual(
      expect.arrayContaining(["claims.aud", "claims.aud-differs", "rfc7519.aud"]),
    );
    const sources = found.map(({ source }) => source);
    expect(sources).toEqual(sources.toSorted());
  });

  it("gives a rule of a family the family's requirements", () => {
    expect(requirementsOf("issuer.claims")).toEqual(requirementsOf("issuer.flows"));
    expect(requirementsOf("issuer.claims").map(({ id }) => id)).toContain("claims.iss");
    expect(namesRule("issuer.*", "issuers.claims")).toBe(false);
  });

  it("gives an unknown rule none", () => {
    expect(requirementsOf("receiver.audiance")).toEqual([]);
  });
});
