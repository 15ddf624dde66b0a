import { ruleOfCase } from "../contract/ids.ts";
import {
  type Operation,
  OPERATION_IDS,
  type OperationId,
  OPERATIONS,
} from "../contract/operations.ts";
import type { HttpClient } from "../http/client.ts";
import type { Reply } from "../http/exchange.ts";
import type { Listener } from "../http/listener.ts";
import { isSafe } from "../http/persistence/retry.ts";
import { type How, SECOND_TRIES, type SecondTry } from "../http/second-tries.ts";
import type { IssuerKey, Target } from "../profile/target.ts";
import { isContractRoute } from "./contract-route.ts";
import type { Control } from "./controls/control.ts";
import { eventually } from "./eventually.ts";
import type { Answered, Observe, OutgoingRequest } from "./outgoing-request.ts";
import { uniqueIn } from "./request.ts";
import { createSeen, type Seen } from "./seen.ts";
import { createAges, mintedTokens, type TokenSource } from "./token-source.ts";
import { createEtagSender } from "./write/etag-placeholder.ts";
import { PURPOSES, type WritePurpose } from "./write/purposes.ts";
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
  readonly tokens: TokenSource;
  /** Values generated from it are the same in every run with that seed. */
  readonly seed: number;
  /** Seconds that `Date` is ahead of this machine's clock; `undefined` without the header. */
  readonly clockOffsetSeconds: number | undefined;
  readonly seen: Seen;
  /** The accepted writes of the run, and their limit. */
  readonly writes: Omit<WriteLimit, "run">;
  /** The milliseconds in which something is tried again: those of the run, or else those of the row. */
  readonly within: (row: SecondTry) => number;
  /** See `Settling.leftMs`. */
  readonly settlesInMs: Settling["leftMs"];
  /** Whether one of these requests may not show an accepted write yet. */
  mayMissWrites(exchanges: readonly string[]): boolean;
  /** Whether requests are sent that only tell more of a violation. A record does not have them all. */
  readonly tellsMore: boolean;
  /** Looks repeatedly; see `eventually`. `wait` waits on behalf of the case that looks. */
  eventually<T>(
    wait: (ms: number) => Promise<void>,
    look: () => Promise<T>,
    hoped: (seen: T) => boolean,
    times?: number,
  ): Promise<T>;
  /** The test issuer's keys, where the run publishes them. */
  readonly publishedKeys: PublishedKeys | undefined;
  /** Which requests took the deployment down so far, or others' connections with them. */
  readonly outages: HttpClient["outages"];
  /** The operations of which the run has cases, so that it sends their good requests anyway. */
  readonly planned: ReadonlySet<OperationId>;
  /** Waits until something expires or becomes visible, while other cases go on. Throws Interrupted. */
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
  /** The fixtures that were set up, by scope and name; see `Probe.use`. */
  readonly found: Map<string, Found>;
  /** Sets how an organization is viewed, for writes that need its ETag; see `createEtagSender`. */
  viewBy(view: (organization: string | undefined) => Promise<Reply | undefined>): void;
  /**
   * Sends a request, and tells the observers of the run of the answer.
   * @returns `undefined`, without sending, when the run may not write, or not any more
   * @throws Interrupted
   */
  send(sending: OutgoingRequest): Promise<Reply | undefined>;
}

/** Options of a session. */
export interface SessionOptions {
  /** The longest time for an accepted write to become visible, in milliseconds. Default: each row of `SECOND_TRIES` has its own. */
  readonly patienceMs?: number | undefined;
  /** Accepted writes of each operation. Default: see `Writing.most`. */
  readonly mostWrites?: number | undefined;
  readonly publishedKeys?: PublishedKeys | undefined;
  /** See `Session.planned`. Default: none. */
  readonly planned?: readonly OperationId[] | undefined;
  /** Whether answers are compared with the deployment's document as they arrive. Default: false. */
  readonly compares?: boolean | undefined;
  /** Default: tokens signed with the test issuer's key. */
  readonly tokens?: TokenSource | undefined;
}

