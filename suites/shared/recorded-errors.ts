import { OPERATION_IDS, type OperationId, OPERATIONS } from "../../src/contract/operations.ts";
import { SECOND_TRIES, tryAgain } from "../../src/http/second-tries.ts";
import { countEach, groupBy } from "../../src/lib/group-by.ts";
import type { Mutation } from "../../src/mutations/mutation.ts";
import {
  type ErrorAnswer,
  type JudgedError,
  judgeErrorBody,
  owesErrorBody,
} from "../../src/probe/errors/error-record.ts";
import { Finding, optional } from "../../src/probe/finding.ts";
import {
  countFact,
  type Fact,
  listFact,
  type Phrase,
  phrase,
  tallyFact,
} from "../../src/probe/phrase.ts";
import type { AttemptOptions, Probe } from "../../src/probe/probe.ts";
import { describeReply } from "../../src/probe/reception.ts";
import type { RuleCase } from "../../src/probe/rule.ts";
import { toldFact } from "../../src/probe/told-exchange.ts";
import { WRITE_LIMIT_REACHED } from "../../src/probe/write/not-sent.ts";
import { noCredentials } from "./mutations/credentials.ts";
import { notJson, unknownOrganization } from "./mutations/requests.ts";
import { otherScopes } from "./mutations/scope.ts";

/** A requirement that error answers must meet. */
export interface ErrorRequirement {
  readonly expected: string;
  /** The answers that the requirement applies to. Default: all. */
  readonly applies?: (answer: JudgedError) => boolean;
  /** What is wrong with an answer; `undefined` when nothing is. */
  readonly problem: (answer: JudgedError) => string | undefined;
}

interface Wrong {
  readonly problem: string;
  readonly answers: readonly ErrorAnswer[];
}

/** This many wrong answers need no confirmation, whether they have one problem or several. */
const MANY = 3;
/** The most kinds of wrong answers that a report lists. */
const MOST_KINDS = 3;

/** A case for each operation, about all its error answers. */
export function onRecordedErrors(requirement: ErrorRequirement): RuleCase[] {
  return OPERATION_IDS.map((operation) => ({
    id: operation,
    operation,
    judge: (probe) => judgeRecordedErrors(probe, operation, requirement),
  }));
}

/**
 * Judges every error answer of an operation in the run by one requirement. First requests the errors
 * that no rule has requested yet; see `provocations`. A violation that few answers showed is confirmed by
 * repeating one of the requests.
 */
export async function judgeRecordedErrors(
  probe: Probe,
  operation: OperationId,
  requirement: ErrorRequirement,
): Promise<Finding> {
  await haveErrors(probe, operation);
  const { applies = () => true, problem } = requirement;
  const answers = ofOperation(probe, operation).filter((answer) => !answer.cut && applies(answer));
  if (answers.length === 0) {
    return Finding.inconclusive(phrase`no error answer of ${operation} to judge was seen`);
  }
  const wrong: readonly Wrong[] = [...groupBy(answers, problem)]
    .map(([one, ofKind]) => ({ problem: one, answers: ofKind }))
    .toSorted((a, b) => b.answers.length - a.answers.length);
  if (wrong.length === 0) {
    const probes = answers.slice(0, 1).map(({ exchange }) => exchange);
    return Finding.pass({ probes }, phrase`${counted(answers.length)}`);
  }
  if (probe.confirming) {
    const doubt = await unlessSeenAgain(wrong, problem, probe);
    if (doubt) return doubt;
  }
  return {
    kind: "fail",
    expected: phrase`${requirement.expected}`,
    actual: phrase`${describe(wrong, answers.length)}`,
    ...(countAll(wrong) >= MANY && { certainty: "many" }),
    evidence: {
      probes: wrong.slice(0, MOST_KINDS).flatMap((one) => one.answers[0]?.exchange ?? []),
    },
  };
}

/**
 * Sends, once in a run, the requests that usually cause an error, except those that a rule has sent
 * already, and writes that are known to be accepted.
 */
