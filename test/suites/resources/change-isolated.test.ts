import { expect, test } from "vitest";

import type { Call } from "../../../src/reference/model.ts";
import type { Patch } from "../../../src/reference/steps.ts";
import { type Change, PRIMARY } from "../../../src/reference/store.ts";
import { runAgainstReference } from "../../support/run-against.ts";
import { outcomes } from "./support.ts";

test("an internal error shows no change of another organization if it is the answer for every unknown change", async () => {
  const ran = await runAgainstReference(
    { faults: ["unknown-change-500"] },
    { patterns: ["resources.change-isolated/*@readChange"] },
  );
  expect(outcomes(ran, "resources.change-isolated/")).toEqual({
    "bound@readChange": "pass",
    "unbound@readChange": "pass",
    "denied@readChange": "pass",
    "of-other@readChange": "pass",
    "edited@readChange": "pass",
  });
});

test("a change that unbound tokens find by its id alone is a violation where policy denies its organization", async () => {
  const ran = await runAgainstReference(
    { faults: ["change-under-any-organization-unbound"] },
    { patterns: ["resources.change-isolated/*@readChange"] },
  );
  expect(outcomes(ran, "resources.change-isolated/")).toEqual({
    "bound@readChange": "pass",
    "unbound@readChange": "warn",
    "denied@readChange": "fail",
    "of-other@readChange": "pass",
    "edited@readChange": "pass",
  });
});

/** A receiver that finds some changes by their ids alone, whatever organization the path names. */
function findingAnywhere(found: (change: Change, call: Call) => boolean): Patch {
  return {
    readChange: (original) => (call) => {
      const changes = [...call.receiver.store.feeds.values()].flat();
      const data = changes.find((one) => one.id === call.changeId && found(one, call));
      return data ? { status: 200, body: call.receiver.steps.shape({ data }) } : original(call);
    },
  };
}

test.each([
  ["an edit", "edited", findingAnywhere(({ status }) => status.value === "accepted")],
  [
    "a change of the other organization",
    "of-other",
    findingAnywhere((_change, { orgId }) => orgId === PRIMARY),
  ],
])("%s that is found by its id alone is a violation by itself", async (_what, id, patch) => {
  const ran = await runAgainstReference(
    { patches: [patch] },
    { patterns: ["resources.change-isolated/*@readChange"] },
  );
  const { [`${id}@readChange`]: judged, ...others } = outcomes(ran, "resources.change-isolated/");
  expect(judged).toBe("fail");
  expect(others).toMatchObject({ "bound@readChange": "pass", "denied@readChange": "pass" });
});
