import { expect, test } from "vitest";

import { rulesWith } from "../support/run-against.ts";
import { runCases } from "./support.ts";

const patterns = ["receiver.order"];

test("the order of checks with the same status does not apply", async () => {
  const { results } = await runCases(patterns, { variants: ["statuses-all-403"] });
  const judged = results.filter(({ level }) => level !== "OBSERVE");
  expect(judged.length).toBe(85);
  expect(new Set(judged.map(({ outcome }) => outcome))).toEqual(new Set(["not-applicable"]));
});

test("every pair of checks with different statuses is judged", async () => {
  const variants = ["statuses-all-different"];
  const { results } = await runCases(patterns, { variants });
  const open = results.filter(({ outcome }) => outcome === "not-applicable");
  expect(open.map(({ id }) => id)).toEqual([
    "receiver.order/scope-before-policy@viewOrganization",
    "receiver.order/scope-before-policy@editOrganization",
    "receiver.order/scope-before-policy@submitChange",
    "receiver.order/scope-before-policy@readChangesFeed",
    "receiver.order/scope-before-policy@readChange",
  ]);
  expect(results.filter(({ outcome }) => outcome === "pass")).toHaveLength(80);
});

test("a fault that is not rejected alone is in no judged pair", async () => {
  const faults = ["issuer-unchecked"];
  const { results } = await runCases(patterns, { faults });
  const pairs = results.filter(({ id }) => id.includes("issuer"));
  expect(new Set(pairs.map(({ outcome }) => outcome))).toEqual(new Set(["not-applicable"]));
  expect(pairs[0]?.reason).toContain("200 OK");
});

test("each single fault is sent once for all of its pairs", async () => {
  const { exchanges } = await runCases(patterns);
  const mutations = [...exchanges.values()].map(({ request }) => request.token?.mutation);
  expect(mutations.filter((mutation) => mutation === "hour-ago")).toHaveLength(6);
});

test("a pair names the answers that it was compared with", async () => {
  const faults = ["order-scope-before-expiry"];
  const { results, exchanges } = await runCases(patterns, { faults });
  const failed = results.find(({ outcome }) => outcome === "fail");
  expect(failed?.id).toBe("receiver.order/expiry-before-scope@listOrganizations");
  expect(failed?.expected).toContain("401 Unauthorized");
  expect(failed?.actual).toContain("403 Forbidden");
  const mutations = failed?.evidence?.probes.map(
    (id) => exchanges.get(id)?.request.token?.mutation,
  );
  expect(mutations?.slice(0, 3)).toEqual(["hour-ago", "all-others", "hour-ago+all-others"]);
});

test("where nobody knows the denied organization, the check of policy has no answer", async () => {
  const { results } = await runCases(
    ["receiver.order", "receiver.local-policy/{bound,unbound}@*"],
    {
      profile: {
        denied: { subject: null, organization: "00000000-0000-4000-8000-00000000dead" },
      },
    },
  );
  const policy = results.filter(({ id }) => /-before-policy|local-policy/.test(id));
  expect(new Set(policy.map(({ outcome }) => outcome))).toEqual(new Set(["inconclusive"]));
  expect(rulesWith(results, "fail")).toEqual([]);
});
