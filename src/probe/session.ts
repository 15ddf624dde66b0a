import type { ReceiverCheck } from "../contract/checks.ts";
import { ruleOfCase } from "../contract/ids.ts";
import {
  type Operation,
  OPERATION_IDS,
  OPERATIONS,
  type OperationId,
} from "../contract/operations.ts";
import type { HttpClient } from "../http/client.ts";
import type { Reply } from "../http/exchange.ts";
import type { Listener } from "../http/listener.ts";
import { isSafe } from "../http/persistence/retry.ts";
import type { Target } from "../profile/target.ts";
import { createAnswerStatistics, type AnswerStatistics } from "./answer-statistics.ts";
import { isContractRoute } from "./contract-route.ts";
import type { Control } from "./controls/control.ts";
import { createMoments, type Moments } from "./controls/moments.ts";
import { type ErrorAnswer, judgeErrorBody, owesErrorBody } from "./errors/error-record.ts";
import { createDocumentLog, type DocumentLog } from "./openapi/document-log.ts";
import type { OutgoingRequest } from "./outgoing-request.ts";
import type { PublishedKeys } from "./published-keys.ts";
import { reception } from "./reception.ts";
import { createAges } from "./token-ages.ts";
import { mintedTokens, type TokenSource } from "./token-source.ts";
import { type UniqueValue, uniqueValueOf } from "./unique-value.ts";
import { mustBeRejected, type WritePurpose } from "./write/budget.ts";
import { createEtagSender } from "./write/etag-placeholder.ts";
import { createSettling, type Settling } from "./write/settling.ts";
import { createUnknownPath } from "./write/unknown-path.ts";
import { createWriteLimit, type WriteLimit } from "./write/writes.ts";

/** The value of a fixture, and the controls that it rests on. */
export interface Found {
  readonly value: Promise<unknown>;
  readonly used: ReadonlySet<Control>;
}

/** What the cases of a run share: the connection, the clock, and what the run has seen. */
export interface Session {
  readonly target: Target;
  /** The source of good tokens. */
  readonly tokens: TokenSource;
  readonly seed: number;
  /**
   * Seconds that the deployment's `Date` header is ahead of this machine's clock; `undefined` without
   * the header.
   */
  readonly clockOffsetSeconds: number | undefined;
  /**
   * Every 4xx and 5xx answer to an ordinary request that requires an Error body, sorted by exchange. Answers of a moment in which good
   * requests were refused in the same way are left out.
   */
  readonly errors: readonly ErrorAnswer[];
  /** The moments in which good requests were refused. */
  readonly moments: Moments;
  /** Whether a request of an operation with this mutation was answered 2xx so far. */
  wasAccepted(operation: OperationId, mutation: string): boolean;
  readonly uniqueValues: readonly UniqueValue[];
  /** How the answers to ordinary requests compare with the deployment's document. */
  readonly documentLog: Omit<DocumentLog, "note">;
  /** Statistics on what the contract leaves open. */
  readonly statistics: Pick<AnswerStatistics, "list">;
  /** Accepted writes of an operation so far. */
  readonly acceptedWrites: WriteLimit["accepted"];
  /** See `WriteLimit.reached`. */
  readonly writeLimitReached: WriteLimit["reached"];
  /** See `WriteLimit.beginStage`. */
  readonly beginWritingStage: WriteLimit["beginStage"];
  /** The longest time for an accepted write to become visible, in milliseconds. */
  readonly patienceMs: number;
  /** See `Settling.leftMs`. */
  readonly settlesInMs: Settling["leftMs"];
  readonly publishedKeys: PublishedKeys | undefined;
  /** The operations of which the run has cases, so that it sends their good requests anyway. */
  readonly planned: ReadonlySet<OperationId>;
  /**
   * Waits for time to pass, until something expires or becomes visible.
   * @throws Interrupted
   */
  wait(ms: number): Promise<void>;
  /** Opens a callback for the deployment; see `Listener.open`. */
  readonly openCallback: Listener["open"];
  /**
   * The seconds by which a token must be older than a control's, so that no two tokens of the same
   * second are equal byte for byte. A deployment that remembers tokens would confuse them. `iat` may
   * differ freely.
   */
  newAge(): number;
  /** Reserves an exchange id `<label>~<n>`; see `HttpClient.nextId`. */
  readonly nextId: HttpClient["nextId"];
  /** How often each status answered a request that failed a receiver check, by check. */
  readonly rejections: ReadonlyMap<ReceiverCheck, ReadonlyMap<number, number>>;
  noteRejection(check: ReceiverCheck, status: number): void;
  /** The fixtures that were set up, by scope and name; see `Probe.use`. */
  readonly found: Map<string, Found>;
  /** Sets how an organization is viewed, for writes that need its ETag; see `createEtagSender`. */
  viewBy(view: (organization: string | undefined) => Promise<Reply | undefined>): void;
  /**
   * Sends a request and records the answer.
   * @returns `undefined`, without sending, when the run may not write, or not any more
   * @throws Interrupted
   */
  send(sending: OutgoingRequest): Promise<Reply | undefined>;
}

