import type { Fault } from "../exchange.ts";

const UNREACHABLE =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|UND_ERR_CONNECT_TIMEOUT|ERR_ADDRESS_NOT_PUBLIC|ERR_PROXY_CREDENTIALS|ERR_PROXY_TUNNEL)$/;
const TLS = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|EPROTO)/;
const TIMEOUT = /^(UND_ERR_HEADERS_TIMEOUT|UND_ERR_BODY_TIMEOUT|ETIMEDOUT)$/;
const RESET = /^(ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_SOCKET)$/;
/** The first bytes of a server that speaks another protocol: an alert of TLS, RFC 8446 §6, or SETTINGS of HTTP/2, RFC 9113 §6.5. */
const OTHER_PROTOCOLS: readonly (readonly [bytes: RegExp, code: string])[] = [
  // oxlint-disable-next-line no-control-regex
  [/^\x15\x03/, "ANSWERED_IN_TLS"],
  // oxlint-disable-next-line no-control-regex
  [/^\0\0.\x04/s, "ANSWERED_IN_HTTP2"],
];
/** undici reports a closed socket here, but undici closed it itself. */
const BAD_RESPONSE = /^bad (response|upgrade)$/;
/** The code for a body that ends early, and for a head with two lengths. */
const OTHER_LENGTH = "UND_ERR_RES_CONTENT_LENGTH_MISMATCH";
/** Errors that the suite caused, not the target. */
const OWN = /^(UND_ERR_INVALID_ARG|ERR_INVALID_)/;

/**
 * Translates a transport error of undici, Node or the system for a report.
 * @param status the response's status, where its head had arrived
 * @returns the fault, and the code of the error; see `Reply.faultCode`
 * @throws the error itself when it is not a transport error but a fault of the suite
 */
export function transportFault(
  error: unknown,
  status?: number,
): { readonly fault: Fault; readonly code: string } {
  const cause = rootCause(error);
  // undici gives the errors of its parser no code.
  const { code = cause.name === "HTTPParserError" ? "" : undefined } = cause as { code?: unknown };
  if (typeof code !== "string" || OWN.test(code)) throw cause;
  const message = plainly(cause.message);
  const kind = kindOf(code, message, status !== undefined);
  return {
    code: code || protocolOf(cause),
    fault: {
      kind,
      message: message.includes(code) && message !== "" ? message : `${code}: ${message}`,
      ...(status !== undefined && { status }),
    },
  };
}

/** The code for bytes that are of another protocol; empty for any others. */
function protocolOf(cause: Error): string {
  const { data } = cause as { data?: unknown };
  return OTHER_PROTOCOLS.find(([bytes]) => bytes.test(String(data)))?.[1] ?? "";
}

/** OpenSSL's reason, without the numbers and source files around it. */
function plainly(message: string): string {
  return /:SSL routines:[^:]*:([^:]+):/.exec(message)?.[1] ?? message;
}

function kindOf(code: string, message: string, midway: boolean): Fault["kind"] {
  if (UNREACHABLE.test(code)) return "unreachable";
  if (TIMEOUT.test(code)) return "timeout";
  if (TLS.test(code)) return "tls";
  if (midway && code === OTHER_LENGTH) return "cut";
  if (RESET.test(code) && !BAD_RESPONSE.test(message)) return midway ? "cut" : "reset";
  return "malformed";
}

/** The innermost error: of several attempts, such as one for each address of a host, that of the first. */
export function rootCause(error: unknown): Error {
  let cause = error instanceof Error ? error : new Error(String(error));
  for (;;) {
    if (cause instanceof AggregateError && cause.errors[0] instanceof Error) {
      cause = cause.errors[0];
    } else if (cause.cause instanceof Error) cause = cause.cause;
    else return cause;
  }
}
