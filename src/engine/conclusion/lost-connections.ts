import { controlledOperation } from "../../contract/ids.ts";
import type { Exchange } from "../../http/exchange.ts";
import { groupBy } from "../../lib/group-by.ts";
import { counted } from "../../lib/words.ts";
import type { SetupProblem } from "../events.ts";

/** A request that lost its connection each time it was sent, at least once together with others. */
export interface LostConnection {
  readonly caseId: string;
  readonly times: number;
  /** The senders of the requests that were in flight beside it and lost their connections too, each once. */
  readonly beside: readonly string[];
}

/** So often is no accident. */
const TIMES = 2;
/** Times are rounded to milliseconds. */
const ROUNDED_MS = 2;
const MOST_NAMED = 3;

/**
 * The requests that lost their connections each time, while others in flight lost theirs that were answered at other times. A
 * deployment that closes only the connection of a bad request takes nobody else's. Good requests are left out, because they are sent again until they are answered.
 * @param exchanges of the whole run
 */
export function lostConnections(exchanges: readonly Exchange[]): LostConnection[] {
  const lost = exchanges.filter(wasLost);
  if (lost.length < TIMES) return [];
  const answered = new Set(exchanges.filter((one) => one.response).map(({ caseId }) => caseId));
  const ofCases = exchanges.filter(({ caseId }) => controlledOperation(caseId) === undefined);
  const same = groupBy(
    ofCases,
    ({ caseId, request: { method, url, token } }) =>
      `${caseId} ${method} ${url} ${token?.mutation}`,
  );
  return [...same.values()].flatMap((tries) => {
    const caseId = tries[0]?.caseId ?? "";
    if (tries.length < TIMES || !tries.every(wasLost)) return [];
    // Others that are answered at other times. After the first time it is sent alone, and nothing else can be lost.
    const innocent = lost.filter((other) => other.caseId !== caseId && answered.has(other.caseId));
    const beside = tries.map((one) => innocent.filter((other) => overlap(one, other)));
    if (beside.every(({ length }) => length === 0)) return [];
    const kept = exchanges.filter(({ response }) => response);
    const isSpared = (one: Exchange): boolean =>
      kept.some((other) => overlap(one, other, -ROUNDED_MS));
    if (tries.some((one, at) => beside[at]?.length === 0 && isSpared(one))) return [];
    const names = new Set(beside.flat().map((other) => other.caseId));
    return [{ caseId, times: tries.length, beside: [...names] }];
  });
}

/** The set-up problem that names them. It says nothing of what was accepted. */
export function lostConnectionProblems(exchanges: readonly Exchange[]): SetupProblem[] {
  const found = lostConnections(exchanges);
  if (found.length === 0) return [];
  const shown = found.slice(0, MOST_NAMED).map(({ caseId, times, beside }) => {
    return `${caseId} (${times} times, beside ${shortened(beside)})`;
  });
  return [
    {
      problem: `${counted(found.length, "request")} lost the connection each time, and so did others that were in flight: ${shown.join("; ")}${found.length > MOST_NAMED ? `; and ${found.length - MOST_NAMED} more` : ""}.`,
      remedy:
        "Look in the deployment's log for a process that ended at such a request, and was started again. Answer it like any other bad request. What was in flight beside it may be innocent.",
    },
  ];
}

function shortened(names: readonly string[]): string {
  const more = names.length - MOST_NAMED;
  const shown = names.slice(0, MOST_NAMED).join(", ");
  return more > 0 ? `${shown} and ${more} more` : shown;
}

function wasLost({ fault }: Exchange): boolean {
  return fault?.kind === "reset" || fault?.kind === "cut";
}

function overlap(one: Exchange, other: Exchange, slackMs = ROUNDED_MS): boolean {
  const [a, b] = [spanOf(one), spanOf(other)];
  return a.from <= b.to + slackMs && b.from <= a.to + slackMs;
}

function spanOf({ startedAt, durationMs }: Exchange): { from: number; to: number } {
  const from = Date.parse(startedAt);
  return { from, to: from + durationMs };
}
