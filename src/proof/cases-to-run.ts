import { isDeepStrictEqual } from "node:util";

import { RULES } from "../../suites/index.ts";
import { areaOf, controlledOperation, SERVER } from "../contract/ids.ts";
import { OPERATION_IDS } from "../contract/operations.ts";
import type { Exchange } from "../http/exchange.ts";
import {
  type AnswersAgain,
  answersAgain,
  FAULTS,
  type Verified,
  type WireAnswer,
} from "../reference/index.ts";
import { type AnswerPart, type OtherAnswers, rejudging } from "../verify/other-answers.ts";
import type { CleanRun, RunCase, ServerRun } from "./clean-run.ts";
import type { ReceiverBuild } from "./prove.ts";
import { JWKS } from "./seed.ts";
import { type Named, type ServerCases, serverCases } from "./server-cases.ts";
import { describedOtherwise, type WhatIsChanged, whatIsChanged } from "./what-is-changed.ts";

/** What takes longer to answer the recorded requests waits on purpose, so time may play a part in it. */
const LONGEST_MS = 30_000;

/** The cases that must run to know what a build changes. `all`: every one. */
export type ToRun = SomeCases | "all";

/** Some cases of a run, by their ids. */
export interface SomeCases {
  /** The cases of the clean run that the build has too. */
  readonly cases: readonly RunCase[];
  readonly toRun: ReadonlySet<string>;
  /** The cases that need not run because they came out the same when they were judged again. */
  readonly judgedAgain: ReadonlySet<string>;
}

/** The requests of a clean run as the conforming receiver answers them without a server. */
export interface Plain {
  readonly clean: CleanRun;
  readonly server: ServerRun;
  readonly verified: Verified;
  readonly answers: readonly (WireAnswer | undefined)[];
  readonly rejudge: ReturnType<typeof rejudging>;
  /** The cases that come out in the clean run as they are judged again by its answers. The others must run. */
  readonly judged: ReadonlySet<string>;
  /** The cases of `judged` that read a part of an answer, by the id of its exchange. */
  readonly readers: ReadonlyMap<string, Readonly<Record<AnswerPart, ReadonlySet<string>>>>;
}

/** Answers the requests of a clean run once, and judges its cases again by these answers, for `casesToRun`. */
export async function plainAnswers(clean: CleanRun, server: ServerRun): Promise<Plain> {
  const verified: Verified = new Map();
  const answer = await answersAgain({ jwks: JWKS }, clean.baseUrl, verified);
  const answers: (WireAnswer | undefined)[] = [];
  for (const arrival of clean.arrivals) answers.push(await answer(arrival));
  const rejudge = rejudging(clean.report, RULES);
  const readers = new Map<string, Record<AnswerPart, Set<string>>>();
  let reader = "";
  const over = rejudge(recordedAs(clean, answers.entries()), (exchange, part) => {
    const known = readers.get(exchange) ?? {
      status: new Set(),
      headers: new Set(),
      body: new Set(),
    };
    known[part].add(reader);
    readers.set(exchange, known);
  });
  const judged = new Set<string>();
  // What judges the answers to other cases needs their requests.
  for (const { id, outcome } of clean.cases.toSorted(
    (a, b) => Number(a.ofAnswers) - Number(b.ofAnswers),
  )) {
    reader = id;
    const again = await over(id);
    if ("outcome" in again && again.outcome === outcome) judged.add(id);
  }
  return { clean, server, verified, answers, rejudge, judged, readers };
}

/**
 * Finds the cases of a clean run that must run to know what a fault or variant changes. It answers all requests of the run in
 * turn, with a state of its own, and each answer is compared with the conforming receiver's. Where all that a case reads of the
 * answers is equal, it sends the same requests and comes out the same. Where some differs, its rule judges it again by the
 * build's answers. It comes out the same if that needs no other request and gives the same outcome.
 */
export async function casesToRun(build: ReceiverBuild, plain: Plain): Promise<ToRun> {
  const changed = whatIsChanged(build, plain.clean.profile, plain.server.profile);
  if (changed === "all") return changed;
  const named = build.kind === "fault" ? { faults: [build.name] } : { variants: [build.name] };
  const about = serverCases(changed, named, plain.server);
  if (about) return withReceiver(about, plain.clean);
  return receiverCases(build, changed, named, plain);
}

/** Cases of the authorization server, and those of the receiver, of which none must run. */
function withReceiver({ cases, toRun }: ServerCases, clean: CleanRun): SomeCases {
  const ofReceiver = clean.cases.filter(({ rule }) => areaOf(rule) !== SERVER);
  return { cases: [...cases, ...ofReceiver], toRun, judgedAgain: new Set() };
}

