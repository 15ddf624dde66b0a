import { describe, expect, test } from "vitest";

import { Refusal } from "../../src/reference/refusal.ts";
import { OTHER, PRIMARY } from "../../src/reference/store.ts";
import { observation, ORIGINAL, outcomes } from "./resources/support.ts";
import { runCases } from "./support.ts";

const CASES = [
  "receiver.binding/other-in-body@*",
  "resources.edit/unbound-names-other@*",
  "resources.submit/unbound-names-other@*",
];
const BOUND_EDIT = "receiver.binding/other-in-body@editOrganization";
const BOUND_CHANGE = "receiver.binding/other-in-body@submitChange";
const UNBOUND_EDIT = "resources.edit/unbound-names-other@editOrganization";
const UNBOUND_CHANGE = "resources.submit/unbound-names-other@submitChange";

describe("a write whose body names the other organization", () => {
  test("is about the organization of its path, and leaves no member behind", async () => {
    const ran = await runCases(CASES);
    expect(Object.values(outcomes(ran, ""))).toEqual(Array(4).fill("pass"));
    const left = observation(ran, "resources.edit/left-behind");
    expect(left).not.toMatch(/not restored|not removed/);
    const last = [...ran.exchanges.values()].findLast(({ request }) =>
      request.url.endsWith(`/orgs/${PRIMARY}`),
    );
    expect(last?.response?.body).toContain(ORIGINAL);
    expect(last?.response?.body).not.toContain(OTHER);
  });

  test.each([
    ["known-organization-in-body-is-edited", BOUND_EDIT, "fail"],
    ["known-organization-in-body-gets-changes", BOUND_CHANGE, "fail"],
    ["unbound-edit-by-body", UNBOUND_EDIT, "fail"],
    ["unbound-change-by-body", UNBOUND_CHANGE, "warn"],
  ])("is found in the other organization: %s", async (fault, id, outcome) => {
    const ran = await runCases(CASES, { faults: [fault] });
    const { [id]: own, ...others } = outcomes(ran, "");
    expect(own).toBe(outcome);
    expect(Object.values(others)).not.toContain("fail");
    expect(ran.results.find((one) => one.id === id)?.actual).toContain(`is in ${OTHER}`);
    const writes = [...ran.exchanges.values()].filter(
      ({ request: { method, url } }) => method === "PATCH" && url.includes(OTHER),
    );
    // What was edited there is set back.
    const back = fault.includes("edit") ? [JSON.stringify({ mission: ORIGINAL })] : [];
    const missions = writes.map(({ request }) => JSON.parse(request.body ?? "{}") as object);
    expect(missions).toMatchObject(back.map((body) => JSON.parse(body) as object));
  });

  test.each([
    ["the profile names an id alone", { organizations: { other: OTHER } }],
    ["the profile says false", { organizations: { other: { id: OTHER, writes: false } } }],
    ["nothing may be written at all", { writes: false }],
  ])("is not sent where %s", async (_what, profile) => {
    const ran = await runCases(CASES, {
      faults: ["known-organization-in-body-is-edited"],
      profile,
    });
    expect(Object.values(outcomes(ran, ""))).toEqual(Array(4).fill("not-applicable"));
    expect(ran.results[0]?.reason).toContain("organizations.other.writes: true");
    expect([...ran.exchanges.values()].filter(({ request }) => request.method !== "GET")).toEqual(
      [],
    );
  });

  test("that is seen nowhere is only observed", async () => {
    const ran = await runCases(BOUND_EDIT, {
      patienceMs: 0,
      patches: [
        {
          editOrganization: (original) => (call) => {
            const named = Object.hasOwn(call.body as object, "orgId");
            return named ? { status: 202, body: {} } : original(call);
          },
        },
      ],
    });
    expect(outcomes(ran, "")).toEqual({ [BOUND_EDIT]: "observed" });
  });

  test("is tried with one name at a time where all of them are refused", async () => {
    const ran = await runCases(BOUND_EDIT, {
      faults: ["known-organization-in-body-is-edited"],
      patches: [
        {
          editOrganization: (original) => (call) => {
            const known = ["mission", "organization_id"];
            const names = Object.keys(call.body as object);
            if (names.every((name) => known.includes(name))) return original(call);
            throw new Refusal(400, "There are unknown members.");
          },
        },
      ],
    });
    expect(outcomes(ran, "")).toEqual({ [BOUND_EDIT]: "fail" });
    expect(ran.results[0]?.actual).toContain("organization_id in the body name");
  });
});
