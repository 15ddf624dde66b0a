import { isDeepStrictEqual } from "node:util";

import { describe, expect, test } from "vitest";

import { areaOf, sideOfId } from "../../src/contract/ids.ts";
import { OPERATION_IDS, type OperationId } from "../../src/contract/operations.ts";
import { partsOf, readKnownFaults, withoutClient } from "../../src/engine/conclusion/signatures.ts";
import { combination, complaint, type Proof, prove, proveCaught } from "../../src/proof/prove.ts";
import type { Fault } from "../../src/reference/faults/fault.ts";
import { FAULTS } from "../../src/reference/index.ts";
import { canBePooled, poolsOf } from "./pools.ts";
import { ALL, drawnOneIn } from "./selection.ts";

const POOL_SIZE = 12;
const SIGNATURES = new Map(readKnownFaults().signatures.map((one) => [one.fault, one]));

/** The first case that sees a fault, without its client; `undefined` without a signature. */
function firstCaseOf({ name, rule }: Fault): string | undefined {
  const signature = SIGNATURES.get(name);
  if (signature?.rule !== rule) return undefined;
  const [first] = [...(signature.fail ?? []), ...(signature.warn ?? [])];
  return first === undefined ? undefined : `${rule}/${first}`;
}

/** What selects a case that is named without its client. */
function allClients(id: string): string {
  return sideOfId(id) === "authorization-server" ? `${id}{,@*}` : id;
}

/** For each area with faults that show only in the requests of other rules: what selects these together. */
const FURTHER: Readonly<Partial<Record<string, string>>> = {
  resources: "{resources.*,receiver.{scope-sufficient,no-side-effects,isolation,audience,expiry}}",
  "authorization-server": "authorization-server.{responses,client-credentials}",
};

/** The only operation that has a fault; `undefined` if all have it. */
function operationOf({ name }: Fault): OperationId | undefined {
  return OPERATION_IDS.find((id) => name.endsWith(`-on-${id}`));
}

/** One in twelve, because `npm run proof` tries all; `-t <fault>` finds any. */
const DRAWN = drawnOneIn(12, FAULTS);

/** What the cases of a fault's rule came to. */
type OfItsRule = Pick<Proof, "seen" | "open">;

/** Runs faults by their first cases, several in one receiver. */
function pooled(
  faults: readonly Fault[],
  patternOf: (firstCase: string) => string,
): (fault: Fault) => Promise<OfItsRule> {
  // Sharing a receiver takes a third of the time. With `PROOF=all`, or where one is asked for, each fault has its own.
  const pools = ALL ? [] : poolsOf(faults.filter(canBePooled).filter(firstCaseOf), POOL_SIZE);
  const proofs = new Map<readonly Fault[], Promise<Proof>>();
  return async ({ name, rule }) => {
    const pool = pools.find((one) => one.some((fault) => fault.name === name));
    if (!pool) return { seen: [], open: [] };
    const patterns = pool.flatMap((one) => firstCaseOf(one) ?? []).map(patternOf);
    const proof = proofs.get(pool) ?? prove(combination("fault", pool), patterns);
    proofs.set(pool, proof);
    const { seen, open, suiteErrors, unfollowed } = await proof;
    expect([...suiteErrors, ...unfollowed]).toEqual([]);
    return {
      seen: seen.filter((one) => one.rule === rule),
      open: open.filter((one) => one.rule === rule),
    };
  };
}

const besideOthers = pooled(DRAWN, allClients);

// That no other rule sees them is proven by `npm run proof`, and in blamed.test.ts for the last fault of some rules.
test.concurrent.for(DRAWN.map((fault) => [fault.name, fault] as const))(
  "%s is caught by its own rule",
  async ([name, fault]) => {
    const first = firstCaseOf(fault);
    const { seen } = await besideOthers(fault);
    if (seen.some(({ id }) => withoutClient(id) === first)) return;
    // Others may hide it.
    const area = areaOf(fault.rule);
    const patterns = [
      ...(first === undefined ? [] : [allClients(first)]),
      fault.rule,
      FURTHER[area] ?? `${area}.*`,
    ];
    const proof = await proveCaught({ kind: "fault", name }, ...patterns);
    expect(complaint(proof)).toBeUndefined();
  },
);

/** What selects a case on every operation. */
function onAll(id: string): string {
  return id.replace(/@.*/, "@*");
}

function operationsIn(seen: Proof["seen"]): Set<unknown> {
  return new Set(seen.map(({ id, rule }) => partsOf(id.slice(rule.length + 1)).operation));
}

describe("a fault on one operation leaves the others alone", () => {
  const onOne = DRAWN.filter(operationOf);
  const onAllBesideOthers = pooled(onOne, onAll);

  test.concurrent.for(onOne.map((fault) => [fault.name, fault] as const))(
    "%s",
    async ([name, fault]) => {
      const only = new Set([operationOf(fault)]);
      const beside = await onAllBesideOthers(fault);
      // What stayed open may be blamed on another fault.
      if (beside.open.length === 0 && isDeepStrictEqual(operationsIn(beside.seen), only)) return;
      const first = firstCaseOf(fault);
      const patterns = [...(first === undefined ? [] : [onAll(first)]), fault.rule];
      const { seen } = await proveCaught({ kind: "fault", name }, ...patterns);
      expect(operationsIn(seen)).toEqual(only);
    },
  );
});
