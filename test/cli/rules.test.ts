import { describe, expect, it } from "vitest";

import { RULES } from "../../suites/index.ts";
import { command } from "./io.ts";

interface Explained {
  id: string;
  requirements: { text: string }[];
  cases: { id: string; title: string }[];
}

describe("rules", () => {
  it("lists every rule with level and title", async () => {
    const { code, out } = await command(["rules"]);
    expect(code).toBe(0);
    for (const { id, level } of RULES) expect(out).toMatch(new RegExp(`^${id} +${level} `, "m"));
    const listed = JSON.parse((await command(["rules", "--json"])).out) as { id: string }[];
    expect(listed.map(({ id }) => id)).toEqual(RULES.map(({ id }) => id));
  });

  it("explains a rule: requirement, clause, dependencies, cases", async () => {
    const { code, out } = await command(["rules", "receiver.expiry"]);
    expect(code).toBe(0);
    expect(out).toContain("exp has not passed, allowing at most a small clock skew.");
    expect(out).toContain("Authentication / Receiver checks / 4");
    expect(out).toContain("receiver.token-required/missing");
    expect(out).toContain("hour-ago@viewOrganization");
  });

  it.each(RULES.map(({ id }) => id))("explains %s as JSON", async (id) => {
    const { code, out } = await command(["rules", id, "--json"]);
    expect(code).toBe(0);
    const explained = JSON.parse(out) as Explained;
    expect(explained.id).toBe(id);
    expect(explained.requirements.length).toBeGreaterThan(0);
    expect(explained.cases.length).toBeGreaterThan(0);
    for (const one of explained.cases) {
      expect(one.id.startsWith(`${id}/`)).toBe(true);
      expect(one.title).not.toBe("");
    }
  });

  it("explains the rule of a case, with only that case", async () => {
    const { out } = await command(["rules", "receiver.expiry/hour-ago@readChange", "--json"]);
    const { id, cases } = JSON.parse(out) as Explained;
    expect(id).toBe("receiver.expiry");
    expect(cases.map((one) => one.id)).toEqual(["receiver.expiry/hour-ago@readChange"]);
  });

  it("accepts an id without `receiver.`, and a case of every operation without its operation", async () => {
    const { out } = await command(["rules", "expiry/hour-ago", "--json"]);
    const { id, cases } = JSON.parse(out) as Explained;
    expect(id).toBe("receiver.expiry");
    expect(cases.length).toBeGreaterThan(1);
    expect(cases.every((one) => one.id.startsWith("receiver.expiry/hour-ago@"))).toBe(true);
  });
});
