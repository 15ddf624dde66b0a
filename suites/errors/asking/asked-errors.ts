import { OPERATIONS, type OperationId } from "../../../src/contract/operations.ts";
import type { Mutation } from "../../../src/mutations/mutation.ts";
import { together } from "../../../src/probe/case-end.ts";
import { judgeErrorBody, owesErrorBody } from "../../../src/probe/errors/error-record.ts";
import type { Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Probe, Provoked } from "../../../src/probe/probe.ts";
import { describeReply, reception } from "../../../src/probe/reception.ts";
import { type Provocation, provocations } from "../../shared/provocations.ts";
import { haveErrors } from "../../shared/recorded-errors.ts";
import { asked, type Asking } from "./error-asking.ts";

/** Error answers that no other rule requests. The rule that requests one also judges it. */

const EXPECTED = phrase`a 4xx with an Error body`;

/**
 * Judges that an operation's errors have an Error body for a given `Accept` field. If errors already
 * lack it with the suite's own `Accept`, the finding is inconclusive, because another rule reports
 * that.
 */
export async function judgeAsked(
  probe: Probe,
  operation: OperationId,
  asking: Asking,
): Promise<Finding> {
  const { request, operations } = probe.target;
  if ([request.headers, operations[operation]?.headers ?? {}].some((one) => "accept" in one)) {
    return { kind: "not-applicable", reason: phrase`the profile sets Accept itself` };
  }
  await haveErrors(probe, operation);
  const usual = probe.seen.errors.filter((answer) => answer.operation === operation);
  const lacking = usual.filter(({ problems, cut }) => problems.length > 0 && !cut);
  if (lacking.length > 0) {
    const reason = phrase`${lacking.length} of ${usual.length} errors of ${operation} have no Error body with the usual Accept`;
    return { kind: "inconclusive", reason };
  }
  const sendings = refusals(probe, operation).map(([mutation, options]) =>
    probe.provoke(asked(mutation, asking), options),
  );
  const sendingsDone = await together(sendings);
  const answered = sendingsDone.filter((sent) => "reply" in sent);
  const seen = answered.filter(({ reply }) => ["rejected", "broken"].includes(reception(reply)));
  const wrong = seen.filter(({ reply }) => problemOf(reply) !== undefined);
  const [first] = wrong;
  if (first) {
    const { reply, evidence } = first;
    const problem = problemOf(reply);
    const times = seen.length > 1 ? phrase`; ${wrong.length} of ${seen.length} such answers` : "";
    return {
      kind: "fail",
      expected: EXPECTED,
      actual: phrase`${describeReply(reply)}: ${problem}${times}`,
      evidence,
    };
  }
  const [sent] = seen;
  if (sent) return { kind: "pass", evidence: sent.evidence };
  const unsent = sendingsDone.find((one) => "lacking" in one);
  return (
    unsent?.lacking ?? {
      kind: "inconclusive",
      reason: phrase`no error answer of ${operation} to judge was seen`,
    }
  );
}

/** All provocations of a read. Of a write, the one without credentials and one more. */
function refusals(probe: Probe, operation: OperationId): readonly Provocation[] {
  const all = provocations(probe, operation);
  if (!OPERATIONS[operation].writes) return all;
  const [first, ...others] = all;
  // A write that the receiver is known to accept has no error, and uses up one of the run's writes.
  const last = others.findLast(([one]) => !probe.seen.wasAccepted(operation, one.name));
  return last ? [first, last] : [first];
}

/** Judges that a refusal has an Error body. Where `mayBeAccepted`, acceptance is observed. */
export async function judgeProvoked(
  probe: Probe,
  mutation: Mutation,
  mayBeAccepted: boolean,
): Promise<Finding> {
  const sent = await probe.provoke(mutation);
  if ("lacking" in sent) return sent.lacking;
  const { reply, evidence } = sent;
  const said = describeReply(reply);
  // Other rules judge redirects. This one judges errors.
  if (["unclear", "redirected"].includes(reception(reply))) {
    return { kind: "inconclusive", reason: said, evidence };
  }
  if (reception(reply) === "accepted" && mayBeAccepted) {
    return { kind: "observed", value: said, evidence };
  }
  const problem = problemOf(reply);
  if (problem === undefined) return { kind: "pass", reason: said, evidence };
  return { kind: "fail", expected: EXPECTED, actual: phrase`${said}: ${problem}`, evidence };
}

/** Observes the answer of the application, or of a server in front of it. */
export async function observeProvoked(probe: Probe, mutation: Mutation): Promise<Finding> {
  const sent = await probe.provoke(mutation);
  if ("lacking" in sent) return sent.lacking;
  const { reply, evidence } = sent;
  const isError = reply.status >= 400 && judgeErrorBody(reply).problems.length === 0;
  const body = reply.status < 400 ? "" : isError ? ", an Error body" : ", no Error body";
  return { kind: "observed", value: phrase`${describeReply(reply)}${body}`, evidence };
}

function problemOf(reply: Provoked["reply"]): string | undefined {
  if (reply.status < 400) return "not refused";
  if (!owesErrorBody(reply.status)) return undefined;
  const { problems, cut } = judgeErrorBody(reply);
  return cut || problems.length === 0 ? undefined : problems.join("; ");
}
