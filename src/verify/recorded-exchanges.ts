import { controlledOperation } from "../contract/ids.ts";
import { type Operation, type OperationId, OPERATIONS } from "../contract/operations.ts";
import type { Exchange } from "../http/exchange.ts";
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
  const senders = new Map<string, Pool>();
  for (const one of exchanges) {
    const pool = senders.get(one.caseId);
    if (pool) pool.push(one);
    else senders.set(one.caseId, [one]);
  }
  for (const pool of senders.values()) pool.sort((a, b) => numberOf(a) - numberOf(b));
  return senders;
}

function numberOf({ id }: Exchange): number {
  return Number(id.slice(id.lastIndexOf("~") + 1));
}

/**
 * Takes the next exchange of a pool that shows the request of a control with one mutation, if possible one without differences.
 * @param differencesOf what else in the request is otherwise than the mutation makes it, as phrases
 * @throws NotRecorded when there is none
 */
export function takeFrom(
  pool: Pool,
  { name, request }: Mutation,
  context: MutationContext,
  place: PathParams,
  differencesOf: (exchange: Exchange) => readonly string[],
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
  let found: ReturnType<typeof takeFrom> | undefined;
  for (const exchange of fitting) {
    const differences = differencesOf(exchange);
    if (!found || differences.length === 0) found = { exchange, differences };
    if (differences.length === 0) break;
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
    if (!wasLetIn({ status: exchange.response?.status ?? 0, exchange })) continue;
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
