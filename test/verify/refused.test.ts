import { beforeAll, describe, expect, it } from "vitest";

import { wholeReport } from "../../src/report/read-report.ts";
import type { Report } from "../../src/report/report.ts";
import { AUDIENCE, caseOf, type Forged, found, ruleOf, SOME_RULES } from "./forging.ts";
import { genuine } from "./reports.ts";

let good: Report;

beforeAll(async () => {
  good = await genuine(
    {},
    { rules: SOME_RULES, patterns: ["receiver.audience/*@viewOrganization"] },
  );
}, 300_000);

describe("a report of another version", () => {
  it.each(
    Object.entries<[RegExp, (forged: Forged) => unknown]>({
      "of the suite": [/made by version 9\.9\.9/, (forged) => (forged.suite.version = "9.9.9")],
      "of the rule set": [/rule set 0\.0\.1/, (forged) => (forged.suite.requirements = "0.0.1")],
      "of the rules": [
        /another rule set .* digest of its rules and cases is 000000000000/,
        (forged) => (forged.plan.rules = "0".repeat(64)),
      ],
    }),
  )("%s is not judged", async (_, [message, forge]) => {
    await expect(found(good, forge)).rejects.toThrow(message);
  });
});

it("a report that does not hold the facts of its plan is refused", () => {
  const { facts: _facts, ...plan } = good.plan;
  expect(() => wholeReport({ ...good, plan })).toThrow(/lacks plan\.facts/);
});

describe("a report that is made to take forever", () => {
  it.each(
    Object.entries<(forged: Forged) => unknown>({
      "by its patterns": (forged) => (forged.plan.patterns = [`${"*[a-z]".repeat(14)}!`]),
      "by its clients": (forged) => {
        const client = {
          name: "x",
          flow: "client_credentials",
          id: "x",
          authentication: "none",
          scopes: [],
          authorizationParameters: {},
          tokenParameters: {},
        } as const;
        forged.plan.facts.authorizationServer = {
          issuer: "https://x",
          narrowing: true,
          probes: true,
          waitSeconds: 0,
          scopes: {
            "org:read": "r",
            "org:write": "w",
            "org.changes:read": "cr",
            "org.changes:write": "cw",
          },
          clients: Array.from({ length: 100_000 }, () => ({ ...client, scopes: [] })),
        };
      },
      "by its cases": (forged) => {
        const one = caseOf(forged, AUDIENCE);
        ruleOf(forged, "receiver.audience").cases = Array.from({ length: 30_000 }, () => one);
      },
    }),
  )("%s is not judged", async (_, forge) => {
    await expect(found(good, forge)).rejects.toThrow(/in 3 seconds|too large|more than any plan/);
  });
});
