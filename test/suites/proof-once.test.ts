import { expect, test } from "vitest";

import { rule as bindingList } from "../../suites/receiver/binding-list.ts";
import { rule as changeIsolated } from "../../suites/resources/change-isolated.ts";
import { type Answer, OTHER, PRIMARY, runTiny } from "../engine/tiny.ts";

/** Data of another organization is a violation even if it is shown only once. */

const CLAIM = "https://example.com/org_id";

test("one list that shows a bound token another organization is proof", async () => {
  let shown = false;
  const { results } = await runTiny([bindingList], {
    patterns: ["receiver.binding-list/primary@listOrganizations"],
    behaviour({ operation, claims }) {
      const bound = claims?.[CLAIM];
      if (operation !== "listOrganizations" || bound === undefined || shown) {
        const ids = bound === undefined ? [PRIMARY, OTHER] : [bound];
        return operation === "listOrganizations" ? listed(ids) : undefined;
      }
      shown = true;
      return listed([PRIMARY, OTHER]);
    },
  });
  expect(results).toMatchObject([{ outcome: "fail", flaky: true }]);
});

test("one feed that shows another organization's submission is proof", async () => {
  const submitted: string[] = [];
  let shown = false;
  const { results } = await runTiny([changeIsolated], {
    patterns: ["resources.change-isolated/bound@readChangesFeed"],
    patienceMs: 0,
    behaviour({ operation, organization, body }) {
      if (operation === "submitChange") {
        submitted.push(body);
        return { status: 202, body: { id: `c${submitted.length}` } };
      }
      if (operation !== "readChangesFeed") return undefined;
      const isOwn = organization === PRIMARY;
      if (!isOwn && shown) return listed([]);
      if (!isOwn && submitted.length > 0) shown = true;
      return listed(submitted.map((text, at) => `c${at + 1} ${text}`));
    },
  });
  expect(results).toMatchObject([{ outcome: "fail", flaky: true }]);
});

function listed(ids: readonly unknown[]): Answer {
  return { status: 200, body: { items: ids.map((id) => ({ id })) } };
}
