import { OPERATIONS, type OperationId } from "../../contract/operations.ts";
import type { Reply } from "../../http/exchange.ts";
import {
  type DeploymentDocument,
  type DocumentedAnswer,
  DocumentLimit,
} from "../../profile/document.ts";
import type { OutgoingRequest } from "../outgoing-request.ts";
import { reception } from "../reception.ts";
import { invalidBody } from "./invalid-body.ts";

type Part = DocumentedAnswer["part"];

/** Answers that differ from the document in the same way. */
export interface Disagreement {
  readonly problem: string;
  /** Ids of the exchanges, in their order. */
  readonly exchanges: readonly string[];
  /** Sends one of the requests again; `undefined` when the run has written as often as it may. */
  readonly again: () => Promise<Reply | undefined>;
}

/** What a run has seen of one kind of answers of an operation. */
export interface Comparison {
  readonly answers: number;
  /** Why the bodies of some could not be compared: a phrase for the first. */
  readonly unusable: string | undefined;
  /** Patterns of the document that the suite cannot judge by. */
  readonly unjudged: readonly string[];
  /** Why some answers of the operation could not be compared at all: a phrase for the first. */
  readonly limit: string | undefined;
  /** One of the exchanges that agree. */
  readonly example: string | undefined;
  /** The most frequent first. */
  readonly disagreements: readonly Disagreement[];
}

/** Compares the answers of a run with the deployment's document as they come. */
export interface DocumentLog {
  /** @param sending an ordinary request of an operation */
  note(reply: Reply, sending: OutgoingRequest, again: Disagreement["again"]): void;
  /** @throws Interrupted */
  seen(operation: OperationId, part: Part): Promise<Comparison>;
  /**
   * True once the deployment has accepted a body that is declared invalid: what it shows from then
   * on may have it in it, which is another rule's to say.
   */
  readonly spoiled: boolean;
}

interface Noted extends DocumentedAnswer {
  readonly exchange: string;
  readonly again: Disagreement["again"];
}

/** What becomes of a comparison: `undefined` where there was nothing to compare. */
type Compared = Noted | DocumentLimit | undefined;

/** Of answers that differ, so many are remembered. */
const REMEMBERED = 200;

/** A log for a run; without a document it stays empty. */
export function createDocumentLog(document: DeploymentDocument | undefined): DocumentLog {
  const noted = new Map<OperationId, Promise<Compared>[]>();
  const known = new Map<string, Promise<DocumentedAnswer | undefined>>();
  let spoiled = false;
  return {
    note(reply, sending, again) {
      const { operation = "listOrganizations" } = sending;
      const accepted = reception(reply) === "accepted";
      const invalid = sending.tokenNote?.mutation === invalidBody.name;
      if (invalid && accepted) spoiled = true;
      // That they are accepted, or how they are refused, is for other rules to say.
      if (invalid && operation === "submitChange") return;
      if (accepted && OPERATIONS[operation].writes && !isWanted(sending)) return;
      if (!document?.operations[operation]) return;
      const compared = compare(document, known, operation, reply, again);
      // Whoever asks what was seen learns of it.
      compared.catch(() => undefined);
      const others = noted.get(operation);
      if (others) others.push(compared);
      else noted.set(operation, [compared]);
    },
    async seen(operation, part) {
      const compared = await Promise.all(noted.get(operation) ?? []);
      // Which answer came first is chance, and no report should depend on it.
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

/** @param known what came of comparing other answers, by what they are: equal ones need not be compared twice */
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
    return answer && { ...answer, exchange: reply.exchange.id, again };
  } catch (error) {
    if (name !== undefined) known.delete(name);
    if (error instanceof DocumentLimit) return error;
    throw error;
  }
}

/** All that is compared of an answer, as a text; `undefined` where the record has not all of it. */
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

function isWanted({ purpose }: OutgoingRequest): boolean {
  return purpose === "control" || purpose === "wanted";
}

function disagreements(all: readonly Noted[]): Disagreement[] {
  const problems = new Set(all.flatMap(({ problem }) => problem ?? []));
  return [...problems]
    .map((problem) => {
      const own = all.filter((one) => one.problem === problem);
      const again = own.at(-1)?.again ?? (() => Promise.resolve(undefined));
      return { problem, exchanges: own.map(({ exchange }) => exchange), again };
    })
    .toSorted((a, b) => b.exchanges.length - a.exchanges.length);
}
