import { isDeepStrictEqual } from "node:util";

import { controlledOperation } from "../contract/ids.ts";
import { type Operation, type OperationId, OPERATIONS } from "../contract/operations.ts";
import type { Exchange } from "../http/exchange.ts";
import { CONFLICTS } from "../http/persistence/retry.ts";
import { isUnclearStatus } from "../http/statuses.ts";
import { groupBy } from "../lib/group-by.ts";
import { type Mutation, type MutationContext } from "../mutations/mutation.ts";
import type { Control } from "../probe/controls/control.ts";
import { distinct, submittedChangeIds } from "../probe/read/change-ids.ts";
import { reception, wasLetIn } from "../probe/reception.ts";
import { buildRequest, type PathParams, pathTemplate, uniqueIn } from "../probe/request.ts";
import type { UniqueValue } from "../probe/unique-value.ts";
import type { Facts } from "../profile/facts.ts";
import { formOf } from "./good-form.ts";
import { NotRecorded, onlyRecorded } from "./missing.ts";
import { recordedReply } from "./recorded-reply.ts";
import { isSameText } from "./verification.ts";

/** Stands for the token in a path, where the record has `[redacted token]`. */
const TOKEN = "token.of.request";

/** Exchanges that wait to be asked for, in the order in which they were sent. */
export type Pool = Exchange[];

/** The exchanges of each sender, in the order in which they were sent. */
export function bySender(exchanges: Iterable<Exchange>): ReadonlyMap<string, Pool> {
  const senders = groupBy(exchanges, ({ caseId }) => caseId);
  for (const [name, pool] of senders) {
    // The number of a control is one among those for the same purpose.
    if (controlledOperation(name) === undefined) pool.sort((a, b) => numberOf(a) - numberOf(b));
    else pool.sort((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt));
  }
  return senders;
}

/** The number of an exchange among those with the same beginning of their ids. */
export function numberOf({ id }: Pick<Exchange, "id">): number {
  return Number(id.slice(id.lastIndexOf("~") + 1));
}

/** Whether an exchange has no answer, or one after which a request may be sent again. */
export function isUnclear({ response, fault }: Exchange): boolean {
  const status = response?.status ?? 0;
  return fault !== undefined || isUnclearStatus(status) || CONFLICTS.has(status);
}

/** The exchanges of a sender without those after which the same request was sent again, because their answers said nothing of it. */
export function withoutRepeated(sent: readonly Exchange[]): Pool {
  return sent.filter((one, at) => {
    const next = sent[at + 1];
    return !(next && isUnclear(one) && isDeepStrictEqual(next.request, one.request));
  });
}

/**
 * Takes the next exchange of a pool that shows the request of a control with one mutation, if possible one without differences,
 * and with what the mutation makes.
 * @param differencesOf what else in the request is otherwise than the mutation makes it, as phrases
 * @param isMade whether the token has what the mutation makes, as far as that is known
 * @throws NotRecorded when there is none
 */
export function takeFrom(
  pool: Pool,
  { name, request }: Mutation,
  context: MutationContext,
  place: PathParams,
  differencesOf: (exchange: Exchange) => readonly string[],
  isMade: (exchange: Exchange) => boolean,
): { readonly exchange: Exchange; readonly differences: readonly string[] } {
  const { target, operation } = context;
  const { spec } = buildRequest(target, operation, place);
  const path = pathOf(() => request?.(spec, context, TOKEN).path) ?? spec.path;
  const fitting = pool.filter(
    (one) =>
      (one.request.token?.mutation ?? "good") === name &&
      (one.operation === undefined || one.operation === operation.id) &&
      isSameText(one.request.url, target.origin + path),
  );
  let found: { exchange: Exchange; differences: readonly string[]; rank: number } | undefined;
  for (const exchange of fitting) {
    const differences = differencesOf(exchange);
    const rank = differences.length > 0 ? 2 : isMade(exchange) ? 0 : 1;
    if (!found || rank < found.rank) found = { exchange, differences, rank };
    if (rank === 0) break;
  }
  if (!found) throw new NotRecorded("request");
  pool.splice(pool.indexOf(found.exchange), 1);
  return found;
}

/** A path that a mutation makes; `undefined` where it needs a secret for that. */
function pathOf(make: () => string | undefined): string | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

/** Whether the recorded status says that the request was accepted; see `wasLetIn`. */
export function isLetIn(exchange: Exchange): boolean {
  return wasLetIn({ status: exchange.response?.status ?? 0, exchange });
}

/**
 * The first accepted control of an operation among exchanges.
 * @param bound requires a bound or an unbound token; default: whichever
 */
export function controlAmong(
  exchanges: Iterable<Exchange>,
  operation: OperationId,
  facts: Facts,
  bound?: boolean,
): Control | undefined {
  for (const exchange of exchanges) {
    if (controlledOperation(exchange.caseId) !== operation) continue;
    if (!isLetIn(exchange)) continue;
    const form = formOf(exchange, facts);
    if (bound !== undefined && form.bound !== bound) continue;
    const place = placeIn(exchange, OPERATIONS[operation], facts);
    if (place === undefined) continue;
    return onlyRecorded<Control>({
      operation: OPERATIONS[operation],
      form,
      place,
      exchange: exchange.id,
      reply: recordedReply(exchange),
    });
  }
  return undefined;
}

/** The parameters in the path of a good request; `undefined` where it has another path. */
function placeIn(
  { request: { url } }: Exchange,
  operation: Operation,
  facts: Facts,
): PathParams | undefined {
  const wanted = (facts.origin + pathTemplate(facts, operation)).split("/");
  const segments = url.split("/");
  if (segments.length !== wanted.length) return undefined;
  const at = (parameter: string): string | undefined => {
    const segment = segments[wanted.indexOf(parameter)];
    return segment === undefined ? undefined : decodeURIComponent(segment);
  };
  try {
    const [organization, changeId] = [at("{orgId}"), at("{changeId}")];
    return {
      ...(organization !== undefined && { organization }),
      ...(changeId !== undefined && { changeId }),
    };
  } catch {
    return undefined;
  }
}

/** What a recorded write wrote; `undefined` where nothing in it is unique. */
export function writtenBy(exchange: Exchange, facts: Facts): UniqueValue | undefined {
  const { operation, request, response, caseId, id } = exchange;
  const value = uniqueIn(request.body ?? "");
  if (value === undefined || operation === undefined) return undefined;
  const organization = placeIn(exchange, OPERATIONS[operation], facts)?.organization;
  const received = reception({ status: response?.status ?? 0, exchange });
  return onlyRecorded<UniqueValue>({
    value,
    caseId,
    operation,
    organization,
    isInBody: true,
    status: response?.status ?? 0,
    received,
    exchange: id,
    get changeIds() {
      const reply = recordedReply(exchange);
      return operation === "submitChange" && received === "accepted"
        ? distinct(submittedChangeIds(reply, facts.operations[operation], organization))
        : [];
    },
  });
}
