import { describe, expect, test } from "vitest";

import { profileRemedy } from "../../src/probe/controls/remedy.ts";
import { rule } from "../../suites/routes/reachable.ts";
import { type Answer, PRIMARY, refusal, runTiny } from "../engine/tiny.ts";
import type { WordedResult } from "../support/worded.ts";

test.each([
  [400, "operations.editOrganization.body"],
  [403, "none for the profile"],
  [406, "`Accept` in `operations.editOrganization.headers`"],
  [409, "operations.editOrganization.body"],
  [412, "`operations.editOrganization.headers`, where `If-Match: ${etag}`"],
  [415, "operations.editOrganization.contentType"],
  [422, "operations.editOrganization.body"],
  [428, "operations.editOrganization.headers"],
])("a good edit that is answered %i is a problem of the set-up", async (status, remedy) => {
  const { outcome, reason } = await edited(status);
  expect(outcome).toBe("inconclusive");
  expect(reason).toContain(`was not accepted: ${status}`);
  // Who is refused by a policy shows in the rest of the run.
  const advice = profileRemedy("editOrganization", status) ?? "none for the profile";
  expect(advice).toContain(remedy);
});

test.each([401, 404, 405, 410, 501])("a good edit that is answered %i fails", async (status) => {
  expect(await edited(status)).toMatchObject({ outcome: "fail" });
});

/** The result where good edits are answered so. */
async function edited(status: number): Promise<Partial<WordedResult>> {
  const { results } = await runTiny([rule], {
    patterns: ["routes.reachable/editOrganization"],
    behaviour: ({ operation }) => (operation === "editOrganization" ? refusal(status) : undefined),
  });
  expect(results).toHaveLength(1);
  return results[0] ?? {};
}

/** A run in which a submission is answered 303; N in the location is the number of the call. */
async function submitted(location: string, followed?: Answer): Promise<WordedResult | undefined> {
  const { results } = await runTiny([rule], {
    patterns: ["routes.reachable/submitChange"],
    behaviour({ operation, path, number }) {
      if (operation === "submitChange") {
        return { status: 303, headers: { location: location.replace("N", String(number)) } };
      }
      return path === "/proposals/1" ? followed : undefined;
    },
  });
  return results[0];
}

describe("a submission that is answered 303", () => {
  test.each([
    `/base/orgs/${PRIMARY}/changes/cN`,
    `https://inner.test/v1/orgs/${PRIMARY.toUpperCase()}`,
    "changes/cN",
  ])("to %s is accepted", async (location) => {
    const { outcome, reason } = (await submitted(location)) ?? {};
    expect(outcome).toBe("pass");
    expect(reason).toContain("303 See Other, which leads to");
  });

  const page: Answer = { status: 200, headers: { "content-type": "text/html" } };
  test.each<[string, Answer | undefined, string]>([
    ["/base/proposals/1", { status: 200, body: { state: "pending" } }, "observed"],
    ["https://jobs.test/17", undefined, "observed"],
    ["/base/proposals/1", page, "fail"],
    ["/base/proposals/1", refusal(404), "fail"],
    ["/base/login?next=%2Forgs", undefined, "fail"],
    ["https://id.test/oauth2/authorize?client_id=1", undefined, "fail"],
  ])("to %s with the answer %j: %s", async (location, followed, outcome) => {
    expect((await submitted(location, followed))?.outcome).toBe(outcome);
  });
});
