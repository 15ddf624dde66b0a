import { RULES } from "../../suites/index.ts";
import { authorizationServerSide } from "../authorization-server/index.ts";
import { SHARED } from "../contract/ids.ts";
import type { OperationId } from "../contract/operations.ts";
import type { Outcome, RunEvent } from "../engine/events.ts";
import { planRun } from "../engine/plan.ts";
import { run } from "../engine/run.ts";
import type { Exchange } from "../http/exchange.ts";
import { groupBy } from "../lib/group-by.ts";
import { exchangesOf } from "../probe/finding.ts";
import { profileFromObject } from "../profile/load.ts";
import { resolveTarget } from "../profile/resolve.ts";
import {
  type Arrival,
  answersAgain,
  type ProfileObject,
  startReference,
} from "../reference/index.ts";
import { reportFrom } from "../report/json.ts";
import type { Report } from "../report/report.ts";
import { JWKS, SEED } from "./seed.ts";

/** A case of a run. */
export interface RunCase {
  readonly id: string;
  readonly rule: string;
  readonly operation: OperationId | undefined;
  readonly outcome: Outcome;
  /** Whether it judges the answers to other cases. */
  readonly ofAnswers: boolean;
}

/** A run of all rules against the conforming receiver, with what the receiver was asked and how it answered. */
export interface CleanRun {
  readonly baseUrl: string;
  readonly profile: ProfileObject;
  readonly cases: readonly RunCase[];
  readonly arrivals: readonly Arrival[];
  /** The report of the run, with all exchanges, whose answers are as long as they were. */
  readonly report: Report;
  /** For each arrival the id of its exchange; `undefined` where none is known. */
  readonly exchanges: readonly (string | undefined)[];
  /**
   * The `Conformance-Case` of requests that had no answer, or that are answered otherwise without a server. For a request that
   * several cases share, the cases whose evidence names it. Input that is not HTTP is not recorded: no build answers it otherwise.
   */
  readonly uncertain: readonly string[];
}

/**
 * Runs rules against the conforming receiver, which records what arrives.
 * @param patterns globs over rule ids and case names; default: all
 */
export async function cleanRun(patterns: readonly string[] = []): Promise<CleanRun> {
  // With a patch, no document describes the receiver, as none describes one with a fault.
  const patches = [{ now: () => wholeSeconds }];
  const receiver = await startReference({ jwks: JWKS, patches, records: true });
  const { baseUrl } = receiver;
  try {
    const marks = new Map<string, string>();
    const casesOf = new Map<string, Set<string>>();
    const cases: RunCase[] = [];
    const events: RunEvent[] = [];
    const target = resolveTarget({ profile: profileFromObject(receiver.profile) });
    const planned = new Map(planRun(target, RULES, patterns).cases.map((one) => [one.caseId, one]));
    await run({
      target,
      rules: RULES,
      sides: [authorizationServerSide()],
      patterns,
      seed: SEED,
      emit(event) {
        events.push(event);
        if (event.type === "exchange") {
          marks.set(event.exchange.id, markOf(event.exchange));
        }
        if (event.type !== "case-judged") return;
        const { id, rule, operation, outcome, evidence } = event.result;
        for (const exchange of exchangesOf(evidence)) {
          const mark = marks.get(exchange) ?? "";
          if (mark.startsWith(SHARED)) casesOf.set(mark, (casesOf.get(mark) ?? new Set()).add(id));
        }
        const one = planned.get(id);
        if (!one || cases.some((known) => known.id === id)) return;
        cases.push({
          id,
          rule,
          operation,
          outcome,
          ofAnswers: one.phase === "record" || one.phase === "trouble",
        });
      },
    });
    const { arrivals } = receiver;
    const all = events.flatMap((event) => (event.type === "exchange" ? event.exchange : []));
    const unanswered = all.filter(({ response }) => !response).map(markOf);
    const uncertain = [...unanswered, ...(await answeredOtherwise(baseUrl, arrivals))];
    const exchanges = exchangesOfArrivals(arrivals, all);
    return {
      baseUrl,
      profile: receiver.profile,
      cases,
      arrivals,
      report: reportWith(all, events),
      exchanges,
      uncertain: [...new Set(uncertain)].flatMap((mark) => [...(casesOf.get(mark) ?? [mark])]),
    };
  } finally {
    await receiver.close();
  }
}

/** The time, which is the same when the request is answered again. */
function wholeSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** The `Conformance-Case` that a request carried; empty without one. */
function markOf({ request }: Exchange): string {
  const marked = request.headers.find(([name]) => name.toLowerCase() === "conformance-case");
  return marked?.[1] ?? "";
}

/** A report with all exchanges, as it is read back from its file. */
function reportWith(all: readonly Exchange[], events: readonly RunEvent[]): Report {
  const exchanges = Object.fromEntries(all.map((one) => [one.id, one]));
  return JSON.parse(JSON.stringify({ ...reportFrom(events), exchanges })) as Report;
}

/** For each arrival the first exchange of the same sender with the same method, path and answer. */
function exchangesOfArrivals(
  arrivals: readonly Arrival[],
  all: readonly Exchange[],
): (string | undefined)[] {
  const free = groupBy(all, markOf);
  return arrivals.map(({ caseId = "", method, target, answer }) => {
    const own = free.get(caseId) ?? [];
    const [path = ""] = target.split("?");
    const body = method === "HEAD" ? "" : String(answer.payload ?? "");
    const at = own.findIndex(
      ({ request, response }) =>
        request.method === method &&
        request.url.split("?")[0]?.endsWith(path) &&
        response?.status === answer.status &&
        (response.truncated || response.body === body),
    );
    return at < 0 ? undefined : own.splice(at, 1)[0]?.id;
  });
}

/** The `Conformance-Case` of requests that are answered otherwise without a server. */
async function answeredOtherwise(baseUrl: string, arrivals: readonly Arrival[]): Promise<string[]> {
  const again = await answersAgain({ jwks: JWKS }, baseUrl, new Map());
  const otherwise: string[] = [];
  for (const arrival of arrivals) {
    const answer = await again(arrival);
    const isSame =
      answer?.status === arrival.answer.status && wordsOf(answer) === wordsOf(arrival.answer);
    if (!isSame) otherwise.push(arrival.caseId ?? "");
  }
  return otherwise;
}

/** A payload without the times in it, which may differ by a second. */
function wordsOf({ payload }: Arrival["answer"]): string {
  return String(payload).replaceAll(/"(?:createdAt|lastModifiedAt)":"[^"]*"/g, "");
}
