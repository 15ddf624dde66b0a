import { UNAVAILABLE } from "../../../src/http/statuses.ts";
import {
  type JudgedError,
  judgeErrorBody,
  owesErrorBody,
} from "../../../src/probe/errors/error-record.ts";
import { Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Fixture, Probe, Provoked } from "../../../src/probe/probe.ts";
import { describeReply, hungUp, reception } from "../../../src/probe/reception.ts";
import type { RuleCase } from "../../../src/probe/rule.ts";
import type { NoToken } from "../../../src/probe/token-source.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import { type OddRequest, oddRequests, QUOTED } from "./odd-requests.ts";

/** A requirement that the answers to odd requests must meet, if they are errors. */
export interface OddRequirement {
  readonly expected: string;
  /** What is wrong with an answer; `undefined` if nothing is. */
  readonly problem: (answer: JudgedError) => string | undefined;
}

/** A case for each odd request, named `<request>@<operation>`. Each is sent once for all rules. */
export function onOddRequests(rule: string, facts: Facts, requirement: OddRequirement): RuleCase[] {
  return oddRequests(facts).map((odd) => ({
    id: `${odd.mutation.name}@${odd.operation}`,
    title: `an error has an Error body, even if ${odd.mutation.what}`,
    operation: odd.operation,
    mutation: odd.mutation,
    level: odd.level,
    // What is wrong with all errors of the operation says nothing about this request.
    dependsOn: [`${rule}/${odd.operation}`],
    grounds: {
      why: "every 4xx and 5xx carries the Error body, whoever in the receiver answers",
      source: "contract, Errors; RFC 9110 §15",
    },
    control: { bracket: "before" as const },
    judge: (probe) => judge(probe, odd, requirement),
  }));
}

function answerTo({ mutation, operation, unbound }: OddRequest): Fixture<Provoked | NoToken> {
  return {
    name: `${mutation.name}@${operation}`,
    scope: "run",
    async setup(probe) {
      const sent = await probe.provoke(mutation, unbound ? { bound: false } : {});
      if ("reply" in sent) sent.reply.keep();
      return sent;
    },
  };
}

async function judge(
  probe: Probe,
  odd: OddRequest,
  { expected, problem }: OddRequirement,
): Promise<Finding> {
  const sent = await probe.use(answerTo(odd));
  if ("lacking" in sent) return sent.lacking;
  const { reply, evidence } = sent;
  const said = describeReply(reply);
  const { status } = reply;
  // Whether a connection may be lost is another question. A gateway answers some statuses.
  if (hungUp(reply)) return Finding.notApplicable(said, evidence);
  if (
    reception(reply) === "unclear" &&
    (status < 400 || UNAVAILABLE.has(status) || status === 429)
  ) {
    return Finding.inconclusive(said, evidence);
  }
  if (!owesErrorBody(status)) return Finding.observed(said, evidence);
  const judged = judgeErrorBody(reply);
  const wrong = judged.cut ? undefined : problem(judged);
  if (odd.level === "OBSERVE") {
    return Finding.observed(phrase`${said}${wrong === undefined ? "" : `: ${wrong}`}`, evidence);
  }
  if (wrong === undefined) return Finding.pass(evidence, said);
  const isJson = /json/i.test(judged.contentType ?? "");
  if (odd.mayBeFront && !isJson && !reply.body.includes(QUOTED)) {
    return Finding.observed(
      phrase`${said}: ${wrong}, and a server in front may have answered`,
      evidence,
    );
  }
  return {
    kind: "fail",
    expected: phrase`${expected}`,
    actual: phrase`${said}: ${wrong}`,
    evidence,
  };
}
