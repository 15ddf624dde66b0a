import { RULES } from "../../suites/index.ts";
import { authorizationServerSide } from "../authorization-server/index.ts";
import { SERVER, SHARED } from "../contract/ids.ts";
import type { OperationId } from "../contract/operations.ts";
import type { Outcome, RunEvent } from "../engine/events.ts";
import { planRun } from "../engine/plan.ts";
import { run } from "../engine/run.ts";
import type { Exchange } from "../http/exchange.ts";
import { groupBy } from "../lib/group-by.ts";
import { exchangesOf } from "../probe/finding.ts";
import {
  type Arrival,
  answersAgain,
  type ProfileObject,
  type StepCalls,
  startReference,
} from "../reference/index.ts";
import { reportFrom } from "../report/json.ts";
import type { Report } from "../report/report.ts";
import { JWKS, SEED } from "./seed.ts";
import { targetOf } from "./target.ts";

/** A case of a run. */
export interface RunCase {
  readonly id: string;
  readonly rule: string;
  readonly operation: OperationId | undefined;
  readonly outcome: Outcome;
  /** Whether it judges the answers to other cases. */
  readonly ofAnswers: boolean;
}

/** A run against the conforming receiver. */
interface Ran {
  readonly cases: readonly RunCase[];
  /** The cases whose evidence names an exchange with a `Conformance-Case`, by that. */
  readonly restingOn: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A run of the rules about the authorization server, with what its steps were asked. */
export interface ServerRun extends Ran {
  readonly profile: ProfileObject;
  readonly calls: StepCalls;
}

/** A run of all rules against the conforming receiver, with what the receiver was asked and how it answered. */
export interface CleanRun extends Ran {
  readonly baseUrl: string;
  readonly profile: ProfileObject;
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
  const { baseUrl, profile } = receiver;
  try {
    const { events, all, ...ran } = await runOf(profile, patterns);
    const { arrivals } = receiver;
    const unanswered = all.filter(({ response }) => !response).map(markOf);
    const uncertain = [...unanswered, ...(await answeredOtherwise(baseUrl, arrivals))];
    return {
      ...ran,
      baseUrl,
      profile,
      arrivals,
      report: reportWith(all, events),
      exchanges: exchangesOfArrivals(arrivals, all),
      uncertain: [...new Set(uncertain)].flatMap((mark) => [
        ...((mark.startsWith(SHARED) && ran.restingOn.get(mark)) || [mark]),
      ]),
    };
  } finally {
    await receiver.close();
  }
}

/** The rules about the authorization server. */
export const SERVER_RULES: readonly string[] = [`${SERVER}.*`];

/** Runs the rules about the authorization server against the conforming one, which records what its steps are asked. */
export async function cleanServerRun(): Promise<ServerRun> {
  const receiver = await startReference({ jwks: JWKS, authorizationServer: true, records: true });
  try {
    const { cases, restingOn } = await runOf(receiver.profile, SERVER_RULES);
    if (!receiver.stepCalls) throw new TypeError("the receiver has no authorization server");
    return { cases, restingOn, profile: receiver.profile, calls: receiver.stepCalls };
  } finally {
    await receiver.close();
  }
}

async function runOf(
  profile: ProfileObject,
  patterns: readonly string[],
): Promise<Ran & { readonly events: readonly RunEvent[]; readonly all: readonly Exchange[] }> {
  const events: RunEvent[] = [];
  const all: Exchange[] = [];
  const marks = new Map<string, string>();
  const restingOn = new Map<string, Set<string>>();
  const cases = new Map<string, RunCase>();
  const target = targetOf(profile);
  const sides = [authorizationServerSide()];
  const planned = new Map(planRun(target, RULES, patterns).cases.map((one) => [one.caseId, one]));
  await run({
    target,
    rules: RULES,
    sides,
    patterns,
    seed: SEED,
    emit(event) {
      events.push(event);
      if (event.type === "exchange") {
        all.push(event.exchange);
        marks.set(event.exchange.id, markOf(event.exchange));
      }
      if (event.type !== "case-judged") return;
      const { id, rule, operation, outcome, evidence } = event.result;
      for (const exchange of exchangesOf(evidence)) {
        const mark = marks.get(exchange) ?? "";
        restingOn.set(mark, (restingOn.get(mark) ?? new Set()).add(id));
      }
      const phase = planned.get(id)?.phase;
      if (!phase || cases.has(id)) return;
      const ofAnswers = phase === "record" || phase === "trouble";
      cases.set(id, { id, rule, operation, outcome, ofAnswers });
    },
  });
  return { cases: [...cases.values()], restingOn, events, all };
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
