import { printable, validateModel } from "../contract/models.ts";
import type { OperationId } from "../contract/operations.ts";
import type { Reply } from "../http/exchange.ts";
import { isObject } from "../lib/json.ts";

/** One 4xx or 5xx of an offered operation, as the rules about errors judge it. */
export interface ErrorAnswer {
  readonly operation: OperationId;
  readonly exchange: string;
  /** Counted in the order of arrival. */
  readonly arrived: number;
  readonly caseId: string;
  readonly status: number;
  readonly contentType: string | undefined;
  /** What keeps the body from being an Error body; empty when it is one. */
  readonly problems: readonly string[];
  /** The body is JSON, of whatever shape. */
  readonly json: boolean;
  /** The body's `status` when it is an integer. */
  readonly bodyStatus: number | undefined;
  /** The body was longer than what is read of one. */
  readonly cut: boolean;
  /** Name of the mutation that was made to a good request; absent for a good one. */
  readonly mutation: string | undefined;
  /** Sends the same request again; `undefined` when the run has written as often as it may. */
  readonly again: () => Promise<Reply | undefined>;
}

/** Answers that gateways and HTTP servers give on their own, before any application is asked. */
const GATEWAY_STATUSES = new Set([408, 414, 429, 431, 502, 503, 504]);

/** Whether the contract's Error body is owed for a status. */
export function owesErrorBody(status: number): boolean {
  return status >= 400 && status < 600 && !GATEWAY_STATUSES.has(status);
}

/** What there is to judge in an error answer. */
export type JudgedError = Pick<
  ErrorAnswer,
  "problems" | "json" | "bodyStatus" | "contentType" | "cut" | "status"
>;

/** What the contract's clause "Errors" has to say about an answer. */
export function judgeErrorBody(
  reply: Pick<Reply, "status" | "headers" | "hasBody" | "cut" | "json">,
): JudgedError {
  const body = reply.json();
  const status = isObject(body) ? body["status"] : undefined;
  return {
    status: reply.status,
    contentType: reply.headers["content-type"],
    cut: reply.cut,
    json: body !== undefined,
    bodyStatus: Number.isInteger(status) ? (status as number) : undefined,
    problems: body === undefined ? [notJson(reply)] : problemsOf(body),
  };
}

/** What is wrong with a body, and what it has instead of what is missing. */
function problemsOf(body: unknown): string[] {
  const problems = validateModel("Error", body).map(worded);
  const isMissing = isObject(body) && REQUIRED.some((name) => !Object.hasOwn(body, name));
  if (!isMissing) return problems;
  const others = Object.entries(body).filter(([name]) => !REQUIRED.includes(name));
  const named = others
    .slice(0, MOST_MEMBERS)
    .map(([name, value]) => `${printable(name)} (${typeOf(value)})`)
    .toSorted();
  return named.length > 0 ? [...problems, `it has ${named.join(", ")}`] : problems;
}

const REQUIRED: readonly string[] = ["status", "message", "errors"];
/** Other members that are named: frameworks have a handful. */
const MOST_MEMBERS = 6;

function typeOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

function notJson(reply: Pick<Reply, "headers" | "hasBody">): string {
  if (!reply.hasBody) return "the body is empty";
  const type = reply.headers["content-type"];
  return `the body is not JSON${type === undefined ? "" : ` (Content-Type: ${type.slice(0, 80)})`}`;
}

function worded({ pointer, message }: { pointer: string; message: string }): string {
  return pointer === "" ? message : `${pointer}: ${message}`;
}
