import { expect, test } from "vitest";

import type { Patch } from "../../../src/reference/steps.ts";
import { OTHER } from "../../../src/reference/store.ts";
import { rulesWith, runAgainstReference } from "../../support/run-against.ts";
import { runCases } from "../support.ts";
import { ORIGINAL, outcomes } from "./support.ts";

test("a write that cannot be recognised is inconclusive, with the reason", async () => {
  const body = { mission: "the same every time" };
  const ran = await runCases(["resources.edit", "resources.submit", "resources.change"], {
    profile: { operations: { editOrganization: { body }, submitChange: { body } } },
  });
  const seen = ran.results.find(({ id }) => id === "resources.edit/seen@editOrganization");
  expect(seen).toMatchObject({
    outcome: "inconclusive",
    reason: expect.stringContaining("`operations.editOrganization.body` has no `${unique}`"),
  });
  // Changes can still be distinguished by their ids.
  expect(outcomes(ran, "resources.change/")).toMatchObject({ "submitted@readChange": "pass" });
  expect(outcomes(ran, "resources.submit/")).toMatchObject({ "readable@submitChange": "pass" });
});

test.each<[string, (data: { id: unknown }) => { data: unknown }, string]>([
  ["shows nothing but the id", ({ id }) => ({ data: { id } }), "nothing of the organization but"],
  [
    "is too long to read",
    (data) => ({ more: "x".repeat(5 * 1024 * 1024), data }),
    "too long to read",
  ],
])("an edit is not missed in a view that %s", async (_what, view, reason) => {
  const otherView: Patch = {
    shape: (original) => (body) => {
      const { data } = body as { data?: { id: unknown; name?: unknown } };
      return original(data && "name" in data ? view(data) : body);
    },
  };
  const ran = await runCases("resources.edit/seen@editOrganization", {
    patches: [otherView],
    patienceMs: 0,
  });
  expect(ran.results.find(({ id }) => id === "resources.edit/seen@editOrganization")).toMatchObject(
    { outcome: "inconclusive", reason: expect.stringContaining(reason) },
  );
});

test("an edit that changed the organization in its body is reverted there", async () => {
  const ran = await runCases("resources.edit", { faults: ["edit-by-body-id"] });
  const id = "resources.edit/body-names-other@editOrganization";
  const failed = ran.results.find((result) => result.id === id);
  expect(failed?.actual).toMatch(/^200 OK, and the view of .* shows conformance-[\da-f]+$/);
  const sent = [...ran.exchanges.values()].filter(
    ({ caseId: sender, request }) =>
      sender === id && request.method === "PATCH" && request.url.includes(OTHER),
  );
  expect(sent.at(-1)?.request.body).toBe(JSON.stringify({ mission: ORIGINAL }));
});

test("an edit that gave the organization the id in its body is blamed alone, and reverted", async () => {
  const ran = await runCases("resources.*", { faults: ["edit-takes-body-id"] });
  expect(rulesWith(ran.results, "fail")).toEqual(["resources.edit"]);
  const id = "resources.edit/body-names-other@editOrganization";
  const failed = ran.results.find((result) => result.id === id);
  expect(failed?.actual).toMatch(
    /the view of the organization in the path shows the id [-\da-f]+$/,
  );
});

test("an edit that was only received has no effects to judge", async () => {
  const ran = await runCases("resources.edit", { faults: ["edit-not-saved-202"], patienceMs: 200 });
  const { "seen@editOrganization": isSeen, ...others } = outcomes(ran, "resources.edit/");
  expect(isSeen).toBe("warn");
  expect(Object.values(others)).not.toContain("inconclusive");
  expect(ran.finished.verdict).not.toBe("incomplete");
});

test("what is applied of a refused edit is found where the invalid body has a value of its own", async () => {
  const ran = await runCases("resources.edit/refused-in-part@editOrganization", {
    faults: ["edit-applied-in-part"],
    profile: {
      operations: {
        editOrganization: { invalidBody: { name: 7, mission: "Unsound ${unique}" } },
      },
    },
  });
  expect(outcomes(ran, "resources.edit/")).toEqual({ "refused-in-part@editOrganization": "fail" });
});

test("what a run has looked for in vain is not waited for twice", async () => {
  const { exchanges } = await runAgainstReference(
    { faults: ["edit-not-saved"] },
    // Without patience each wait is one look.
    { patterns: ["resources.edit/further@*", "receiver.no-side-effects"], patienceMs: 0 },
  );
  const ids = [...exchanges.keys()];
  const looks = (label: string): string[] =>
    ids.filter((id) => id.startsWith(label) && exchanges.get(id)?.request.method === "GET");
  // The case is tried twice, because it proves nothing.
  expect(looks("resources.edit/further@editOrganization~")).toHaveLength(2);
  // The view and the feed, once for both kinds of writes.
  expect(looks("receiver.no-side-effects/lag~")).toHaveLength(2);
});
