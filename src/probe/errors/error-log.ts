import type { Observe } from "../answered.ts";
import type { Moments } from "../controls/moments.ts";
import { mustBeRejected } from "../write/budget.ts";
import { type ErrorAnswer, judgeErrorBody, owesErrorBody } from "./error-record.ts";

/** Records the error answers of a run; the result lists them, see `Seen.errors`. */
export function createErrorLog(observe: Observe, moments: Moments): () => readonly ErrorAnswer[] {
  const errors: ErrorAnswer[] = [];
  let sorted: readonly ErrorAnswer[] = [];
  observe(({ reply, sending, ordinary, again }) => {
    if (ordinary === undefined || !owesErrorBody(reply.status)) return;
    errors.push({
      ...judgeErrorBody(reply),
      operation: ordinary,
      exchange: reply.exchange.id,
      arrived: errors.length,
      mutation: sending.tokenNote?.mutation,
      // What was refused is hardly accepted now, so this may be one of the last writes.
      again: () => again(mustBeRejected(sending.purpose ?? "unwanted") ? "late" : undefined),
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
