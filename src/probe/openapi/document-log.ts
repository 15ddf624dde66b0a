import { type OperationId, OPERATIONS } from "../../contract/operations.ts";
import type { Reply } from "../../http/exchange.ts";
import { groupBy } from "../../lib/group-by.ts";
import {
  type DeploymentDocument,
  type DocumentedAnswer,
  DocumentLimit,
} from "../../profile/document.ts";
import type { Observe } from "../outgoing-request.ts";
import { reception } from "../reception.ts";
import { type ToldExchange, toldOf } from "../told-exchange.ts";
import { invalidBody } from "./invalid-body.ts";

type Part = DocumentedAnswer["part"];

/** Answers that differ from the document in the same way. */
export interface Disagreement {
  readonly problem: string;
  /** Ids of the exchanges, sorted. */
  readonly exchanges: readonly string[];
  /** The first of these exchanges. */
  readonly example: ToldExchange;
  /** Sends one of the requests again; `undefined` when the run may not write any more. */
  readonly again: () => Promise<Reply | undefined>;
}

/** How one kind of answers of an operation compares with the document. */
export interface Comparison {
  readonly answers: number;
  /** Why the bodies of some answers could not be compared: a phrase for the first. */
  readonly unusable: string | undefined;
  /** Patterns of the document that the suite cannot apply. */
  readonly unjudged: readonly string[];
  /** Why some answers of the operation could not be compared at all: a phrase for the first. */
  readonly limit: string | undefined;
  /** An exchange that agrees. */
  readonly example: string | undefined;
  /** The most frequent first. */
  readonly disagreements: readonly Disagreement[];
}

/** Compares a run's answers with the deployment's document as they arrive. */
export interface DocumentLog {
  /** @throws Interrupted */
  seen(operation: OperationId, part: Part): Promise<Comparison>;
  /**
   * True once the deployment has accepted a body that the profile declares invalid. Later answers may
   * contain it, which another rule reports.
   */
  readonly spoiled: boolean;
}

interface Noted extends DocumentedAnswer {
  readonly exchange: string;
  readonly told: ToldExchange;
  readonly again: Disagreement["again"];
}

/** The result of one comparison: `undefined` where there was nothing to compare. */
type Compared = Noted | DocumentLimit | undefined;

/** The number of comparisons that are kept for reuse. */
const REMEMBERED = 200;

/** Creates the log of a run. Without a document it stays empty. */
export function createDocumentLog(
  document: DeploymentDocument | undefined,
  observe: Observe,
): DocumentLog {
  const noted = new Map<OperationId, Promise<Compared>[]>();
  const known = new Map<string, Promise<DocumentedAnswer | undefined>>();
  let spoiled = false;
  observe(({ reply, sending, ordinary: operation, again }) => {
    if (operation === undefined) return;
    const accepted = reception(reply) === "accepted";
    const invalid = sending.tokenNote?.mutation === invalidBody.name;
    if (invalid && accepted) spoiled = true;
    // Other rules judge whether such bodies are accepted, and how they are refused.
    if (invalid && operation === "submitChange") return;
    const isGood = sending.purpose === "control" || sending.purpose === "wanted";
    if (accepted && OPERATIONS[operation].writes && !isGood) return;
    if (!document?.operations[operation]) return;
    const compared = compare(document, known, operation, reply, again);
    // The caller of `seen` gets the error.
    compared.catch(() => undefined);
    const others = noted.get(operation);
    if (others) others.push(compared);
    else noted.set(operation, [compared]);
  });
  return {
    async seen(operation, part) {
      const compared = await Promise.all(noted.get(operation) ?? []);
      // Sorted, because the order of arrival is random and must not affect a report.
      const all = compared
        .filter((one) => one !== undefined && "part" in one)
        .filter((one) => one.part === part)
        .toSorted((a, b) => (a.exchange < b.exchange ? -1 : 1));
      return {
        answers: all.length,
        unusable: all.find(({ unusable }) => unusable !== undefined)?.unusable,
        unjudged: [...new Set(all.flatMap(({ unjudged = [] }) => unjudged))],
        limit: compared.find((one) => one instanceof DocumentLimit)?.message,
        example: all.find(({ problem }) => problem === undefined)?.exchange,
        disagreements: disagreements(all),
      };
    },
    get spoiled() {
      return spoiled;
    },
  };
}

/** @param known earlier comparisons by content, so that equal answers are compared once */
async function compare(
  document: DeploymentDocument,
  known: Map<string, Promise<DocumentedAnswer | undefined>>,
  operation: OperationId,
  reply: Reply,
  again: Disagreement["again"],
): Promise<Compared> {
  const name = nameOf(operation, reply);
  try {
    const comparing =
      (name === undefined ? undefined : known.get(name)) ?? document.compare(operation, reply);
    if (name !== undefined && known.size < REMEMBERED) known.set(name, comparing);
    const answer = await comparing;
    return (
      answer && { ...answer, exchange: reply.exchange.id, told: toldOf(reply.exchange), again }
    );
  } catch (error) {
    if (name !== undefined) known.delete(name);
    if (error instanceof DocumentLimit) return error;
    throw error;
  }
}

/** All that is compared of an answer, as a text; `undefined` where the record is not whole. */
function nameOf(operation: OperationId, { exchange, headers, hasBody }: Reply): string | undefined {
  const { response } = exchange;
  if (!response || response.truncated || response.body.includes("[redacted")) return undefined;
  return JSON.stringify([
    operation,
    response.status,
    headers["content-type"],
    hasBody,
    response.body,
  ]);
}

function disagreements(all: readonly Noted[]): Disagreement[] {
  const byProblem = groupBy(all, ({ problem }) => problem);
  return [...byProblem]
    .map(([problem, own]) => {
      const [{ told }] = own;
      const again = own.at(-1)?.again ?? (() => Promise.resolve(undefined));
      return { problem, exchanges: own.map(({ exchange }) => exchange), example: told, again };
    })
    .toSorted((a, b) => b.exchanges.length - a.exchanges.length);
}
