import { describe, expect, test } from "vitest";

import { Refusal } from "../../src/reference/refusal.ts";
import type { Patch } from "../../src/reference/steps.ts";
import { unsettled } from "../support/run-against.ts";
import { runCases } from "./support.ts";

const patterns = ["receiver.*/*-unmarked@*"];
const MARKS = /conformance/i;

describe("the unmarked sample", () => {
  test("has controls on each operation and a probe for each check, without a mark of the suite", async () => {
    const { results, exchanges } = await runCases(patterns, {
      profile: { request: { headers: { "X-Api-Key": "gateway" } } },
    });
    expect(unsettled(results)).toEqual([]);
    expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(["pass"]));
    const sent = [...exchanges.values()].filter(({ id, caseId }) => /unmarked/.test(id + caseId));
    const operations = new Set(sent.map(({ id }) => /^control\/([a-zA-Z]+)/.exec(id)?.[1] ?? ""));
    expect(operations.size - 1).toBe(6);
    for (const { request } of sent) {
      const fields = Object.fromEntries(request.headers);
      expect(Object.keys(fields)).not.toContain("conformance-case");
      expect(fields["user-agent"]).not.toMatch(MARKS);
      expect(Object.keys(fields)).toContain("x-api-key");
    }
  });

  test("a good request that is refused without marks is observed, and changes no outcome", async () => {
    const { results } = await runCases(patterns, { variants: ["unknown-clients-refused"] });
    expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(["observed"]));
    expect(results.find(({ operation }) => operation === "viewOrganization")?.actual).toBe(
      "a good request on viewOrganization without the suite's marks was answered 403 Forbidden",
    );
  });

  test("a good request that is refused later without marks is observed too", async () => {
    let seen = 0;
    const tiring: Patch = {
      readCredentials: (original) => (call) => {
        if (!MARKS.test(String(call.headers["user-agent"])) && call.authorization.length > 0) {
          seen += 1;
          if (seen > 1) throw new Refusal(403, "Too much of this client.");
        }
        return original(call);
      },
    };
    const { results } = await runCases(
      "receiver.token-required/missing-unmarked@viewOrganization",
      { patches: [tiring] },
    );
    expect(results).toMatchObject([
      { outcome: "observed", actual: expect.stringContaining("403 Forbidden") as string },
    ]);
  });
});
