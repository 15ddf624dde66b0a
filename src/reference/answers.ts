import { createHash } from "node:crypto";

import type {
  Answer,
  Call,
  CheckName,
  Content,
  Receiver,
  UnmatchedRequest,
  WireAnswer,
} from "./model.ts";
import { Refusal } from "./refusal.ts";

/** The HTTP status of a refusal by a check: 401 for checks 1 to 4, 403 for 5 to 7. */
export function rejectionStatus(check: CheckName): number {
  return check === "checkScope" || check === "checkBinding" || check === "applyPolicy" ? 403 : 401;
}

/** The body of a good answer: its status and a message, and a page of a collection or one object under `data`. */
export function shape(content: Content): unknown {
  return content;
}

/** The contract's Error body. With `errors` it is also an ApplicationSubmissionError. */
export function errorBody(refusal: Refusal): unknown {
  return { status: refusal.status, message: refusal.message, errors: refusal.errors };
}

/** The answer to a request that ended with `error`, thrown by a step or by the framework. */
export function errorAnswer(error: unknown, receiver: Receiver): Answer {
  const refusal = asRefusal(error);
  const { status, headers } = refusal;
  return { status, headers, body: receiver.steps.errorBody(refusal) };
}

/** Fastify's own errors as refusals. Internal errors do not reveal their message. */
function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const { statusCode, message } = error as { statusCode?: unknown; message?: unknown };
  if (typeof statusCode !== "number" || statusCode < 400 || statusCode >= 500) {
    return new Refusal(500, "The receiver failed.");
  }
  return new Refusal(statusCode, String(message));
}

/** Refuses a request that matches no route. */
export function unknownRoute({ allow }: UnmatchedRequest): Answer {
  throw allow.length > 0
    ? new Refusal(405, "This route does not take the method.", {
        headers: { allow: allow.join(", ") },
      })
    : new Refusal(404, "There is no such route.");
}

/** Adds the headers that all answers share. `call` is absent when no route was found. */
export function finish(answer: Answer, receiver: Receiver, call?: Call): Answer {
  const headers: Record<string, string> = {
    date: new Date(receiver.steps.now() * 1000).toUTCString(),
    "cache-control": "no-store",
    ...answer.headers,
  };
  if (answer.body !== undefined) headers["content-type"] ??= "application/json";
  if (answer.status === 401) {
    // RFC 6750 section 3.1: no error code where the request carried no credentials.
    headers["www-authenticate"] ??= call?.authorization.length
      ? 'Bearer realm="orgs", error="invalid_token"'
      : 'Bearer realm="orgs"';
  }
  return { ...answer, headers };
}

/** Encodes the body: text as it is, everything else as JSON. */
export function encode(answer: Answer): WireAnswer {
  const { status, headers = {}, body } = answer;
  const payload = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  return { status, headers, payload };
}

/** A strong entity tag of a value (RFC 9110 section 8.8.3): the same for equal values. */
export function entityTag(value: unknown): string {
  const digest = createHash("sha256").update(JSON.stringify(value)).digest("hex");
  return `"${digest.slice(0, 16)}"`;
}