export async function haveErrors(probe: Probe, operation: OperationId): Promise<void> {
  if (probe.confirming) return;
  await probe.use({
    name: `errors of ${operation}`,
    scope: "run",
    setup: (shared) => provokeErrors(shared, operation),
  });
}

function ofOperation(probe: Probe, operation: OperationId): ErrorAnswer[] {
  return probe.seen.errors.filter((answer) => answer.operation === operation);
}

async function provokeErrors(probe: Probe, operation: OperationId): Promise<void> {
  const { writes } = OPERATIONS[operation];
  const sent = new Set(ofOperation(probe, operation).map(({ mutation }) => mutation));
  for (const [mutation, options] of provocations(probe, operation)) {
    if (sent.has(mutation.name) || (writes && probe.seen.wasAccepted(operation, mutation.name)))
      continue;
    const attempt = await optional(probe.attempt(mutation, options));
    if (!attempt && options === undefined) await probe.provoke(mutation);
  }
}

/**
 * Repeats the latest request of each kind until an answer is wrong again.
 * @returns why nothing is confirmed, or `undefined` where it is
 */
async function unlessSeenAgain(
  wrong: readonly Wrong[],
  problemOf: ErrorRequirement["problem"],
  { wait }: Pick<Probe, "wait">,
): Promise<Finding | undefined> {
  let doubt: Finding | undefined = Finding.pass();
  for (const { answers } of wrong) {
    const latest = answers.toSorted((a, b) => a.arrived - b.arrived).at(-1);
    doubt = await tryAgain<Finding | undefined>(
      SECOND_TRIES.oneAnswer,
      doubt,
      (last) => last !== undefined,
      async (last) => {
        const reply = await latest?.again();
        if (!reply) return WRITE_LIMIT_REACHED;
        if (!owesErrorBody(reply.status)) return Finding.inconclusive(describeReply(reply));
        return problemOf(judgeErrorBody(reply)) === undefined ? last : undefined;
      },
      wait,
    );
    if (!doubt) return undefined;
  }
  return doubt;
}

function describe(wrong: readonly Wrong[], judged: number): Phrase {
  const count = countAll(wrong);
  const told = wrong
    .slice(0, MOST_KINDS)
    .map(
      ({ problem, answers }) => phrase`${problem}, with ${statuses(answers)}${example(answers)}`,
    );
  const more = wrong.length - told.length;
  const kinds = more > 0 ? [...told, phrase`and ${more} more kinds of answers`] : told;
  return phrase`${count} of ${counted(judged)}: ${listFact(kinds, "; ")}`;
}

/** The first of these answers, by which a reader finds them. */
function example([first]: readonly ErrorAnswer[]): Phrase {
  return first ? phrase`, for example ${toldFact(first)}` : phrase``;
}

function countAll(wrong: readonly Wrong[]): number {
  return wrong.reduce((sum, { answers }) => sum + answers.length, 0);
}

function statuses(answers: readonly ErrorAnswer[]): Fact {
  return tallyFact(countEach(answers.map(({ status }) => String(status))));
}

function counted(answers: number): Fact {
  return countFact(answers, "error answer");
}

/** A request that usually causes an error, and how it differs from other requests of the case. */
export type Provocation = readonly [
  mutation: Mutation,
  options?: Pick<AttemptOptions, "organization" | "level">,
];

/**
 * The requests of an operation that usually cause an error, each in another part of the receiver: without
 * credentials, without the scope, for an organization that does not exist, with a body that is not JSON.
 * The one without credentials is the first.
 */
export function provocations(
  probe: Pick<Probe, "uuid">,
  operation: OperationId,
): readonly [Provocation, ...Provocation[]] {
  const { organization, writes } = OPERATIONS[operation];
  const further: Provocation[] = [];
  // Only a SHOULD says that it has to be rejected, so it takes no write from cases of a MUST.
  if (writes) further.push([notJson, { level: "SHOULD" }]);
  else if (organization) {
    further.push([unknownOrganization, { organization: probe.uuid("organization") }]);
  }
  return [[noCredentials], [otherScopes], ...further];
}