/** The cases that must run to know what a build of the receiver changes. */
async function receiverCases(
  build: ReceiverBuild,
  changed: WhatIsChanged,
  named: Named,
  plain: Plain,
): Promise<ToRun> {
  const { clean, judged } = plain;
  const described =
    typeof changed === "object" && "profile" in changed
      ? describedOtherwise(changed.profile, clean.report)
      : undefined;
  const own = await answersAgain({ jwks: JWKS, ...named }, clean.baseUrl, plain.verified);
  const found = await differing(own, plain);
  if (!found) return "all";
  const { answers, unknown } = found;
  const toRun = casesMarked([...clean.uncertain, ...unknown], clean.cases);
  for (const id of described?.added ?? []) toRun.add(id);
  // No other rule reads the document.
  if (changed === "document")
    for (const { id, rule } of clean.cases) if (areaOf(rule) === "document") toRun.add(id);
  const cases = clean.cases.filter(({ id }) => !described?.without.has(id));
  for (const id of described?.without ?? []) toRun.delete(id);
  const judgedAgain = new Set<string>();
  if (answers.size === 0 && !described) return { cases, toRun, judgedAgain };
  const touched = touchedBy(answers, plain);
  const rule = FAULTS.find(({ name }) => name === build.name)?.rule;
  const over = (described?.rejudge ?? plain.rejudge)(recordedAs(clean, answers));
  const known = new Set(clean.cases.map(({ id }) => id));
  for (const { id, outcome, rule: of, ofAnswers } of cases) {
    // Where there is no document, nothing can change for the rules about it.
    if (toRun.has(id) || areaOf(of) === "document") continue;
    if (!(described || touched.has(id) || ofAnswers)) continue;
    const again = judged.has(id) ? await over(id) : undefined;
    const isKnown = again && "outcome" in again;
    // What its own rule sees of a fault is shown by a run.
    if (isKnown && again.outcome === outcome && of !== rule) {
      judgedAgain.add(id);
      continue;
    }
    toRun.add(id);
    if (!isKnown || again.outcome === outcome) continue;
    // A rule about all answers sees those of the cases that run.
    const senders = again.probes.map((probe) => clean.report.exchanges[probe]?.caseId ?? id);
    for (const sender of senders) if (known.has(sender)) toRun.add(sender);
  }
  return { cases, toRun, judgedAgain };
}

/** The cases that read something of answers that are now otherwise, and those that cannot be judged again and may have read it. */
function touchedBy(
  answers: ReadonlyMap<number, WireAnswer>,
  { clean, answers: usual, judged, readers }: Plain,
): ReadonlySet<string> {
  const marks = new Set<string>();
  const accepted = new Set<string>();
  const touched = new Set<string>();
  for (const [at, answer] of answers) {
    const mark = clean.arrivals[at]?.caseId ?? "";
    const parts = differentParts(answer, usual[at]);
    marks.add(mark);
    // Whether a good request is accepted, many cases ask.
    if (parts.some((part) => part !== "body") && isControl(mark)) accepted.add(mark);
    const read = readers.get(clean.exchanges[at] ?? "");
    for (const part of parts) for (const id of read?.[part] ?? []) touched.add(id);
  }
  for (const id of casesMarked([...accepted], clean.cases)) touched.add(id);
  for (const id of casesMarked([...marks], clean.cases)) if (!judged.has(id)) touched.add(id);
  return touched;
}

function isControl(mark: string): boolean {
  return controlledOperation(mark) !== undefined;
}

/**
 * The answers that are not those of the conforming receiver, by the index of the request, and the `Conformance-Case` of those
 * that are not known.
 * @returns `undefined` where only a whole run can tell
 */
async function differing(
  answer: AnswersAgain,
  { clean, answers: expected }: Plain,
): Promise<
  | { readonly answers: ReadonlyMap<number, WireAnswer>; readonly unknown: readonly string[] }
  | undefined
> {
  const answers = new Map<number, WireAnswer>();
  const unknown: string[] = [];
  const began = performance.now();
  for (const [at, arrival] of clean.arrivals.entries()) {
    const usual = expected[at];
    const found = await answer(arrival);
    if (performance.now() - began > LONGEST_MS) return undefined;
    if (usual === undefined || isSame(found, usual)) continue;
    // What a write does on a route that only a server finds is not known.
    if (found === undefined && arrival.method !== "GET") return undefined;
    if (found === undefined || clean.exchanges[at] === undefined)
      unknown.push(arrival.caseId ?? "");
    else answers.set(at, found);
  }
  return { answers, unknown };
}

function isSame(found: WireAnswer | undefined, expected: WireAnswer): boolean {
  return found !== undefined && differentParts(found, expected).length === 0;
}

function differentParts(one: WireAnswer, other: WireAnswer | undefined): AnswerPart[] {
  const isOther = {
    status: one.status !== other?.status,
    headers: !isDeepStrictEqual(one.headers, other?.headers),
    body: String(one.payload) !== String(other?.payload),
  };
  return (["status", "headers", "body"] as const).filter((part) => isOther[part]);
}

/** Answers as a run would have recorded them, by the ids of their exchanges. */
function recordedAs(
  { report, exchanges, arrivals }: CleanRun,
  answers: Iterable<readonly [at: number, answer: WireAnswer | undefined]>,
): OtherAnswers {
  const recorded = new Map<string, NonNullable<Exchange["response"]>>();
  for (const [at, answer] of answers) {
    const id = exchanges[at];
    const before = id === undefined ? undefined : report.exchanges[id]?.response;
    if (id === undefined || !before || !answer) continue;
    const { status, headers, payload } = answer;
    const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
    recorded.set(id, {
      status,
      headers: { ...ofServer(before.headers), ...Object.fromEntries(own) },
      body: arrivals[at]?.method === "HEAD" ? "" : (payload?.toString() ?? ""),
      truncated: false,
    });
  }
  return recorded;
}

/** The fields that a server adds to any answer. */
const OF_SERVER: ReadonlySet<string> = new Set(["date", "connection", "keep-alive"]);

function ofServer(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => OF_SERVER.has(name)));
}

/** The cases that sent the marked requests, or share what sent them. */
function casesMarked(marks: Iterable<string>, cases: readonly RunCase[]): Set<string> {
  const ids = new Set(cases.map(({ id }) => id));
  const touched = new Set<string>();
  for (const mark of new Set(marks)) {
    if (ids.has(mark)) {
      touched.add(mark);
      continue;
    }
    // A control, or what several cases share: whoever is about the operation may rest on it.
    const operation = OPERATION_IDS.find((id) => mark.includes(id));
    for (const one of cases) {
      const isOne =
        mark === ""
          ? one.id.includes("-unmarked")
          : operation === undefined || one.operation === operation;
      if (isOne) touched.add(one.id);
    }
  }
  return touched;
}
