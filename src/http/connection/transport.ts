import type { IncomingHttpHeaders } from "node:http";

import type { Dispatcher } from "undici";

import type { Fault, HttpRequest, IncompleteBody } from "../exchange.ts";
import type { Origin } from "../origin.ts";
import { type Body, collect, decoded } from "./body.ts";
import { createConnections } from "./connections.ts";
import { transportFault } from "./faults.ts";
import { needsRawSocket } from "./raw.ts";
import { type BodyWatch, createStalls } from "./stalls.ts";

/** A response as it came, up to the size limit. */
export interface Received extends Body {
  readonly status: number;
  /** Names in lower case; repeated fields joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Why there is no response, with the code of the error; see `Reply.faultCode`. */
export interface Failed {
  readonly fault: Fault;
  readonly code?: string;
}

const NO_BODY: Body = { body: Buffer.alloc(0), cut: false };
/** What is received where there is no response. */
export const NO_RESPONSE: Received = { status: 0, headers: {}, ...NO_BODY };

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
  const connections = createConnections(target, concurrency);
  const watchBody = createStalls();
  const underWay = new Set<(why: Error) => void>();
  const interruptAll = (): void => {
    for (const end of underWay) end(INTERRUPTED);
  };
  interrupt?.addEventListener("abort", interruptAll);

  return {
    async transmit(spec, keeps) {
      if (interrupt?.aborted) return { fault: CANCELLED };
      let endedBy: Error | undefined;
      let begun: { status: number; headers: Received["headers"]; watch: BodyWatch } | undefined;
      let pausedMs: number | undefined;
      let controller: Dispatcher.DispatchController | undefined;
      const collected = collect();
      const dispatcher = connections.dispatcherFor(spec, keeps);
      const end = (why: Error): void => {
        endedBy ??= why;
        controller?.abort(endedBy);
      };
      const onPause = (limitMs: number): void => {
        pausedMs = limitMs;
        end(TIMED_OUT);
      };
      const timer = setTimeout(end, timeoutMs, TIMED_OUT);
      underWay.add(end);
      try {
        // Without a stream of undici: making one takes as long as the request.
        const ended = new Promise<void>((resolve, reject) => {
          dispatcher.dispatch(optionsOf(target.origin, spec), {
            onRequestStart(its) {
              controller = its;
              if (endedBy) its.abort(endedBy);
            },
            onResponseStart(_its, status, headers) {
              connections.noteAnswer(dispatcher);
              begun = {
                status,
                headers: flatHeaders(headers),
                watch: watchBody(status, onPause),
              };
            },
            onResponseData(its, bytes) {
              begun?.watch.note(bytes.length);
              if (collected.add(bytes)) return;
              resolve();
              its.abort(ENOUGH);
            },
            onResponseEnd: () => resolve(),
            onResponseError: (_its, error) => reject(error),
          });
        });
        await ended.catch((error: unknown) => {
          // What follows a response without a body does not belong to it.
          if (!begun || hasBody(begun.status)) throw error;
        });
        const { status, headers, watch } = begun as NonNullable<typeof begun>;
        if (status < 100) {
          return { fault: { kind: "malformed", message: `the status is ${status}` } };
        }
        watch.complete();
        const body = hasBody(status)
          ? await decoded(collected.body(), headers["content-encoding"])
          : NO_BODY;
        return { status, headers, ...body };
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
      await connections.close();
    },
  };
}

const CANCELLED: Fault = { kind: "cancelled", message: "interrupted" };
const TIMED_OUT = new Error("the time limit");
const INTERRUPTED = new Error("the interrupt");
const ENOUGH = new Error("no more of the response is wanted");

function optionsOf(origin: string, spec: HttpRequest): Dispatcher.DispatchOptions {
  const limits = { headersTimeout: 0, bodyTimeout: 0 }; // The limit for the whole exchange is enough.
  // What is dispatched is not what is sent; see `sendingRaw`.
  if (needsRawSocket(spec.headers)) return { ...limits, origin, path: "/", method: spec.method };
  const { path, method, body, bodyEncoding } = spec;
  const bytes = body === undefined ? null : bodyEncoding ? Buffer.from(body, bodyEncoding) : body;
  return { ...limits, origin, path, method, headers: grouped(spec.headers), body: bytes };
}

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
