import { expect, test } from "vitest";

import { differences } from "./agreement.ts";
import { referenceInProcess } from "./in-process.ts";
import { type Change, type Draw, ISSUERS } from "./make.ts";

/** Draws on which the model and the reference once differed, as small as they came. A new one is a new row. */

const PRIMARY = "3f6c1d52-8a0e-4b7d-9c41-5e2a7f90b813";
const DENIED = "95d07be3-41fc-4c28-a7b6-e8130f5d2c69";

const good: Draw = {
  operation: "viewOrganization",
  organization: PRIMARY,
  change: "x",
  subject: "svc-conformance",
  bound: false,
  typ: "JWT",
  allScopes: false,
  changes: [],
  again: false,
};

function denied(change: Change): Draw[] {
  return [{ ...good, organization: DENIED, changes: [change] }];
}

test.each<[why: string, sequence: Draw[]]>([
  [
    "local policy says 403 only where nothing else is open: here the signature is padded",
    denied({ of: "text", how: "signature padded" }),
  ],
  [
    "the same for an id in capitals, which may be the organization or none",
    denied({ of: "path", how: "id in capitals" }),
  ],
])("%s", async (_, sequence) => {
  expect(await differences(await referenceInProcess(...ISSUERS), sequence)).toEqual([]);
});