/** Options of a session. */
export interface SessionOptions {
  /** Default: 5000. */
  readonly patienceMs?: number | undefined;
  /** The test issuer's keys, where the run publishes them. */
  readonly publishedKeys?: PublishedKeys | undefined;
  /** See `Session.planned`. Default: none. */
  readonly planned?: readonly OperationId[] | undefined;
  /** Default: tokens signed with the test issuer's key. */
  readonly tokens?: TokenSource | undefined;
}

/**
 * Opens a session on a target. `clockOffsetSeconds` is `undefined` where the deployment sends no
 * `Date` header.
 */
export function createSession(
  target: Target,
  http: HttpClient,
  seed: number,
  clockOffsetSeconds: number | undefined,
  listener: Pick<Listener, "open">,
  { patienceMs = 5000, tokens = mintedTokens(target), publishedKeys, planned }: SessionOptions = {},
): Session {
  const limit = createWriteLimit(
    !OPERATION_IDS.some((id) => !OPERATIONS[id].writes && target.operations[id]),
  );
  const unknownPath = createUnknownPath(target, http, seed);
  const settling = createSettling(patienceMs);
  const moments = createMoments();
  const errors: ErrorAnswer[] = [];
  let sorted: readonly ErrorAnswer[] = [];
  /** The names of mutations, with the operation. */
  const acceptedMutations = new Set<string>();
  const uniqueValues: UniqueValue[] = [];
  const rejections = new Map<ReceiverCheck, Map<number, number>>();
  const statistics = createAnswerStatistics();
  const documentLog = createDocumentLog(target.document);
  let view: Parameters<Session["viewBy"]>[0] | undefined;
  const withEtag = createEtagSender(async (organization) => view?.(organization));

  /** The function that transmits a request, each time with an exchange of its own. */
  function transmitter(
    sending: OutgoingRequest,
    governing: Operation,
    { isRoute, judged }: { readonly isRoute: boolean; readonly judged: boolean },
  ): (as?: WritePurpose) => Promise<Reply | undefined> {
    const { spec, level = "MUST", urgent, sideBySide } = sending;
    // Accepted writes count against a rule. A request that is not a route of the contract may well be
    // accepted, so it counts only against its own case.
    const behalf = judged ? ruleOfCase(sending.caseId) : sending.caseId;
    const contextOf = sendingsOf(sending, http);
    return (purpose = sending.purpose ?? "unwanted") =>
      limit.run(governing, { purpose, rule: behalf, level, ...(!isRoute && { unknownPath }) }, () =>
        withEtag(spec, sending.organization, async (filled) => {
          const sentMs = performance.now();
          const answer = await http.send(filled, {
            ...contextOf(),
            ...(judged && { judgedAs: governing.id }),
            repeatable: mustBeRejected(purpose),
            urgent,
            sideBySide,
          });
          settling.note(filled.method, answer, sentMs);
          return answer;
        }),
      );
  }

  async function send(sending: OutgoingRequest): Promise<Reply | undefined> {
    const { operation, spec } = sending;
    if (!target.writes && !isSafe(spec.method)) return undefined;
    // What is no route of the contract is governed by the operation that needs nothing but a token.
    const governing = OPERATIONS[operation ?? "listOrganizations"];
    const isRoute = isContractRoute(target, governing, spec);
    // A rule that changes a standing header, such as `Accept`, judges the answer itself.
    const judged = isRoute && operation !== undefined && spec.standing === undefined;
    const transmit = transmitter(sending, governing, { isRoute, judged });
    const reply = await transmit();
    if (!reply) return undefined;
    moments.note(reply);
    if (sending.purpose === "control" && reception(reply) === "accepted") moments.accepted(reply);
    statistics.note(reply, sending);
    const unique = uniqueValueOf(reply, sending, target);
    if (unique) uniqueValues.push(unique);
    if (judged) documentLog.note(operation, reply, sending, transmit);
    const mutation = sending.tokenNote?.mutation;
    if (judged && reception(reply) === "accepted")
      acceptedMutations.add(`${operation} ${mutation}`);
    if (judged && owesErrorBody(reply.status)) {
      errors.push({
        ...judgeErrorBody(reply),
        operation,
        exchange: reply.exchange.id,
        arrived: errors.length,
        mutation,
        // What was refused is hardly accepted now, so this may be one of the last writes.
        again: () => transmit(mustBeRejected(sending.purpose ?? "unwanted") ? "late" : undefined),
      });
    }
    return reply;
  }

  return {
    target,
    tokens,
    seed,
    clockOffsetSeconds,
    get errors() {
      // Sorted, because the order of arrival is random and must not affect a report.
      if (sorted.length < errors.length) {
        sorted = errors.toSorted((a, b) => (a.exchange < b.exchange ? -1 : 1));
      }
      return outsideMoments(sorted, moments);
    },
    moments,
    wasAccepted: (operation, mutation) => acceptedMutations.has(`${operation} ${mutation}`),
    uniqueValues,
    documentLog,
    statistics,
    rejections,
    noteRejection(check, status) {
      const counts = rejections.get(check) ?? new Map<number, number>();
      rejections.set(check, counts.set(status, (counts.get(status) ?? 0) + 1));
    },
    found: new Map(),
    acceptedWrites: (id) => limit.accepted(id),
    writeLimitReached: (id) => limit.reached(id),
    beginWritingStage: (id, level) => limit.beginStage(id, level),
    patienceMs,
    settlesInMs: (exchanges) => settling.leftMs(exchanges),
    publishedKeys,
    planned: new Set(planned),
    wait: (ms) => http.wait(ms),
    openCallback: () => listener.open(),
    newAge: createAges(),
    nextId: (label) => http.nextId(label),
    viewBy(how) {
      view = how;
    },
    send,
  };
}

