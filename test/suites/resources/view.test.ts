import { expect, test } from "vitest";

import type { Patch } from "../../../src/reference/steps.ts";
import { OTHER, PRIMARY } from "../../../src/reference/store.ts";
import { runCases } from "../support.ts";
import { outcomes } from "./support.ts";

test("an organization that only the list names is viewed too", async () => {
  const firstElse: Patch = {
    viewOrganization: (original) => (call) => {
      const organization = call.receiver.store.organizations.get(PRIMARY);
      return original(call.orgId === OTHER ? call : { ...call, organization });
    },
  };
  const ran = await runCases(["resources.view", "resources.list/ids*"], { patches: [firstElse] });
  expect(outcomes(ran, "resources.view/")).toEqual({
    "primary@viewOrganization": "pass",
    "primary-unbound@viewOrganization": "pass",
    "other@viewOrganization": "pass",
    "other-unbound@viewOrganization": "pass",
    "listed@viewOrganization": "fail",
  });
});
