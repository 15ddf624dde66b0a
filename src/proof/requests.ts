import { isDeepStrictEqual } from "node:util";

import { RULES } from "../../suites/index.ts";
import { PACKS } from "../../suites/packs.ts";
import { authorizationServerSide } from "../authorization-server/index.ts";
import { OPERATIONS, type OperationId } from "../contract/operations.ts";
import { withoutClient } from "../engine/conclusion/signatures.ts";
import type { CaseResult } from "../engine/events.ts";
import {
  keyOf,
  type RequestsRecord,
  type Sent,
  type SharedRequests,
  usuallySent,
} from "../engine/requests.ts";
import { run } from "../engine/run.ts";
import type { Exchange } from "../http/exchange.ts";
import { countEach, groupBy } from "../lib/group-by.ts";
import { exchangesOf } from "../probe/finding.ts";
import { MOST_WRITES_OF_A_PACK } from "../probe/pack.ts";
import type { Rule } from "../probe/rule.ts";
import { startReference } from "../reference/index.ts";
import { JWKS, SEED } from "./seed.ts";
import { targetOf } from "./target.ts";

/** The content of `fixtures/requests.json`: what a run of the contract's rules sends to the conforming receiver, and one of each pack. */
export async function recordRequests(): Promise<RequestsRecord> {
  const runs = [await requestsOf(RULES)];
  for (const { rules } of PACKS) runs.push(await requestsOf(rules, MOST_WRITES_OF_A_PACK));
  return {
    cases: Object.assign({}, ...runs.map(({ cases }) => cases)) as RequestsRecord["cases"],
    shared: runs.flatMap(({ shared }) => shared),
  };
}

async function requestsOf(rules: readonly Rule[], mostWrites?: number): Promise<RequestsRecord> {
  const receiver = await startReference({ jwks: JWKS, authorizationServer: true });
  try {
    const target = targetOf(receiver.profile);
    const exchanges: Exchange[] = [];
    const results = new Map<string, CaseResult>();
    await run({
      target,
      rules,
      mostWrites,
      sides: [authorizationServerSide()],
      seed: SEED,
      emit(event) {
        if (event.type === "exchange") exchanges.push(event.exchange);
        if (event.type === "case-judged") results.set(event.result.id, event.result);
      },
    });
    return recordOf(exchanges, [...results.values()], target.origin);
  } finally {
    await receiver.close();
  }
}

function recordOf(
  exchanges: readonly Exchange[],
  results: readonly CaseResult[],
  origin: string,
): RequestsRecord {
  const sentBy = groupBy(exchanges, ({ caseId }) => caseId);
  const cases: Record<string, Sent> = {};
  const alike = groupBy(results, ({ id }) => withoutClient(id));
  for (const [id, ones] of alike) {
    const { operation } = ones[0];
    const own = ones.flatMap((one) => sentBy.get(one.id) ?? []);
    const sent = sentOf(own, origin, { operation, among: ones.length });
    if (!isDeepStrictEqual(sent, usuallySent(operation))) cases[id] = sent;
  }
  const known = new Set(results.map(({ id }) => id));
  const restingOn = restingCases(exchanges, results);
  const shared: SharedRequests[] = [];
  for (const [mark, ones] of sentBy) {
    if (known.has(mark)) continue;
    const resting =
      restingOn.get(mark) ?? results.filter(({ rule }) => mark.startsWith(`${rule}/`));
    shared.push(sharedBy(resting.length > 0 ? resting : results, sentOf(ones, origin)));
  }
  const byId = Object.entries(cases).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { cases: Object.fromEntries(byId), shared: merged(shared) };
}

/** By the name of shared requests: the cases whose evidence names one of them. */
function restingCases(
  exchanges: readonly Exchange[],
  results: readonly CaseResult[],
): Map<string, CaseResult[]> {
  const marks = new Map(exchanges.map(({ id, caseId }) => [id, caseId]));
  const resting = new Map<string, CaseResult[]>();
  for (const result of results) {
    for (const mark of new Set(exchangesOf(result.evidence).map((id) => marks.get(id)))) {
      if (mark !== undefined) resting.set(mark, [...(resting.get(mark) ?? []), result]);
    }
  }
  return resting;
}

function sharedBy(resting: readonly CaseResult[], sent: Sent): SharedRequests {
  const operations = new Set(resting.map(({ operation }) => operation));
  const [operation] = operations.size === 1 ? operations : [];
  const rules = [...new Set(resting.map(({ rule }) => rule))].toSorted();
  return { sent, rules, cases: resting.length, ...(operation !== undefined && { operation }) };
}

/** Those on which the same cases rest, as one. */
function merged(shared: readonly SharedRequests[]): SharedRequests[] {
  const alike = groupBy(shared, (one) => JSON.stringify({ ...one, sent: undefined }));
  const sorted = [...alike].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return sorted.map(([, ones]) => {
    const sent: Record<string, number> = {};
    for (const one of ones) {
      for (const [key, count] of Object.entries(one.sent)) sent[key] = (sent[key] ?? 0) + count;
    }
    return { ...ones[0], sent };
  });
}

/**
 * @param operation of the case that sends them: it counts where a request has its method and goes to no other operation
 * @param among the number of cases that sent them together. Default: 1
 */
function sentOf(
  exchanges: readonly Exchange[],
  origin: string,
  { operation, among = 1 }: { operation?: OperationId | undefined; among?: number } = {},
): Sent {
  const counts = countEach(
    exchanges.map(({ request: { method, url }, operation: reached }) => {
      const isUsual = operation !== undefined && OPERATIONS[operation].method === method;
      const destination = reached ?? (isUsual ? operation : "other");
      return keyOf(method, new URL(url).origin === origin ? destination : "server");
    }),
  );
  const sorted = [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([key, count]) => [key, count / among]));
}
