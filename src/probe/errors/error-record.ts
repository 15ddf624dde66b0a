import type { ModelError } from "../../contract/model-error.ts";
import { printable, validateModel } from "../../contract/models.ts";
import type { OperationId } from "../../contract/operations.ts";
import type { Reply } from "../../http/exchange.ts";
import { UNAVAILABLE } from "../../http/statuses.ts";
import { isObject } from "../../lib/json.ts";
import type { Moments } from "../controls/moments.ts";
import type { Observe } from "../outgoing-request.ts";
import { type ToldExchange, toldOf } from "../told-exchange.ts";
import { PURPOSES } from "../write/purposes.ts";

/** A way in which a body is no Error body. */
export type BodyProblem =
  | (ModelError & { readonly is: "member" })
  /** The other members that it has where required ones are missing. */
  | { readonly is: "others"; readonly others: readonly OtherMember[] }
  /** Something about the whole body, as a clause. */
  | { readonly is: "body"; readonly text: string };

/** A member that the contract does not name. */
interface OtherMember {
  readonly name: string;
  readonly type: string;
}

/** One 4xx or 5xx answer of an offered operation, for the rules about errors. */
export interface ErrorAnswer extends ToldExchange {
  readonly operation: OperationId;
  readonly exchange: string;
  /** Its position in the order of arrival. */
  readonly arrived: number;
  readonly status: number;
  readonly contentType: string | undefined;
  /** Why the body is not an Error body, as clauses. Empty when it is one. */
  readonly problems: readonly string[];
  /** The same problems as `problems`, as typed values. */
  readonly wrong: readonly BodyProblem[];
  /** Whether the body is JSON of any shape. */
  readonly json: boolean;
  /** The body's `status` when it is an integer. */
  readonly bodyStatus: number | undefined;
  /** Whether the body was longer than the limit. */
  readonly cut: boolean;
  /** Sends the latest request again that was answered so; `undefined` when the run may not write any more. */
  readonly again: () => Promise<Reply | undefined>;
}

/** Statuses that gateways and HTTP servers send on their own, before an application is reached. */
const GATEWAY_STATUSES = new Set([408, 414, 429, 431, ...UNAVAILABLE]);

/** Whether the contract requires an Error body for a status. */
export function owesErrorBody(status: number): boolean {
  return status >= 400 && status < 600 && !GATEWAY_STATUSES.has(status);
}

/** The judged facts of an error answer. */
export type JudgedError = Pick<
  ErrorAnswer,
  "problems" | "wrong" | "json" | "bodyStatus" | "contentType" | "cut" | "status"
>;

/** Judges an answer by the contract's clause "Errors". */
export function judgeErrorBody(
  reply: Pick<Reply, "status" | "headers" | "hasBody" | "cut" | "json"> &
    Partial<Pick<Reply, "isUtf8" | "body" | "undecoded">>,
): JudgedError {
  const body = reply.json();
  const status = isObject(body) ? body["status"] : undefined;
  const wrong =
    body === undefined ? [notJson(reply)] : [...encodingProblems(reply), ...problemsOf(body)];
  return {
    status: reply.status,
    contentType: reply.headers["content-type"],
    cut: reply.cut,
    json: body !== undefined,
    bodyStatus: Number.isInteger(status) ? (status as number) : undefined,
    wrong,
    problems: wrong.map(worded),
  };
}

/** What RFC 8259 §8.1 forbids a server, although parsers may read it. */
function encodingProblems({
  isUtf8,
  body,
}: Partial<Pick<Reply, "isUtf8" | "body">>): BodyProblem[] {
  return [
    ...(isUtf8 === false ? [ofBody("the body is not UTF-8")] : []),
    ...(body?.startsWith("\uFEFF") ? [ofBody("the body begins with a byte order mark")] : []),
  ];
}

