import { OPERATIONS, type OperationId } from "../contract/operations.ts";
import type { Reply } from "../http/exchange.ts";
import type { DeploymentDocument } from "../profile/document.ts";
import { compareWithDocument, type DocumentedAnswer } from "./documented-answer.ts";
import { invalidBody } from "./invalid-body.ts";
import { reception } from "./reception.ts";
import type { Sending } from "./session.ts";

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
  /** One of the exchanges that agree. */
  readonly example: string | undefined;
  /** The most frequent first. */
  readonly disagreements: readonly Disagreement[];
}

/** Compares the answers of a run with the deployment's document as they come. */
export interface DocumentLog {
  /** @param sending an ordinary request of an operation */
  note(reply: Reply, sending: Sending, again: Disagreement["again"]): void;
  seen(operation: OperationId, part: Part): Comparison;
  /**
   * True once the deployment has accepted a body that is declared invalid: what it shows from then
   * on may have it in it, which is another rule's to say.
   */
  readonly spoiled: boolean;
}

interface Noted extends Pick<DocumentedAnswer, "problem" | "unusable"> {
  readonly exchange: string;
  readonly again: Disagreement["again"];
}

/** A log for a run; without a document it stays empty. */
export function createDocumentLog(document: DeploymentDocument | undefined): DocumentLog {
  const noted = new Map<string, Noted[]>();
  let spoiled = false;
  return {
    note(reply, sending, again) {
      const { operation = "listOrganizations" } = sending;
      const accepted = reception(reply) === "accepted";
      const invalid = sending.tokenNote?.change === invalidBody.name;
      if (invalid && accepted) spoiled = true;
      // That they are accepted, or how they are refused, is for other rules to say.
      if (invalid && operation === "submitChange") return;
      if (accepted && OPERATIONS[operation].writes && !isWanted(sending)) return;
      const documented = document?.operations[operation];
      const answer = documented && compareWithDocument(documented, reply);
      if (!answer) return;
      const key = `${operation} ${answer.part}`;
      const known = noted.get(key) ?? [];
      known.push({ ...answer, exchange: reply.exchange.id, again });
      noted.set(key, known);
    },
    seen(operation, part) {
      // Which answer came first is chance, and no report should depend on it.
      const all = (noted.get(`${operation} ${part}`) ?? []).toSorted((a, b) =>
        a.exchange < b.exchange ? -1 : 1,
      );
      return {
        answers: all.length,
        unusable: all.find(({ unusable }) => unusable !== undefined)?.unusable,
        example: all.find(({ problem }) => problem === undefined)?.exchange,
        disagreements: disagreements(all),
      };
    },
    get spoiled() {
      return spoiled;
    },
  };
}

function isWanted({ purpose }: Sending): boolean {
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