/** Opens a session. `clockOffsetSeconds` is `undefined` where the deployment sends no `Date`. */
export function createSession(
  target: Target,
  http: HttpClient,
  seed: number,
  clockOffsetSeconds: number | undefined,
  listener: Pick<Listener, "open">,
  {
    patienceMs,
    mostWrites,
    tokens = mintedTokens(target),
    publishedKeys,
    planned,
    compares,
  }: SessionOptions = {},
): Session {
  const within = ({ withinMs = Number.POSITIVE_INFINITY }: SecondTry): number =>
    patienceMs ?? withinMs;
  const limit = createWriteLimit({
    isAlone: !OPERATION_IDS.some((id) => !OPERATIONS[id].writes && target.operations[id]),
    inOther: target.otherWrites,
    most: mostWrites,
    wait: (ms) => http.wait(ms),
  });
  const unknownPath = createUnknownPath(target, http, seed);
  const settling = createSettling(within(SECOND_TRIES.unsettled));
  const observers: Parameters<Observe>[0][] = [];
  const seen = createSeen(target, (observer) => void observers.push(observer), compares);
  let view: Parameters<Session["viewBy"]>[0] | undefined;
  const withEtag = createEtagSender(async (organization) => view?.(organization));

  /** The function that transmits a request, each time with an exchange of its own. */
  function transmitter(
    sending: OutgoingRequest,
    governing: Operation,
    { isRoute, judged }: { readonly isRoute: boolean; readonly judged: boolean },
  ): (as?: WritePurpose, how?: readonly How[]) => Promise<Reply | undefined> {
    const { spec, level = "MUST", grant } = sending;
    // Accepted writes count against a rule. A request that is not a route of the contract may well be
    // accepted, so it counts only against its own case.
    const behalf = judged ? ruleOfCase(sending.caseId) : sending.caseId;
    const { id } = sending;
    const unique = uniqueIn(spec.body ?? "");
    let times = 0;
    /** Every exchange has its own id. */
    const ownContext = (): OutgoingRequest =>
      times++ === 0 || id === undefined
        ? sending
        : { ...sending, id: http.nextId(id.slice(0, id.lastIndexOf("~"))) };
    return (purpose = sending.purpose ?? "unwanted", plainly = []) =>
      limit.run(
        governing,
        { purpose, rule: behalf, level, grant, unique, ...(!isRoute && { unknownPath }) },
        (how = plainly) =>
          withEtag(spec, sending.organization, async (filled) => {
            const sentMs = performance.now();
            const answer = await http.send(filled, {
              ...ownContext(),
              ...(how.includes("own connection") && { apart: true }),
              ...(judged && { judgedAs: governing.id }),
              repeatable: PURPOSES[purpose].mustBeRejected,
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
    const pauseMs = seen.pauses.leftMs(spec.path, seen.trouble.keptRefusals);
    if (pauseMs > 0) await http.wait(pauseMs);
    const transmit = transmitter(sending, governing, { isRoute, judged });
    const reply = await transmit();
    if (!reply) return undefined;
    const again: Answered["again"] = (as) => transmit(as, SECOND_TRIES.oneAnswer.how);
    const ordinary = judged ? operation : undefined;
    for (const observer of observers) observer({ reply, sending, ordinary, again });
    return reply;
  }

  return {
    target,
    tokens,
    seed,
    clockOffsetSeconds,
    seen,
    writes: limit,
    found: new Map(),
    within,
    settlesInMs: (exchanges) => settling.leftMs(exchanges),
    mayMissWrites: (exchanges) => settling.leftMs(exchanges) !== undefined,
    tellsMore: true,
    eventually: (wait, look, hoped, times) => eventually({ within, wait }, look, hoped, times),
    publishedKeys,
    outages: http.outages,
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

/** The session without any answers. It sends nothing more. */
export function silenced(session: Session): Session {
  return {
    ...session,
    seen: createSeen(session.target, () => undefined),
    found: new Map(),
    within: () => 0,
    eventually: (_wait, look) => look(),
    viewBy() {},
    send: () => Promise.resolve(undefined),
  };
}

/** The test issuer's JWK Set where the run publishes it: `testIssuer.serve`. */
export interface PublishedKeys {
  /** Makes a key for an algorithm and adds it to the published set. */
  add(alg: string): Promise<IssuerKey>;
  /** Removes a key from the published set. */
  withdraw(kid: string): void;
}
