import type { OperationId } from "../contract/operations.ts";
import { noCredentials } from "../tokens/breakages/credentials.ts";
import { type ErrorAnswer, judgeErrorBody, owesErrorBody } from "./error-record.ts";
import type { Finding } from "./finding.ts";
import type { Probe } from "./probe.ts";
import { describeReply } from "./reception.ts";

type Judged = Pick<ErrorAnswer, "problems" | "bodyStatus" | "contentType" | "status">;

export interface ErrorRequirement {
  readonly expected: string;
  /** Which answers the requirement speaks of. Default: all. */
  readonly applies?: (answer: Judged) => boolean;
  /** What is wrong with an answer, or `undefined` when nothing is. */
  readonly problem: (answer: Judged) => string | undefined;
}

/**
 * Judges every error answer that the run has had from an operation by one requirement.
 * Where it has had none, a request without credentials provokes one.
 * A violation is confirmed by sending the request that showed it again.
 */
export async function judgeRecordedErrors(
  probe: Probe,
  operation: OperationId,
  requirement: ErrorRequirement,
): Promise<Finding> {
  const applies = requirement.applies ?? (() => true);
  const seen = (): ErrorAnswer[] =>
    probe.errors.filter(
      (answer) => answer.operation === operation && !answer.cut && applies(answer),
    );
  if (seen().length === 0) await probe.provoke(noCredentials);
  const answers = seen();
  if (answers.length === 0) {
    return { kind: "undecided", reason: `no error answer of ${operation} to judge was seen` };
  }
  const bad = answers.find((answer) => requirement.problem(answer) !== undefined);
  if (!bad) {
    const probes = answers.slice(0, 1).map(({ exchange }) => exchange);
    return { kind: "holds", reason: counted(answers.length), evidence: { probes } };
  }
  return probe.confirming
    ? judgeAgain(bad, requirement)
    : violation(bad, bad.exchange, requirement);
}

async function judgeAgain(bad: ErrorAnswer, requirement: ErrorRequirement): Promise<Finding> {
  const reply = await bad.again();
  if (!owesErrorBody(reply.status)) return { kind: "undecided", reason: describeReply(reply) };
  const judged = judgeErrorBody(reply);
  return requirement.problem(judged) === undefined
    ? { kind: "holds" }
    : violation(judged, reply.exchange.id, requirement);
}

function violation(answer: Judged, exchange: string, requirement: ErrorRequirement): Finding {
  return {
    kind: "violated",
    expected: requirement.expected,
    actual: `${answer.status}: ${requirement.problem(answer)}`,
    evidence: { probes: [exchange] },
  };
}

function counted(answers: number): string {
  return answers === 1 ? "1 error answer" : `${answers} error answers`;
}
