import { describe, expect, test } from "vitest";

import { areaOf, sideOfId } from "../../src/contract/ids.ts";
import { OPERATION_IDS, type OperationId } from "../../src/contract/operations.ts";
import { partsOf, readKnownFaults, withoutClient } from "../../src/engine/conclusion/signatures.ts";
import { canBePooled, poolsOf } from "../../src/proof/pools.ts";
import { combination, complaint, type Proof, prove, proveCaught } from "../../src/proof/prove.ts";
import type { Fault } from "../../src/reference/faults/fault.ts";
import { FAULTS } from "../../src/reference/index.ts";

const POOL_SIZE = 8;
const SIGNATURES = new Map(readKnownFaults().signatures.map((one) => [one.fault, one]));

/** The first case that sees a fault, without its client; `undefined` without a signature. */
function firstCaseOf({ name, rule }: Fault): string | undefined {
  const signature = SIGNATURES.get(name);
  if (signature?.rule !== rule) return undefined;
  const [first] = [...(signature.fail ?? []), ...(signature.warn ?? [])];
  return first === undefined ? undefined : `${rule}/${first}`;
}

/** What selects a case that is named without its client. */
function patternOf(id: string): string {
  return sideOfId(id) === "authorization-server" ? `${id}{,@*}` : id;
}

/** The only operation that has a fault; `undefined` if all have it. */
function operationOf({ name }: Fault): OperationId | undefined {
  return OPERATION_IDS.find((id) => name.endsWith(`-on-${id}`));
}

/** Faults that share a receiver, because that takes a third of the time. Where one is asked for, it has a receiver of its own. */
const POOLS =
  process.env["PROOF"] === "all"
    ? []
    : poolsOf(FAULTS.filter(canBePooled).filter(firstCaseOf), POOL_SIZE);
const pooled = new Map<readonly Fault[], Promise<Proof>>();

/** Whether the first case of a fault sees it beside the others of its pool. */
async function isCaughtInPool(fault: Fault): Promise<boolean> {
  const pool = POOLS.find((one) => one.includes(fault));
  if (!pool) return false;
  const subject = combination(
    "fault",
    pool.map(({ name }) => name),
  );
  const proving =
    pooled.get(pool) ??
    prove(subject, pool.flatMap((one) => firstCaseOf(one) ?? []).map(patternOf));
  pooled.set(pool, proving);
  const { seen, suiteErrors, unfollowed } = await proving;
  expect([...suiteErrors, ...unfollowed]).toEqual([]);
  return seen.some(({ id }) => withoutClient(id) === firstCaseOf(fault));
}

// That no other rule sees them is proven by `npm run proof`, and in blamed.test.ts for the last fault of some rules.
test.concurrent.for(FAULTS.map((fault) => [fault.name, fault] as const))(
  "%s is caught by its own rule",
  async ([name, fault]) => {
    if (await isCaughtInPool(fault)) return;
    // Others may hide it.
    const first = firstCaseOf(fault);
    const patterns = [
      ...(first === undefined ? [] : [patternOf(first)]),
      fault.rule,
      `${areaOf(fault.rule)}.*`,
    ];
    const proof = await proveCaught({ kind: "fault", name }, ...patterns);
    expect(complaint(proof)).toBeUndefined();
  },
);

describe("a fault on one operation leaves the others alone", () => {
  test.concurrent.for(FAULTS.filter(operationOf).map((fault) => [fault.name, fault] as const))(
    "%s",
    async ([name, fault]) => {
      const onAll = firstCaseOf(fault)?.replace(/@.*/, "@*");
      const patterns = [onAll, fault.rule].filter((id) => id !== undefined);
      const { seen } = await proveCaught({ kind: "fault", name }, ...patterns);
      const operations = seen.map(({ id }) => partsOf(id.slice(fault.rule.length + 1)).operation);
      expect(new Set(operations)).toEqual(new Set([operationOf(fault)]));
    },
  );
});
