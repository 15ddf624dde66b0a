import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";

import { groupBy } from "../lib/group-by.ts";
import { type Body, readBody } from "./body.ts";
import { createDispatchers } from "./connections.ts";
import type { Fault, HttpRequest, IncompleteBody } from "./exchange.ts";
import { transportFault } from "./faults.ts";
import type { Origin } from "./origin.ts";
import { needsRawSocket, sendRaw } from "./raw.ts";
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

/** What is received where there is no response. */
export const NO_RESPONSE: Received = { status: 0, headers: {}, body: Buffer.alloc(0), cut: false };

/** Sends single requests to one target. */
export interface Transport {
  /**
   * Sends a request once, within the target's time limit.
   * @param keeps whether to use a kept-alive connection, which the server may close at that moment
   * @throws errors that are not the target's fault
   */
  transmit(spec: HttpRequest, keeps: boolean): Promise<Received | { readonly fault: Fault }>;
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
  const underWay = new Set<AbortController>();
  const interruptAll = (): void => {
    for (const one of underWay) one.abort(INTERRUPTED);
  };
  interrupt?.addEventListener("abort", interruptAll);

  async function dispatch(
    spec: HttpRequest,
    keeps: boolean,
    signal: AbortSignal,
  ): Promise<{ statusCode: number; headers: IncomingHttpHeaders; body: Readable }> {
    if (needsRawSocket(spec.headers)) return sendRaw(target, spec, signal);
    const shared = keeps ? dispatchers.kept : dispatchers.own;
    const dispatcher = spec.connection === undefined ? shared : dispatchers.named(spec.connection);
    const answer = await dispatcher.request({
      origin: target.origin,
      path: spec.path,
      method: spec.method,
      headers: grouped(spec.headers),
      body: spec.body ?? null,
      // The limit for the whole exchange is enough.
      headersTimeout: 0,
      bodyTimeout: 0,
      signal,
    });
    if (dispatcher === dispatchers.kept) dispatchers.noteKeptAnswer();
    return answer;
  }

  return {
    async transmit(spec, keeps) {
      const abort = new AbortController();
      const timer = setTimeout(() => abort.abort(TIMED_OUT), timeoutMs);
      underWay.add(abort);
      let begun: { status: number; headers: Received["headers"]; watch: BodyWatch } | undefined;
      let pausedMs: number | undefined;
      try {
        if (interrupt?.aborted) abort.abort(INTERRUPTED);
        const answer = await dispatch(spec, keeps, abort.signal);
        if (answer.statusCode < 100) {
          answer.body.destroy();
          return { fault: { kind: "malformed", message: `the status is ${answer.statusCode}` } };
        }
        const status = answer.statusCode;
        const headers = flatHeaders(answer.headers);
        const watch = stalls.watch(status, (limitMs) => {
          pausedMs = limitMs;
          abort.abort(TIMED_OUT);
        });
        begun = { status, headers, watch };
        const read = readBody(answer.body, headers["content-encoding"], (bytes) =>
          watch.note(bytes),
        );
        const { bytes, ...how } = await (hasBody(status) ? read : read.catch(() => NO_BODY));
        watch.complete();
        return { status, headers, body: bytes, ...how };
      } catch (error) {
        const { reason } = abort.signal as { reason: unknown };
        if (reason === INTERRUPTED) {
          return { fault: { kind: "cancelled", message: "interrupted" } };
        }
        const limit = pausedMs === undefined ? `${timeoutMs} ms` : `a pause of ${pausedMs} ms`;
        const fault: Fault =
          reason === TIMED_OUT
            ? { kind: "timeout", message: limit }
            : transportFault(error, begun?.status);
        if (!begun) return { fault };
        const { status, headers, watch } = begun;
        if (reason === TIMED_OUT) watch.stalled();
        const body = incompleteBody(headers, watch.arrived);
        return { fault: { ...fault, message: `${fault.message}, ${shown(body)}`, status, body } };
      } finally {
        begun?.watch.end();
        clearTimeout(timer);
        underWay.delete(abort);
      }
    },
    async close() {
      interrupt?.removeEventListener("abort", interruptAll);
      interruptAll();
      await dispatchers.close();
    },
  };
}

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
  const byName = groupBy(headers, ([name]) => name.toLowerCase());
  return Object.fromEntries(
    [...byName].map(([name, lines]) => [
      name,
      lines.length === 1 ? lines[0][1] : lines.map(([, value]) => value),
    ]),
  );
}

function flatHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? ""].flat().join(", ")]),
  );
}
