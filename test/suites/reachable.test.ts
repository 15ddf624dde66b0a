import { expect, test } from "vitest";

import { rule } from "../../suites/routes/reachable.ts";
import { refusal, runTiny } from "../engine/tiny.ts";

const patterns = ["routes.reachable/editOrganization"];

test.each([
  [400, "operations.editOrganization.body"],
  [403, "the subject"],
  [406, "Accept in operations.editOrganization.headers"],
  [409, "operations.editOrganization.body"],
  [412, 'operations.editOrganization.headers, where "If-Match: ${etag}"'],
  [415, "operations.editOrganization.contentType"],
  [422, "operations.editOrganization.body"],
  [428, "operations.editOrganization.headers"],
])("a good edit that is answered %i is a problem of the set-up", async (status, remedy) => {
  const { results } = await runTiny([rule], {
    patterns,
    behaviour: ({ operation }) => (operation === "editOrganization" ? refusal(status) : undefined),
  });
  const [{ outcome, reason } = {}] = results;
  expect(outcome).toBe("inconclusive");
  expect(reason).toContain(remedy);
});

test.each([401, 404, 405, 410, 501])("a good edit that is answered %i fails", async (status) => {
  const { results } = await runTiny([rule], {
    patterns,
    behaviour: ({ operation }) => (operation === "editOrganization" ? refusal(status) : undefined),
  });
  expect(results.map(({ outcome }) => outcome)).toEqual(["fail"]);
});
