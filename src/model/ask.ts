import { type CheckName, CHECK_NAMES, CHECKS, type Checks, PART_OF } from "./checks.ts";
import type { Known } from "./known.ts";
import {
  type Binding,
  type Fails,
  fails,
  type Gap,
  type Open,
  type Outcome,
  type Part,
  type Passes,
} from "./outcome.ts";
import type { Question } from "./question.ts";
import type { AskedRequest } from "./request.ts";
import { type Reading, readingsOf } from "./route.ts";
import type { AskedToken } from "./token.ts";

/** A check that fails, and what it belongs to. */
export interface Failure extends Omit<Fails, "is"> {
  readonly check: CheckName | "route";
  readonly part: Part;
}

/** What the contract says to a request. */
export type Answer =
  | {
      readonly says: "rejected";
      /** That of its strongest failure. */
      readonly level: Binding;
      /** Every check that fails, in the contract's order. */
      readonly by: readonly [Failure, ...Failure[]];
      /** Where the contract names it; see Errors, rule 1. */
      readonly status?: 403 | undefined;
    }
  | {
      readonly says: "accepted";
      readonly level: Binding;
      /** Id of the least binding sentence that it rests on. */
      readonly sentence: string;
    }
  | {
      readonly says: "open";
      /** What leaves it open: the first gap. */
      readonly gap: Gap;
      /** The check that it was met in. */
      readonly check: CheckName | "route";
    };

/**
 * Says what the contract says to one request. It is a pure function of its arguments.
 * @param token the token that `TOKEN` stands for in the request; `undefined` where it carries none
 * @param checks the contract's own; others answer as a receiver would that makes these checks in their place
 */
export function ask(
  known: Known,
  request: AskedRequest,
  token: AskedToken | undefined,
  checks: Checks = CHECKS,
): Answer {
  const questions = readingsOf(request, known).map((reading) => ({
    known,
    request,
    reading,
    token,
  }));
  return together(
    questions.map((question) => answerTo(question, (name) => checks[name](question))),
    request,
  );
}

/**
 * Tells how a deployment answers one request that is asked about many times, each time with other checks in place of some of the contract's.
 * What the contract's own checks say is found once. Of answers that differ only in reasons and gaps, it has the first.
 */
export function asker(
  deployment: Known,
  request: AskedRequest,
  token: AskedToken | undefined,
): (checks: Partial<Checks>) => Answer {
  const questions = readingsOf(request, deployment).map((reading) => {
    const question: Question = { known: deployment, request, reading, token };
    const right = new Map<CheckName, Outcome | undefined>();
    const rightly = (name: CheckName): Outcome | undefined => {
      if (!right.has(name)) right.set(name, CHECKS[name](question));
      return right.get(name);
    };
    return { question, rightly };
  });
  const answerBy = (checks: Partial<Checks>): Answer =>
    together(
      questions.map(({ question, rightly }) =>
        answerTo(question, (name) => {
          const wrong = checks[name];
          return wrong && wrong !== CHECKS[name] ? wrong(question) : rightly(name);
        }),
      ),
      request,
    );
  const known = new Map<string, Answer>();
  return (checks) => {
    const key = questions
      .map(({ question }) =>
        Object.entries(checks).map(([name, wrong]) => `${name} ${kindOf(wrong(question))}`),
      )
      .join();
    const answer = known.get(key) ?? answerBy(checks);
    known.set(key, answer);
    return answer;
  };
}

/** What of an outcome the answer depends on, apart from the words in it. */
function kindOf(outcome: Outcome | undefined): string {
  if (outcome === undefined) return "";
  return outcome.is === "open" ? outcome.is : `${outcome.is} ${outcome.level}`;
}

function together(answers: readonly Answer[], request: AskedRequest): Answer {
  const [first, ...others] = answers;
  if (!first) return noRoute(request);
  // However it is understood, it must be rejected.
  const rejected = answers.flatMap((one) => (one.says === "rejected" ? [one] : []));
  if (rejected.length === answers.length) return weakest(rejected) ?? first;
  return others.length === 0 ? first : (answers.find(({ says }) => says === "open") ?? NEAR);
}

const NEAR: Answer = {
  says: "open",
  gap: { what: "near a route", sentence: "endpoints.relative" },
  check: "route",
};
const METHODS: readonly string[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

function noRoute({ method }: AskedRequest): Answer {
  const failure = fails("errors.kind.not-found", "no such route");
  if (!METHODS.includes(method)) return NEAR;
  return {
    says: "rejected",
    level: "SHOULD",
    by: [{ ...failure, level: "SHOULD", check: "route", part: "request" }],
  };
}

type Rejected = Extract<Answer, { says: "rejected" }>;

function weakest(rejected: readonly Rejected[]): Rejected | undefined {
  return rejected.find(({ level }) => level === "SHOULD") ?? rejected[0];
}

function answerTo(
  { reading }: Question,
  outcomeOf: (name: CheckName) => Outcome | undefined,
): Answer {
  const said = CHECK_NAMES.flatMap((name) => {
    const outcome = outcomeOf(name);
    return outcome ? [{ name, outcome }] : [];
  });
  const [failure, ...more] = said.flatMap(({ name, outcome }): Failure[] =>
    outcome.is === "fails" ? [failureOf(name, outcome, reading)] : [],
  );
  const gap = said.find(({ outcome }) => outcome.is === "open");
  if (failure) return rejectedBy([failure, ...more], reading.matches === "exactly" && !gap);
  if (gap) return { says: "open", gap: (gap.outcome as Open).gap, check: gap.name };
  if (reading.matches !== "exactly") return NEAR;
  const weak = said.find(({ outcome }) => (outcome as Passes).level === "SHOULD");
  return weak
    ? { says: "accepted", level: "SHOULD", sentence: (weak.outcome as Passes).sentence }
    : { says: "accepted", level: "MUST", sentence: sentenceOf(reading) };
}

/** The answer to HEAD shows nothing, so that its rejection is only advice. */
function failureOf(
  check: CheckName,
  { level, sentence, reason }: Fails,
  { matches }: Reading,
): Failure {
  return {
    check,
    part: PART_OF[check],
    level: matches === "head" ? "SHOULD" : level,
    sentence,
    reason,
  };
}

/** @param isCertain whether nothing is open that could be a reason to reject it with another status */
function rejectedBy(by: readonly [Failure, ...Failure[]], isCertain: boolean): Rejected {
  const level = by.some((one) => one.level === "MUST") ? "MUST" : "SHOULD";
  const isForbidden = isCertain && by.every(({ check }) => check === "policy");
  return { says: "rejected", level, by, ...(isForbidden && { status: 403 }) };
}

/** The row of the table "Endpoints": `endpoints.view-organization`. */
function sentenceOf({ operation }: Reading): string {
  return `endpoints.${operation.id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
