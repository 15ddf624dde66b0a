import type { TransportFault } from "./exchange.ts";

const UNREACHABLE =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT)$/;
const TLS = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|EPROTO)/;
const TIMEOUT = /^(UND_ERR_HEADERS_TIMEOUT|UND_ERR_BODY_TIMEOUT|ETIMEDOUT)$/;
const RESET = /^(ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_SOCKET)$/;

/** What a transport error of undici, TLS or the system means to somebody who reads a report. */
export function transportFault(error: unknown): { kind: TransportFault; message: string } {
  const cause = rootCause(error);
  const { code = "" } = cause as { code?: string };
  const message = [code, cause.message].filter(Boolean).join(": ");
  if (cause.name === "TimeoutError" || TIMEOUT.test(code)) return { kind: "timeout", message };
  if (cause.name === "AbortError") return { kind: "cancelled", message };
  if (UNREACHABLE.test(code)) return { kind: "unreachable", message };
  if (TLS.test(code)) return { kind: "tls", message };
  if (RESET.test(code)) return { kind: "reset", message };
  return { kind: "malformed", message };
}

function rootCause(error: unknown): Error {
  let cause = error instanceof Error ? error : new Error(String(error));
  while (cause instanceof AggregateError && cause.errors[0] instanceof Error) {
    cause = cause.errors[0];
  }
  while (cause.cause instanceof Error) cause = cause.cause;
  return cause;
}
