import { expect, test } from "vitest";

import { reject } from "../../src/reference/checks.ts";
import type { Call } from "../../src/reference/model.ts";
import type { Patch } from "../../src/reference/steps.ts";
import { OTHER, PARTNER } from "../../src/reference/store.ts";
import { rulesWith, unsettled } from "../support/run-against.ts";
import { runCases } from "./support.ts";

const patterns = ["receiver.*/once-*"];

/** The failed cases, and the cases that blame a failed rule. */
async function seen(fault: string): Promise<{ fail: string[]; inconclusive: string[] }> {
  const { results } = await runCases(patterns, { faults: [fault] });
  const of = (outcome: string): string[] =>
    results.filter((one) => one.outcome === outcome).map(({ id }) => id);
  return { fail: of("fail"), inconclusive: of("inconclusive") };
}

test.each([
  [
    "decisions-remembered",
    [
      "receiver.scope/once-accepted-elsewhere@viewOrganization",
      "receiver.scope/once-accepted-elsewhere@editOrganization",
    ],
    [
      "receiver.binding/once-accepted-at-home@viewOrganization",
      "receiver.local-policy/once-allowed@viewOrganization",
    ],
  ],
  [
    "refusals-remembered",
    ["receiver.scope-sufficient/once-refused-elsewhere@viewOrganization"],
    ["receiver.binding-accepted/once-refused-abroad@viewOrganization"],
  ],
  [
    "binding-refusal-remembered",
    ["receiver.binding-accepted/once-refused-abroad@viewOrganization"],
    [],
  ],
])("only one rule is blamed for %s", async (fault, fail, inconclusive) => {
  expect(await seen(fault)).toEqual({ fail, inconclusive });
});

test("a header is not believed because payload and signature were accepted with another one", async () => {
  const known = new Map<string, Call["claims"]>();
  const remembering: Patch = {
    verifySignature: (original) => async (call) => {
      const key = (call.token ?? "").slice((call.token ?? "").indexOf("."));
      const claims = known.get(key);
      if (!claims) await original(call);
      else call.claims = claims;
      known.set(key, call.claims);
    },
  };
  const { results } = await runCases("receiver.signature/accepted-*", { patches: [remembering] });
  const failed = results.filter(({ outcome }) => outcome === "fail").map(({ id }) => id);
  expect(failed).toEqual(["receiver.signature/accepted-header-tampered@viewOrganization"]);
});

test("a token that is accepted in one case is not rejected in another", async () => {
  const { exchanges, results } = await runCases([
    "receiver.scope",
    "receiver.scope-sufficient",
    "receiver.binding",
  ]);
  const fates = new Map<string, Set<boolean>>();
  for (const { request, response, caseId } of exchanges.values()) {
    const { token } = request;
    // A token that is sent twice on purpose may get a different answer in each place.
    if (!token?.claims || !response || /once-/.test(caseId)) continue;
    const text = JSON.stringify([token.header, token.claims]);
    const seenOf = fates.get(text) ?? new Set();
    fates.set(text, seenOf.add(response.status < 300));
  }
  expect(fates.size).toBeGreaterThan(100);
  expect(results.filter(({ outcome }) => outcome === "fail")).toEqual([]);
  const both = [...fates].filter(([, fate]) => fate.size > 1);
  expect(both).toEqual([]);
});

test("a denied subject that may act on none of the named organizations leaves nothing inconclusive", async () => {
  const { results } = await runCases("receiver.local-policy", {
    patches: [
      {
        visibleOrganizations: (original) => (call) =>
          original(call).filter((id) => !isPartner(call) || id !== OTHER),
        applyPolicy: (original) => async (call) => {
          if (isPartner(call) && call.orgId === OTHER) throw reject(call, "applyPolicy", "No.");
          await original(call);
        },
      },
    ],
  });
  expect(unsettled(results)).toEqual([]);
  expect(rulesWith(results, "pass")).toEqual(["receiver.local-policy"]);
  expect(results.find(({ id }) => id.includes("/once-allowed@"))).toMatchObject({
    outcome: "not-applicable",
    reason: expect.stringContaining("may act on no organization that the profile names") as string,
  });
});

function isPartner(call: Call): boolean {
  return call.claims["sub"] === PARTNER;
}
