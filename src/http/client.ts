import { setTimeout as sleep } from "node:timers/promises";

import PQueue from "p-queue";

import type { Target } from "../profile/target.ts";
import { readBody } from "./body.ts";
import { createDispatchers } from "./dispatchers.ts";
import type { Exchange, Reply, RequestSpec, TokenNote, TransportFault } from "./exchange.ts";
import { transportFault } from "./faults.ts";
import { createRedactor } from "./redact.ts";

/** What is kept of a body in the record, in characters. */
const RECORDED_CHARACTERS = 4096;
const ATTEMPTS = 4;
const LONGEST_WAIT_MS = 60_000;
const FIRST_BACKOFF_MS = 500;

/** The run was interrupted before the request was sent. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
}

/** Who sends a request, and what the record may say of its token. */
export interface SendContext {
  readonly case: string;
  /** The access token, so that it can be kept out of the record. */
  readonly token?: string | undefined;
  readonly tokenNote?: TokenNote | undefined;
}

/** Sends requests to one target: paced, bounded, recorded. */
export interface HttpClient {
  /**
   * Resolves for whatever the target does; a transport fault is a reply with status 0.
   * @throws Interrupted when the signal was given before the request could be sent
   */
  send(spec: RequestSpec, context: SendContext): Promise<Reply>;
  /** Requests sent so far, repeats included. */
  readonly requests: number;
  close(): Promise<void>;
}

export interface HttpOptions {
  /** Requests in flight at once; default 8. */
  readonly concurrency?: number | undefined;
  /** Ends waiting and sending; what is under way resolves as cancelled. */
  readonly signal?: AbortSignal | undefined;
  readonly userAgent: string;
  readonly onExchange?: ((exchange: Exchange) => void) | undefined;
}

/**
 * A client for the target's origin. Redirects are never followed. 429 and 503 are waited out as
 * `Retry-After` says (at most a minute at a time), and while one request waits no other starts.
 * Reads are repeated after a reset or a time-out; a write only when it cannot have arrived.
 */
export function createHttpClient(target: Target, options: HttpOptions): HttpClient {
  const { timeoutMs, maxRequestsPerSecond } = target.request;
  const dispatchers = createDispatchers(target);
  const redact = createRedactor([...target.secrets, ...credentialHeaders(target)]);
  const queue = new PQueue({
    concurrency: options.concurrency ?? 8,
    ...(maxRequestsPerSecond !== undefined && {
      // Small slices keep the pace even; a gateway may count over less than a second.
      intervalCap: 1,
      interval: Math.ceil(1000 / maxRequestsPerSecond),
    }),
  });
  let requests = 0;
  let pausedUntil = 0;

  async function pause(waitMs: number): Promise<void> {
    pausedUntil = Math.max(pausedUntil, Date.now() + waitMs);
    queue.pause();
    await sleep(pausedUntil - Date.now(), undefined, { signal: options.signal }).catch(() => {});
    if (Date.now() >= pausedUntil) queue.start();
  }

  async function attempt(spec: RequestSpec, context: SendContext): Promise<Reply> {
    const secret = context.token === undefined ? [] : tokenSecrets(context.token);
    const clean = (text: string): string => redact(text, secret);
    const headers = withStandingHeaders(spec, context, target, options.userAgent);
    const id = `x${++requests}`;
    const startedAt = new Date();
    const began = performance.now();
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = options.signal ? AbortSignal.any([timeout, options.signal]) : timeout;
    let response: { status: number; headers: Record<string, string>; body: string; cut: boolean };
    let fault: { kind: TransportFault; message: string } | undefined;
    try {
      const dispatcher = isRead(spec) ? dispatchers.reads : dispatchers.writes;
      const answer = await dispatcher.request({
        origin: target.origin,
        path: spec.path,
        method: spec.method,
        headers: headers.flat(),
        body: spec.body ?? null,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
        signal,
      });
      const replyHeaders = flatHeaders(answer.headers, clean);
      const { text, cut } = await readBody(answer.body, replyHeaders["content-encoding"]);
      response = { status: answer.statusCode, headers: replyHeaders, body: clean(text), cut };
    } catch (error) {
      const found = transportFault(error);
      fault = { kind: found.kind, message: clean(found.message) };
      response = { status: 0, headers: {}, body: "", cut: false };
    }
    const exchange: Exchange = {
      id,
      case: context.case,
      request: {
        method: spec.method,
        url: clean(target.origin + spec.path),
        headers: headers.map(([name, value]) => [name, recordedValue(name, value, clean)] as const),
        ...(spec.body !== undefined && { body: clean(spec.body).slice(0, RECORDED_CHARACTERS) }),
        token: context.tokenNote,
      },
      ...(fault
        ? { fault }
        : {
            response: {
              status: response.status,
              headers: response.headers,
              body: response.body.slice(0, RECORDED_CHARACTERS),
              truncated: response.cut || response.body.length > RECORDED_CHARACTERS,
            },
          }),
      startedAt: startedAt.toISOString(),
      durationMs: Math.round(performance.now() - began),
    };
    options.onExchange?.(exchange);
    return { exchange, ...response, json: parseOnce(response.body) };
  }

  async function patiently(spec: RequestSpec, context: SendContext): Promise<Reply> {
    for (let tries = 1; ; tries++) {
      const reply = await attempt(spec, context);
      const waitMs = tries < ATTEMPTS ? repeatAfterMs(reply, spec, tries) : undefined;
      if (waitMs === undefined || options.signal?.aborted) return reply;
      await pause(waitMs);
    }
  }

  return {
    send: (spec, context) =>
      queue.add(() => {
        if (options.signal?.aborted) throw new Interrupted();
        return patiently(spec, context);
      }),
    get requests() {
      return requests;
    },
    async close() {
      queue.clear();
      await dispatchers.close();
    },
  };
}

