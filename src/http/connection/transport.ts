import type { IncomingHttpHeaders } from "node:http";

import type { Fault, HttpRequest, IncompleteBody } from "../exchange.ts";
import type { Origin } from "../origin.ts";
import { type Body, collect, decoded } from "./body.ts";
import { createDispatchers } from "./connections.ts";
import { transportFault } from "./faults.ts";
import { needsRawSocket } from "./raw.ts";
import { dispatch, dispatchRaw, type Receiver, type UnderWay } from "./receive.ts";
import { type BodyWatch, createStalls } from "./stalls.ts";

/** A response as it came, up to the size limit. */
export interface Received {
  readonly status: number;
  /** Names in lower case; repeated fields joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded bytes. A text is in UTF-8. */
  readonly body: Buffer;
  /** True when the body was longer than the limit, and `body` is its beginning. */
  readonly cut: boolean;
  /** See `Reply.undecoded`. */
  readonly undecoded?: true;
}

/** Why there is no response, with the code of the error; see `Reply.faultCode`. */
export interface Failed {
  readonly fault: Fault;
  readonly code?: string;
}

/** What is received where there is no response. */
export const NO_RESPONSE: Received = { status: 0, headers: {}, body: Buffer.alloc(0), cut: false };

/** Sends single requests to one target. */
export interface Transport {
  /**
   * Sends a request once, within the target's time limit.
   * @param keeps whether to use a kept-alive connection, which the server may close at that moment
   * @throws errors that are not the target's fault
   */
  transmit(spec: HttpRequest, keeps: boolean): Promise<Received | Failed>;
  /** Cancels requests under way and closes every connection. */
  close(): Promise<void>;
}

/**
 * Creates a transport for one target.
 * @param concurrency the most requests at once
 * @param interrupt cancels requests under way
 * @throws SuiteError when the proxy variables of the environment are unusable
 */
export function createTransport(
  target: Origin,
  concurrency: number,
  interrupt?: AbortSignal,
): Transport {
  const { timeoutMs } = target.request;
  const dispatchers = createDispatchers(target, concurrency);
  const stalls = createStalls();
  const underWay = new Set<(why: Error) => void>();
  const interruptAll = (): void => {
    for (const end of underWay) end(INTERRUPTED);
  };
  interrupt?.addEventListener("abort", interruptAll);

  function begin(spec: HttpRequest, keeps: boolean, receiver: Receiver): UnderWay {
    if (needsRawSocket(spec.headers)) {
      return dispatchRaw(dispatchers.connect, target.origin, spec, receiver);
    }
    const shared = keeps ? dispatchers.kept : dispatchers.own;
    const dispatcher = spec.connection === undefined ? shared : dispatchers.named(spec.connection);
    const options = {
      origin: target.origin,
      path: spec.path,
      method: spec.method,
      headers: grouped(spec.headers),
      body: spec.body ?? null,
      // The limit for the whole exchange is enough.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    return dispatch(dispatcher, options, {
      ...receiver,
      head(status, headers) {
        if (dispatcher === dispatchers.kept) dispatchers.noteKeptAnswer();
        receiver.head(status, headers);
      },
    });
  }

  return {
    async transmit(spec, keeps) {
      if (interrupt?.aborted) return { fault: CANCELLED };
      let endedBy: Error | undefined;
      let begun: { status: number; headers: Received["headers"]; watch: BodyWatch } | undefined;
      let pausedMs: number | undefined;
      const collected = collect();
      const request = begin(spec, keeps, {
        head(status, headers) {
          const watch = stalls.watch(status, (limitMs) => {
            pausedMs = limitMs;
            end(TIMED_OUT);
          });
          begun = { status, headers: flatHeaders(headers), watch };
        },
        piece(bytes) {
          begun?.watch.note(bytes.length);
          return collected.add(bytes);
        },
      });
      const end = (why: Error): void => {
        endedBy ??= why;
        request.end(endedBy);
      };
      const timer = setTimeout(end, timeoutMs, TIMED_OUT);
      underWay.add(end);
      try {
        await request.ended.catch((error: unknown) => {
          // What follows a response without a body does not belong to it.
          if (!begun || hasBody(begun.status)) throw error;
        });
        const { status, headers, watch } = begun as NonNullable<typeof begun>;
        if (status < 100) {
          return { fault: { kind: "malformed", message: `the status is ${status}` } };
        }
        watch.complete();
        const { bytes, ...how } = hasBody(status)
          ? await decoded(collected.body(), headers["content-encoding"])
          : NO_BODY;
        return { status, headers, body: bytes, ...how };
      } catch (error) {
        if (endedBy === INTERRUPTED) return { fault: CANCELLED };
        const limit = pausedMs === undefined ? `${timeoutMs} ms` : `a pause of ${pausedMs} ms`;
        const failed: Failed =
          endedBy === TIMED_OUT
            ? { fault: { kind: "timeout", message: limit } }
            : transportFault(error, begun?.status);
        if (!begun) return failed;
        const { fault } = failed;
        const { status, headers, watch } = begun;
        if (endedBy === TIMED_OUT) watch.stalled();
        const body = incompleteBody(headers, watch.arrived);
        return { fault: { ...fault, message: `${fault.message}, ${shown(body)}`, status, body } };
      } finally {
        begun?.watch.end();
        clearTimeout(timer);
        underWay.delete(end);
      }
    },
    async close() {
      interrupt?.removeEventListener("abort", interruptAll);
      interruptAll();
      await dispatchers.close();
    },
  };
}

const CANCELLED: Fault = { kind: "cancelled", message: "interrupted" };
const NO_BODY: Body = { bytes: Buffer.alloc(0), cut: false };
const TIMED_OUT = new Error("the time limit");
const INTERRUPTED = new Error("the interrupt");

function incompleteBody(headers: Received["headers"], arrived: number): IncompleteBody {
  const length = headers["content-length"] ?? "";
  return { arrived, ...(/^\d+$/.test(length) && { announced: Number(length) }) };
}

function shown({ arrived, announced }: IncompleteBody): string {
  return `${arrived} ${announced === undefined ? "" : `of ${announced} `}bytes of the body came`;
}

/** A response with one of these statuses has no body, RFC 9112 §6.3, whatever length it announces. */
function hasBody(status: number): boolean {
  return status !== 204 && status !== 304;
}

/** Groups field lines by name: given a flat list, undici's proxy agent keeps only the last one. */
function grouped(headers: HttpRequest["headers"]): Record<string, string | string[]> {
  const byName = Object.create(null) as Record<string, string | string[]>;
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    const before = byName[key];
    byName[key] = before === undefined ? value : [before, value].flat();
  }
  return byName;
}

function flatHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? ""].flat().join(", ")]),
  );
}
