import { describe, expect, test } from "vitest";

import { CLIENTS, FURTHER_CLIENTS } from "../../src/reference/authorization-server/clients.ts";
import { drawnOneIn } from "../proof/selection.ts";
import { runAgainstReference, rulesWith, unsettled } from "../support/run-against.ts";

test("with an authorization server and no test issuer, the reference receiver is judged in part and conforms", async () => {
  const { finished, results } = await runAgainstReference({ authorizationServer: "alone" });
  expect(unsettled(results)).toEqual([]);
  expect(finished.suiteErrors).toEqual([]);
  expect(finished.verdict).toBe("partial");
  const { judged, total } = finished.coverage;
  // docs/identity/README.md says about 60 %.
  expect(judged / total).toBeCloseTo(0.6, 1);
  expect(finished.partialBecause).toEqual(["testIssuer is false"]);
  const [, added] =
    /A test issuer would add (\d+) of \d+ MUST cases/.exec(finished.verdictText) ?? [];
  expect(finished.verdictText).toContain(`${judged} of ${total} MUST cases of the contract`);
  expect(Number(added) + judged).toBeLessThanOrEqual(total);
  expect(Number(added)).toBeGreaterThan(300);
  // Left out, not undecided.
  expect(results.some(({ rule }) => rule === "receiver.audience")).toBe(false);
  expect(results.some(({ id }) => id.startsWith("receiver.signature/rsa-pss@"))).toBe(false);
  const keyless = ["rsa-one", "rsa-minus-one", "rsa-leading-zero", "hs256-pkcs1-pem", "jwe-claims"];
  for (const name of keyless) {
    const id = `receiver.signature/${name}@viewOrganization`;
    expect(results.find((one) => one.id === id)).toMatchObject({ outcome: "pass" });
  }
  expect(results.some(({ id }) => id === "receiver.expiry/expired@viewOrganization")).toBe(false);
});

test("without `testIssuer: false` in the profile, a missing test issuer counts as not provisioned", async () => {
  const { finished, results } = await runAgainstReference(
    { authorizationServer: "alone" },
    {
      patterns: ["receiver.audience", "receiver.keys", "receiver.binding-list"],
      profile: { testIssuer: null },
    },
  );
  expect(finished.verdict).toBe("incomplete");
  const missing = results.find(({ id }) => id === "receiver.audience/other@viewOrganization");
  expect(missing).toMatchObject({ outcome: "not-provisioned", missing: ["testIssuer"] });
  expect(rulesWith(results, "pass")).toContain("receiver.binding-list");
});

describe("issued tokens reveal a fault of the receiver too", () => {
  test.for(
    drawnOneIn<[fault: string, rule: string]>(2, [
      ["signature-empty-accepted", "receiver.signature"],
      ["scope-unchecked", "receiver.scope"],
      ["binding-unchecked", "receiver.binding"],
      ["policy-unchecked", "receiver.local-policy"],
      ["error-body-without-errors", "errors.shape"],
      ["refusals-remembered", "receiver.scope-sufficient"],
      ["binding-refusal-remembered", "receiver.binding-accepted"],
    ]),
  )("%s, by %s", async ([fault, rule]) => {
    const { results } = await runAgainstReference(
      { authorizationServer: "alone", faults: [fault] },
      { patterns: [rule] },
    );
    expect(rulesWith(results, "fail")).toEqual([rule]);
  });
});

const denied = { denied: { subject: null, client: "partner" }, subject: "service" };

describe("clients each of which has a `sub` of its own", () => {
  const own = { authorizationServer: "alone", variants: ["server-subjects-of-clients"] } as const;

  test("are compared, and what no client could show is left out on purpose", async () => {
    const { finished, results } = await runAgainstReference(own, { profile: denied });
    expect(unsettled(results)).toEqual([]);
    expect(finished.verdict).toBe("partial");
    expect(finished.partialBecause).toEqual([
      "testIssuer is false",
      "`authorizationServer.subjects` is client",
    ]);
    const passed = rulesWith(results, "pass");
    expect(passed).toEqual(
      expect.arrayContaining(["receiver.binding", "receiver.scope", "receiver.binding-list"]),
    );
    const left = results.find(({ id }) => id === "receiver.local-policy/bound@viewOrganization");
    expect(left).toMatchObject({ outcome: "not-applicable" });
  });

  test("leave a case not provisioned if the profile does not say so, with the client that would show it", async () => {
    const { results } = await runAgainstReference(own, {
      patterns: ["receiver.local-policy/bound@viewOrganization"],
      profile: { ...denied, authorizationServer: { subjects: null } },
    });
    expect(results[0]).toMatchObject({ outcome: "not-provisioned" });
    expect(results[0]?.reason).toMatch(/no client of the denied subject is bound to 3f6c1d52/);
  });

  test.for(
    drawnOneIn<[fault: string, rule: string]>(2, [
      ["binding-unchecked", "receiver.binding"],
      ["scope-unchecked", "receiver.scope"],
    ]),
  )("reveal a fault all the same: %s, by %s", async ([fault, rule]) => {
    const options = { patterns: [rule], profile: denied };
    const { results } = await runAgainstReference({ ...own, faults: [fault] }, options);
    expect(rulesWith(results, "fail")).toEqual([rule]);
  });
});

describe("a server that ignores narrowing", () => {
  const patterns = ["receiver.scope", "receiver.scope-sufficient"];

  test("cases that need a narrow token are not provisioned if the profile says so", async () => {
    const { finished, results } = await runAgainstReference(
      { authorizationServer: "alone" },
      { patterns, profile: { authorizationServer: { narrowing: false } } },
    );
    const narrow = results.find(({ id }) => id === "receiver.scope/all-others@viewOrganization");
    expect(narrow).toMatchObject({
      outcome: "not-provisioned",
      missing: ["authorizationServer.clients"],
    });
    expect(finished.suiteErrors).toEqual([]);
    expect(rulesWith(results, "fail", "warn", "inconclusive")).toEqual([]);
  });

  test("is detected if the profile does not say so", async () => {
    const { results } = await runAgainstReference(
      { authorizationServer: "alone", variants: ["server-grants-all"] },
      { patterns, profile: { authorizationServer: { narrowing: true } } },
    );
    const narrow = results.filter(({ id }) => id.startsWith("receiver.scope/all-others@"));
    expect(new Set(narrow.map(({ outcome }) => outcome))).toEqual(new Set(["not-provisioned"]));
    expect(rulesWith(results, "fail", "warn", "inconclusive")).toEqual([]);
  });
});

test("a server that issues no token is reported once, and the run stops", async () => {
  const { finished, results } = await runAgainstReference(
    { authorizationServer: "alone" },
    {
      patterns: ["receiver.*"],
      profile: {
        authorizationServer: {
          clients: Object.fromEntries(
            [...CLIENTS, ...FURTHER_CLIENTS].map(({ name }) => [name, { id: "stranger" }]),
          ),
        },
      },
    },
  );
  expect(finished.setup.map(({ problem }) => problem)).toEqual([
    expect.stringMatching(/^There is no good token: no token was issued: .*invalid_client/),
  ]);
  expect(finished.verdictText).toContain("No good token was accepted");
  expect(rulesWith(results, "fail", "warn")).toEqual([]);
});