/** The problems of a body, and the other members that it has where required ones are missing. */
function problemsOf(body: unknown): BodyProblem[] {
  const problems = validateModel("Error", body).map((one): BodyProblem => ({
    is: "member",
    ...one,
  }));
  const isMissing = isObject(body) && REQUIRED.some((name) => !Object.hasOwn(body, name));
  if (!isMissing) return problems;
  const others = Object.entries(body)
    .filter(([name]) => !REQUIRED.includes(name))
    .slice(0, MOST_MEMBERS)
    .map(([name, value]): OtherMember => ({ name: printable(name), type: typeOf(value) }));
  return others.length > 0 ? [...problems, { is: "others", others }] : problems;
}

const REQUIRED: readonly string[] = ["status", "message", "errors"];
const MOST_MEMBERS = 6;

function typeOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
}

function notJson(reply: Pick<Reply, "headers" | "hasBody" | "undecoded">): BodyProblem {
  if (!reply.hasBody) return ofBody("the body is empty");
  if (reply.undecoded) {
    const coding = reply.headers["content-encoding"]?.slice(0, 80);
    return ofBody(`the body is not in the coding that it claims (\`Content-Encoding: ${coding}\`)`);
  }
  const type = reply.headers["content-type"];
  return ofBody(
    `the body is not JSON${type === undefined ? "" : ` (Content-Type: ${type.slice(0, 80)})`}`,
  );
}

function ofBody(text: string): BodyProblem {
  return { is: "body", text };
}

function worded(problem: BodyProblem): string {
  switch (problem.is) {
    case "member":
      return problem.pointer === "" ? problem.message : `${problem.pointer}: ${problem.message}`;
    case "others":
      return `it has ${problem.others
        .map(({ name, type }) => `${name} (${type})`)
        .toSorted()
        .join(", ")}`;
    case "body":
      return problem.text;
  }
}

/** Records the error answers of a run; the result lists them, see `Seen.errors`. */
export function createErrorLog(observe: Observe, moments: Moments): () => readonly ErrorAnswer[] {
  const errors: ErrorAnswer[] = [];
  /** Of equal answers, the latest request alone is kept: all of them would take as much memory as their records. */
  const latest = new Map<string, ErrorAnswer["again"]>();
  // A function of its own: one that is made in the observer would keep the request of its answer.
  const sendsLatest = (key: string) => async () => latest.get(key)?.();
  let sorted: readonly ErrorAnswer[] = [];
  observe(({ reply, sending, ordinary, again }) => {
    if (ordinary === undefined || !owesErrorBody(reply.status)) return;
    const judged = judgeErrorBody(reply);
    const key = JSON.stringify([ordinary, judged]);
    // What was refused is hardly accepted now, so this may be one of the last writes.
    latest.set(key, () =>
      again(PURPOSES[sending.purpose ?? "unwanted"].mustBeRejected ? "late" : undefined),
    );
    errors.push({
      ...judged,
      operation: ordinary,
      exchange: reply.exchange.id,
      arrived: errors.length,
      ...toldOf(reply.exchange),
      again: sendsLatest(key),
    });
  });
  return () => {
    // Sorted, because the order of arrival is random and must not affect a report.
    if (sorted.length < errors.length) {
      sorted = errors.toSorted((a, b) => (a.exchange < b.exchange ? -1 : 1));
    }
    return outsideMoments(sorted, moments);
  };
}

/**
 * The errors without those of moments in which good requests were refused, and without those that are wrong in the same way: the same
 * firewall may have sent them when no good request was under way.
 */
function outsideMoments(errors: readonly ErrorAnswer[], moments: Moments): readonly ErrorAnswer[] {
  const inside = errors.filter(({ exchange }) => moments.cover(exchange));
  if (inside.length === 0) return errors;
  const wrong = new Set(inside.filter(({ problems }) => problems.length > 0).map(gistOf));
  const left = new Set(inside);
  return errors.filter((one) => !left.has(one) && !wrong.has(gistOf(one)));
}

function gistOf({ status, problems }: ErrorAnswer): string {
  return [status, ...problems].join("\n");
}
