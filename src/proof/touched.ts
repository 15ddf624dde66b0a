import { isDeepStrictEqual } from "node:util";

import { OPERATION_IDS } from "../contract/operations.ts";
import {
  type AnswersAgain,
  answersAgain,
  FAULTS,
  isOfDocument,
  isOfServer,
  restore,
  SERVER_STEPS,
  type Snapshot,
  snapshotOf,
  stepsOf,
  VARIANTS,
  type Verified,
  type WireAnswer,
} from "../reference/index.ts";
import type { CleanRun, RunCase } from "./clean-run.ts";
import type { ReceiverBuild } from "./prove.ts";
import { JWKS } from "./seed.ts";

/** What takes longer to answer the recorded requests waits on purpose, so time may play a part in it. */
const LONGEST_MS = 30_000;

/** The cases that a fault or variant can change. `all`: it must run whole. `server`: only those of the authorization server. */
export type Touched = ReadonlySet<string> | "all" | "server";

/** The requests of a clean run as the conforming receiver answers them without a server. */
export interface Plain {
  readonly clean: CleanRun;
  readonly verified: Verified;
  /** For each request the answer, and what the receiver held before it. */
  readonly steps: readonly {
    readonly answer: WireAnswer | undefined;
    readonly before: Snapshot;
  }[];
  readonly end: Snapshot;
}

/** Answers the requests of a clean run once, for `touchedBy`. */
export async function plainAnswers(clean: CleanRun): Promise<Plain> {
  const verified: Verified = new Map();
  const { answer, store } = await answersAgain({ jwks: JWKS }, clean.baseUrl, verified);
  const steps: Plain["steps"][number][] = [];
  let before = snapshotOf(store);
  for (const arrival of clean.arrivals) {
    steps.push({ answer: await answer(arrival), before });
    // Each write counts a change.
    if (store.changes !== before.changes) before = snapshotOf(store);
  }
  return { clean, verified, steps, end: before };
}

/**
 * Finds the cases of a clean run that a fault or variant can change. It answers all requests of the run in turn, with a state of
 * its own, and each answer is compared with the conforming receiver's. As long as all answers to the requests of a case are equal,
 * the case sends the same requests, and comes out the same.
 *
 * A fault that accepts a write changes what later answers show. Such a difference alone does not touch a case that asks
 * only whether one request is accepted: the fault then answers once more, each request from the conforming receiver's state.
 */
export async function touchedBy(build: ReceiverBuild, plain: Plain): Promise<Touched> {
  const runs = runsOf(build);
  if (runs !== "part") return runs;
  const { clean } = plain;
  const named = build.kind === "fault" ? { faults: [build.name] } : { variants: [build.name] };
  const another = async (): Promise<AnswersAgain> =>
    answersAgain({ jwks: JWKS, ...named }, clean.baseUrl, plain.verified);
  const own = await another();
  const marks = await marksOf(own, plain);
  if (!marks) return "all";
  const touched = casesMarked(marks, clean.cases);
  if (holdsTheSame(own.store, plain.end)) return touched;
  const direct = await marksOf(await another(), plain, restore);
  if (!direct) return "all";
  const directly = casesMarked(direct, clean.cases);
  const isByStatus = new Map(clean.cases.map(({ id, byStatus }) => [id, byStatus]));
  return new Set([...touched].filter((id) => directly.has(id) || !isByStatus.get(id)));
}

/** What of an answer differs: its status, or other things alone. */
type Difference = "status" | "content";

/** Differences by the `Conformance-Case` of the requests; empty for unmarked ones. */
type Marks = ReadonlyMap<string, Difference>;

/** What of a run a build is about, as far as its own data tell. */
function runsOf({ kind, name }: ReceiverBuild): "all" | "server" | "part" {
  if (kind === "plain") return "all";
  if (kind === "variant") {
    const variant = VARIANTS.find((one) => one.name === name);
    const isPlainlyDescribed = variant && !variant.describe && !variant.documented;
    return isPlainlyDescribed && !variant.server && !variant.served ? "part" : "all";
  }
  const fault = FAULTS.find((one) => one.name === name);
  if (!fault || fault.variants || isOfDocument(fault)) return "all";
  // These are about requests that overlap, and about time.
  if (["receiver.isolation", "receiver.rotation"].includes(fault.rule)) return "all";
  const steps = stepsOf(fault);
  if (steps.includes("offered")) return "all";
  if (!isOfServer(fault)) return "part";
  return steps.every((step) => Object.hasOwn(SERVER_STEPS, step)) ? "server" : "all";
}

/**
 * The `Conformance-Case` of the requests that are answered otherwise, and of those that are not known.
 * @param prepare called before each request with what the conforming receiver held then; default: nothing
 * @returns `undefined` where only a whole run can tell
 */
async function marksOf(
  { answer, store }: AnswersAgain,
  { clean, steps }: Plain,
  prepare: typeof restore = () => {},
): Promise<Marks | undefined> {
  const marks = new Map<string, Difference>(clean.uncertain.map((mark) => [mark, "status"]));
  const began = performance.now();
  for (const [index, arrival] of clean.arrivals.entries()) {
    const { answer: expected, before } = steps[index] ?? {};
    if (before) prepare(store, before);
    const found = await answer(arrival);
    if (performance.now() - began > LONGEST_MS) return undefined;
    if (expected === undefined || isSame(found, expected)) continue;
    // What a write does on a route that only a server finds is not known.
    if (found === undefined && arrival.method !== "GET") return undefined;
    const mark = arrival.caseId ?? "";
    const isContent = found?.status === expected.status && marks.get(mark) !== "status";
    marks.set(mark, isContent ? "content" : "status");
  }
  return marks;
}

function isSame(found: WireAnswer | undefined, expected: WireAnswer): boolean {
  return (
    found?.status === expected.status &&
    String(found.payload) === String(expected.payload) &&
    isDeepStrictEqual(found.headers, expected.headers)
  );
}

function holdsTheSame(store: Snapshot, other: Snapshot): boolean {
  return (
    isDeepStrictEqual(store.organizations, other.organizations) &&
    isDeepStrictEqual(store.feeds, other.feeds)
  );
}

/** The cases that sent the marked requests, or share what sent them. */
function casesMarked(marks: Marks, cases: readonly RunCase[]): ReadonlySet<string> {
  const ids = new Set(cases.map(({ id }) => id));
  const touched = new Set<string>();
  for (const [mark, difference] of marks) {
    if (ids.has(mark)) {
      touched.add(mark);
      continue;
    }
    // A control, or what several cases share: whoever is about the operation may rest on it. A case that asks only whether a
    // request is accepted reads no more than the status of a control.
    const operation = OPERATION_IDS.find((id) => mark.includes(id));
    for (const one of cases) {
      const isOne =
        mark === ""
          ? one.id.includes("-unmarked")
          : operation === undefined || one.operation === operation;
      if (isOne && (difference === "status" || !one.byStatus)) touched.add(one.id);
    }
  }
  return touched;
}
