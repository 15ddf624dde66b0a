import type { Exchange, Fault, IncompleteBody } from "../../http/exchange.ts";
import { groupBy } from "../../lib/group-by.ts";
import { explainIncomplete } from "../../setup/reach.ts";
import type { SetupProblem } from "../events.ts";

/** Fewer incomplete answers may be an accident of the network. */
const MANY = 3;

/** A status for which the answers to some operations hardly ever end. */
interface Kind {
  readonly status: number;
  /** The answers with the status to these operations. */
  readonly answers: number;
  readonly incomplete: readonly IncompleteExchange[];
  /** The names of the operations, and the place of requests to none. */
  readonly places: readonly string[];
}

type IncompleteExchange = Exchange & { readonly fault: Fault & { readonly body: IncompleteBody } };

/**
 * The set-up problems where most answers of a kind are incomplete, RFC 9112 §8. No rule can judge such an answer: the
 * deployment had decided, but did not finish what it had to say.
 * @param exchanges of the whole run
 */
export function incompleteProblems(exchanges: readonly Exchange[]): SetupProblem[] {
  return kindsOf(exchanges).map(({ status, answers, incomplete, places }) => {
    const example = incomplete[0] as IncompleteExchange;
    const { missing, remedy } = explainIncomplete(example.fault.body);
    return {
      problem: `${incomplete.length} of ${answers} answers with ${status} were incomplete, to ${places.join(", ")}: ${missing}, for example to ${example.caseId}. Every client waits for the rest in vain.`,
      remedy,
    };
  });
}

function kindsOf(exchanges: readonly Exchange[]): Kind[] {
  return [...groupBy(exchanges, statusOf)].flatMap(([status, all]) => {
    const places = [...groupBy(all, placeOf)].flatMap(([place, answers]) => {
      const incomplete = answers.filter(isIncomplete);
      return incomplete.length * 2 > answers.length ? [{ place, answers, incomplete }] : [];
    });
    const incomplete = places.flatMap((one) => one.incomplete);
    if (incomplete.length < MANY) return [];
    return [
      {
        status,
        answers: places.reduce((sum, one) => sum + one.answers.length, 0),
        incomplete,
        places: places.map(({ place }) => place),
      },
    ];
  });
}

function statusOf({ response, fault }: Exchange): number | undefined {
  return response?.status ?? fault?.status;
}

function placeOf({ operation }: Exchange): string {
  return operation ?? "other requests";
}

function isIncomplete(exchange: Exchange): exchange is IncompleteExchange {
  return exchange.fault?.body !== undefined;
}