/**
 * The errors without those of moments in which good requests were refused, and without those that are wrong in the same way: the same
 * firewall may have sent them when no good request was under way.
 */
function outsideMoments(errors: readonly ErrorAnswer[], moments: Moments): readonly ErrorAnswer[] {
  const inside = errors.filter(({ exchange }) => moments.cover(exchange));
  if (inside.length === 0) return errors;
  const wrong = new Set(inside.filter(({ problems }) => problems.length > 0).map(gistOfError));
  const left = new Set(inside);
  return errors.filter((one) => !left.has(one) && !wrong.has(gistOfError(one)));
}

function gistOfError({ status, problems }: ErrorAnswer): string {
  return [status, ...problems].join("\n");
}

/** The same session without any answers. It sends nothing more. */
export function silenced(session: Session): Session {
  return {
    ...session,
    errors: [],
    documentLog: createDocumentLog(session.target.document),
    found: new Map(),
    patienceMs: 0,
    viewBy() {},
    send: () => Promise.resolve(undefined),
  };
}

/** The context of each sending. Every exchange has its own id. */
function sendingsOf(
  sending: OutgoingRequest,
  http: Pick<HttpClient, "nextId">,
): () => OutgoingRequest {
  const { id } = sending;
  let sent = false;
  return () => {
    const repeated = sent;
    sent = true;
    if (!repeated || id === undefined) return sending;
    return { ...sending, id: http.nextId(id.slice(0, id.lastIndexOf("~"))) };
  };
}