function isRead(spec: RequestSpec): boolean {
  return spec.method !== "PATCH" && spec.method !== "POST" && spec.method !== "PUT";
}

/** How long to wait before the same request is sent again, or `undefined` when it is not. */
function repeatAfterMs(reply: Reply, spec: RequestSpec, tries: number): number | undefined {
  const backoffMs = FIRST_BACKOFF_MS * 2 ** (tries - 1);
  if (reply.status === 429 || (reply.status === 503 && reply.headers["retry-after"])) {
    return Math.min(retryAfterMs(reply.headers["retry-after"]) ?? backoffMs, LONGEST_WAIT_MS);
  }
  switch (reply.exchange.fault?.kind) {
    case "reset":
      return isRead(spec) ? 50 * tries : undefined;
    case "timeout":
      return isRead(spec) && tries === 1 ? 0 : undefined;
    default:
      return undefined;
  }
}

/** `Retry-After`, RFC 9110 §10.2.3: seconds or a date. */
function retryAfterMs(value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const seconds = /^\d+$/.test(value.trim())
    ? Number(value)
    : (Date.parse(value) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds * 1000) : undefined;
}

function withStandingHeaders(
  spec: RequestSpec,
  context: SendContext,
  target: Target,
  userAgent: string,
): [string, string][] {
  const own = new Set(spec.headers.map(([name]) => name.toLowerCase()));
  const standing: [string, string][] = [
    ["accept", "application/json, */*;q=0.5"],
    ["user-agent", userAgent],
    ["conformance-case", context.case],
    ...Object.entries(target.request.headers),
  ];
  return [
    ...standing.filter(([name]) => !own.has(name)),
    ...spec.headers.map(([name, value]): [string, string] => [name, value]),
  ];
}

const CREDENTIAL_NAME = /auth|cookie|key|token|secret|password|session/i;

/** Values of the profile's headers that, by their names, let somebody in. */
function credentialHeaders({ request: { headers } }: Target): string[] {
  return Object.entries(headers).flatMap(([name, value]) => (CREDENTIAL_NAME.test(name) ? [value] : []));
}

/** A credential's value is recorded as its scheme only, whatever was sent as one. */
function recordedValue(name: string, value: string, clean: (text: string) => string): string {
  if (!/authorization|cookie/i.test(name)) return clean(value);
  const scheme = /^([A-Za-z][\w-]{0,15}) /.exec(value)?.[1];
  return value === "" ? "" : scheme ? `${scheme} [redacted]` : "[redacted]";
}

/** The token, and its signature on its own: either would be worth stealing. */
function tokenSecrets(token: string): string[] {
  const signature = token.slice(token.lastIndexOf(".") + 1);
  return signature.length >= 20 ? [token, signature] : [token];
}

function flatHeaders(
  headers: Record<string, string | string[] | undefined>,
  clean: (text: string) => string,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, clean([value ?? ""].flat().join(", "))]),
  );
}

function parseOnce(body: string): () => unknown {
  let parsed: { value: unknown } | undefined;
  return () => {
    if (!parsed) {
      try {
        // RFC 8259 §8.1 lets a parser ignore a byte order mark.
        parsed = { value: JSON.parse(body.replace(/^\uFEFF/, "")) };
      } catch {
        parsed = { value: undefined };
      }
    }
    return parsed.value;
  };
}
