import { expect, test } from "vitest";

import type { Call } from "../../../src/reference/model.ts";
import { good } from "../../../src/reference/routes.ts";
import type { Patch } from "../../../src/reference/steps.ts";
import { type Change, PRIMARY } from "../../../src/reference/store.ts";
import { runCases } from "../support.ts";
import { outcomes } from "./support.ts";

test.each([
  [
    "an internal error shows no change of another organization if it is the answer for every unknown change",
    "unknown-change-500",
    {},
  ],
  [
    "a change that unbound tokens find by its id alone is a violation where policy denies its organization",
    "change-under-any-organization-unbound",
    { "unbound@readChange": "warn", "denied@readChange": "fail" },
  ],
])("%s", async (_what, fault, others) => {
  const ran = await runCases("resources.change-isolated/*@readChange", { faults: [fault] });
  expect(outcomes(ran, "resources.change-isolated/")).toEqual({
    "bound@readChange": "pass",
    "unbound@readChange": "pass",
    "denied@readChange": "pass",
    "of-other@readChange": "pass",
    "edited@readChange": "pass",
    ...others,
  });
});

/** A receiver that finds some changes by their ids alone, whatever organization the path names. */
function findingAnywhere(found: (change: Change, call: Call) => boolean): Patch {
  return {
    readChange: (original) => (call) => {
      const changes = [...call.receiver.store.feeds.values()].flat();
      const data = changes.find((one) => one.id === call.changeId && found(one, call));
      return data ? good(call, { data }) : original(call);
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
  const ran = await runCases("resources.change-isolated/*@readChange", { patches: [patch] });
  const { [`${id}@readChange`]: judged, ...others } = outcomes(ran, "resources.change-isolated/");
  expect(judged).toBe("fail");
  expect(others).toMatchObject({ "bound@readChange": "pass", "denied@readChange": "pass" });
});
