import { readFileSync } from "node:fs";

import { OPERATIONS, type OperationId } from "../contract/operations.ts";
import { fixturePath } from "../lib/package-root.ts";
import { withoutClient } from "./conclusion/signatures.ts";
import type { Plan, PlannedCase } from "./plan.ts";

/** Where a request goes: to an operation, to another route of the receiver, or to the authorization server. */
export type Destination = OperationId | "other" | "server";

/** How many requests go where, by method and destination: `{ "GET viewOrganization": 3 }`. */
export type Sent = Readonly<Record<string, number>>;

/** Requests that several cases share, such as controls and pages. */
export interface SharedRequests {
  readonly sent: Sent;
  /** The rules whose cases rest on them, with how many such cases there were. */
  readonly rules: readonly string[];
  readonly cases: number;
  /** The operation of these cases, where all have the same. */
  readonly operation?: OperationId;
}

/** `fixtures/requests.json`: what a run against the conforming reference receiver sends. `npm run proof` writes it. */
export interface RequestsRecord {
  /** By case without its client: what it sends, where that is not one request of its operation. */
  readonly cases: Readonly<Record<string, Sent>>;
  readonly shared: readonly SharedRequests[];
}

/** A number of requests of one method to one destination. */
export interface Estimated {
  readonly method: string;
  readonly destination: Destination;
  readonly count: number;
}

/** Reads `fixtures/requests.json`. */
export function readRequests(): RequestsRecord {
  return JSON.parse(readFileSync(fixturePath("requests.json"), "utf8")) as RequestsRecord;
}

/** What a case sends unless the record says otherwise: one request of its operation, with the method of this. */
export function usuallySent(operation: OperationId | undefined): Sent {
  return operation === undefined ? {} : { [keyOf(OPERATIONS[operation].method, operation)]: 1 };
}

/** The key of `Sent`. */
export function keyOf(method: string, destination: Destination): string {
  return `${method} ${destination}`;
}

/**
 * Estimates the requests of a plan from those that a run against the conforming reference receiver sent. Of requests that
 * cases share, it counts the part that the planned ones of these cases are of all, and at least one of each kind.
 */
export function estimateRequests(plan: Plan, record: RequestsRecord): Estimated[] {
  const totals = new Map<string, number>();
  const add = (sent: Sent, part = 1): void => {
    for (const [key, count] of Object.entries(sent)) {
      totals.set(key, (totals.get(key) ?? 0) + (part < 1 ? Math.max(1, count * part) : count));
    }
  };
  const sending = plan.cases.filter(({ settled }) => !settled);
  for (const one of sending) add(sentBy(one, record));
  for (const { sent, rules, cases, operation } of record.shared) {
    const resting = sending.filter(
      ({ rule, testCase }) =>
        rules.includes(rule.id) && (operation === undefined || testCase.operation === operation),
    );
    if (resting.length > 0) add(sent, resting.length / cases);
  }
  return [...totals].map(([key, count]) => {
    const [method = "", destination = ""] = key.split(" ");
    return { method, destination: destination as Destination, count: Math.round(count) };
  });
}

function sentBy({ caseId, testCase }: PlannedCase, { cases }: RequestsRecord): Sent {
  return cases[withoutClient(caseId)] ?? usuallySent(testCase.operation);
}
