import type { Exchange } from "../http/exchange.ts";
import type { ErrorAnswer } from "../probe/errors/error-record.ts";
import { type RejectedLog, rejectedLog } from "../probe/errors/rejected-log.ts";
import type { OutgoingRequest } from "../probe/outgoing-request.ts";
import { receptionOf } from "../probe/reception.ts";
import type { Seen } from "../probe/seen.ts";
import type { Found } from "../probe/session.ts";
import type { UniqueValue } from "../probe/unique-value.ts";
import { errorIn, rejectionIn, wasRejected } from "./recorded-answers.ts";

/** What a record tells that has every exchange of the run, with the whole answer. */
export interface WholeRecord {
  /** What the run has seen. `rejected` is absent where it is not known what a rejected request had to fail. */
  readonly seen: Pick<Seen, "errors" | "wasAccepted" | "uniqueValues" | "rejections"> &
    Partial<Pick<Seen, "rejected">>;
  /** The requests as the rules make them, by the ids of their exchanges. Each case that is judged again adds its own. */
  readonly sendings: Map<string, OutgoingRequest>;
  /** What cases share, as one has set it up by requests that are all recorded. */
  readonly found: Map<string, Found>;
}

/**
 * @param written what the recorded writes wrote
 * @param sendings filled and read
 * @param before the exchanges of the run, where the answers to some are others. Default: they are the same
 */
export function wholeRecord(
  exchanges: ReadonlyMap<string, Exchange>,
  written: () => readonly UniqueValue[],
  sendings: WholeRecord["sendings"] = new Map(),
  before: ReadonlyMap<string, Exchange> = exchanges,
): WholeRecord {
  const all = [...exchanges.values()];
  const isUnknown = (one: Exchange): boolean =>
    wasRejected(one) && !sendings.has(one.id) && !isSameAnswer(one, before.get(one.id));
  let errors: readonly ErrorAnswer[] | undefined;
  let accepted: ReadonlySet<string> | undefined;
  let rejected: RejectedLog | undefined;
  return {
    sendings,
    found: new Map(),
    seen: {
      get errors() {
        return (errors ??= all
          .flatMap((exchange) => errorIn(exchange) ?? [])
          .toSorted((a, b) => (a.exchange < b.exchange ? -1 : 1)));
      },
      wasAccepted: (operation, mutation) =>
        (accepted ??= new Set(all.flatMap(acceptedMutation))).has(`${operation} ${mutation}`),
      get uniqueValues() {
        return written();
      },
      get rejections() {
        return [];
      },
      ...(!all.some(isUnknown) && {
        rejected: {
          count: (operation) => rejectedAnswers().count(operation),
          get answers() {
            return rejectedAnswers().answers;
          },
        },
      }),
    },
  };

  function rejectedAnswers(): RejectedLog {
    return (rejected ??= rejectedLog(
      all.flatMap((one) => rejectionIn(one, sendings.get(one.id)) ?? []),
    ));
  }
}

function isSameAnswer(one: Exchange, other: Exchange | undefined): boolean {
  const [mine, its] = [one.response, other?.response];
  return mine?.status === its?.status && mine?.body === its?.body;
}

function acceptedMutation(exchange: Exchange): string[] {
  const { operation, request } = exchange;
  if (operation === undefined || receptionOf(exchange) !== "accepted") return [];
  return [`${operation} ${request.token?.mutation}`];
}
