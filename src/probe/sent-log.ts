import type { HttpRequest } from "../http/exchange.ts";
import type { Observe } from "./outgoing-request.ts";
import { type Reception, reception } from "./reception.ts";

/** A request of the run as it was sent, with its token, and what was decided about it. It never leaves the run. */
export interface SentRequest {
  /** The id of its exchange. */
  readonly id: string;
  readonly caseId: string;
  readonly request: HttpRequest;
  readonly token: string | undefined;
  /** Whether nothing differs in it from a good request. */
  readonly isGood: boolean;
  readonly received: Reception;
  /** What was asked for has not changed: nobody is told so whose request is rejected. */
  readonly isNotModified: boolean;
  /** When it was sent and when its answer came, in milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
}

/** More of a body is not kept. */
const BODY_CHARACTERS = 4096;

/** Keeps every request of the run that was answered. */
export function createSentLog(observe: Observe): ReadonlyMap<string, SentRequest> {
  const sent = new Map<string, SentRequest>();
  observe(({ reply, sending: { spec, token, tokenNote } }) => {
    const { id, caseId, startedAt, durationMs } = reply.exchange;
    const from = Date.parse(startedAt);
    sent.set(id, {
      id,
      caseId,
      request: { ...spec, ...(spec.body && { body: spec.body.slice(0, BODY_CHARACTERS) }) },
      token,
      isGood: tokenNote?.mutation === undefined,
      received: reception(reply),
      isNotModified: reply.status === 304,
      from,
      to: from + durationMs,
    });
  });
  return sent;
}
