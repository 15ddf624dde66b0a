import { describe, expect, test } from "vitest";

import type { Patch } from "../../../src/reference/steps.ts";
import { runCases } from "../support.ts";
import { observation, ORIGINAL, outcomes } from "./support.ts";

/** The observation of what is left behind if edits set a member that did not exist before. */
async function leftBy(contentType: string): Promise<string | undefined> {
  const body = { mission: "${unique}", motto: "${unique}" };
  const ran = await runCases("routes.*", {
    patienceMs: 0,
    profile: { operations: { editOrganization: { contentType, body } } },
  });
  return observation(ran, "resources.edit/left-behind");
}

describe("an edit by the suite", () => {
  test("is reverted, and what cannot be reverted is reported", async () => {
    const ran = await runCases("resources.*");
    const last = [...ran.exchanges.values()].findLast(
      ({ caseId: sender }) => sender === "resources.edit/set-back",
    );
    expect(last?.request.method).toBe("GET");
    expect(last?.response?.body).toContain(ORIGINAL);
    const left = observation(ran, "resources.edit/left-behind");
    expect(left).toMatch(
      /^edits of [\da-f-]+, 10 in number; submitted changes of [\da-f-]+, 5 in number$/,
    );
    expect(ran.finished.writes).toEqual({ editOrganization: 10, submitChange: 5 });
  });

  test("is reverted whatever was selected", async () => {
    const ran = await runCases("routes.reachable/editOrganization");
    const sent = [...ran.exchanges.values()].filter(({ request }) => request.method === "PATCH");
    expect(sent.at(-1)?.request.body).toBe(JSON.stringify({ mission: ORIGINAL }));
  });

  test("is reported if there was no view before", async () => {
    const ran = await runCases("routes.*", {
      profile: { operations: { viewOrganization: false } },
    });
    expect(observation(ran, "resources.edit/left-behind")).toMatch(
      /^mission of [\da-f-]+, not restored: there was no view of it; /,
    );
  });

  test("is reported if it could not be reverted", async () => {
    // A new member can be removed if the media type has a way to do so.
    expect(await leftBy("application/json")).toMatch(/^motto of [\da-f-]+, not restored; edits/);
    expect(await leftBy("application/merge-patch+json")).toMatch(/^edits/);
  });

  test("that replaces the whole organization is reported, though an earlier one has lost the members", async () => {
    const replacing: Patch = {
      editOrganization: (original) => (call) => {
        const { organizations } = call.receiver.store;
        const { id = "" } = call.organization ?? {};
        organizations.set(id, { id, name: "" });
        return original({ ...call, organization: organizations.get(id) });
      },
    };
    const patterns = ["receiver.scope-sufficient", "resources.edit"];
    const ran = await runCases(patterns, { patches: [replacing] });
    expect(observation(ran, "resources.edit/unnamed-members@editOrganization")).toMatch(
      /^lost: .*name/,
    );
    expect(observation(ran, "resources.edit/left-behind")).toMatch(
      /name.* of [\da-f-]+, which no edit named; edits/,
    );
  });

  test("does not exist if writes are not allowed", async () => {
    const ran = await runCases("resources.*", { readOnly: true });
    expect(observation(ran, "resources.edit/left-behind")).toBeUndefined();
    expect(ran.finished.writes).toEqual({});
    expect(outcomes(ran, "resources.")).toMatchObject({
      "list/ids@listOrganizations": "pass",
      "view/other@viewOrganization": "pass",
      "feed/first@readChangesFeed": "pass",
      "change/known@readChange": "pass",
      "change-isolated/bound@readChange": "pass",
      "change-isolated/bound@readChangesFeed": "pass",
    });
    expect(ran.finished.verdict).toBe("partial");
  });
});
