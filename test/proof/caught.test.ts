import { describe, expect, test } from "vitest";

import { areaOf } from "../../src/contract/ids.ts";
import { OPERATION_IDS, type OperationId } from "../../src/contract/operations.ts";
import { partsOf, readKnownFaults } from "../../src/engine/conclusion/signatures.ts";
import { complaint, proveCaught } from "../../src/proof/prove.ts";
import type { Fault } from "../../src/reference/faults/fault.ts";
import { FAULTS } from "../../src/reference/index.ts";

const SIGNATURES = new Map(readKnownFaults().signatures.map((one) => [one.fault, one]));

/** The first case that sees a fault, in a list; empty without a signature, and where signatures leave out the clients of the cases. */
function firstCaseOf({ name, rule }: Fault): string[] {
  const signature = SIGNATURES.get(name);
  if (signature?.rule !== rule || areaOf(rule) === "authorization-server") return [];
  const { fail = [], warn = [] } = signature;
  return [...fail, ...warn].slice(0, 1).map((id) => `${rule}/${id}`);
}

/** The only operation that has a fault; `undefined` if all have it. */
function operationOf({ name }: Fault): OperationId | undefined {
  return OPERATION_IDS.find((id) => name.endsWith(`-on-${id}`));
}

// That no other rule sees them is proven by `npm run proof`, and in blamed.test.ts for the last fault of some rules.
test.concurrent.for(FAULTS.map((fault) => [fault.name, fault] as const))(
  "%s is caught by its own rule",
  async ([name, fault]) => {
    const { rule } = fault;
    const proof = await proveCaught(
      { kind: "fault", name },
      ...firstCaseOf(fault),
      rule,
      `${areaOf(rule)}.*`,
    );
    expect(complaint(proof)).toBeUndefined();
  },
);

describe("a fault on one operation leaves the others alone", () => {
  test.concurrent.for(FAULTS.filter(operationOf).map((fault) => [fault.name, fault] as const))(
    "%s",
    async ([name, fault]) => {
      const onAll = firstCaseOf(fault).map((id) => id.replace(/@.*/, "@*"));
      const { seen } = await proveCaught({ kind: "fault", name }, ...onAll, fault.rule);
      const operations = seen.map(({ id }) => partsOf(id.slice(fault.rule.length + 1)).operation);
      expect(new Set(operations)).toEqual(new Set([operationOf(fault)]));
    },
  );
});
