import type { Finding } from "../../../src/probe/finding.ts";
import { phrase, valueFact } from "../../../src/probe/phrase.ts";
import type { Probe } from "../../../src/probe/probe.ts";
import { describeReply } from "../../../src/probe/reception.ts";
import { FEWEST, submissions } from "./submissions.ts";

const tooFew: Finding = {
  kind: "not-applicable",
  reason: phrase`the run has submitted fewer than three changes`,
};

/**
 * Judges that none of the run's accepted submissions is lost: it is in the feed, or readable by the id in its answer.
 * A deployment may remove older changes, replace them by newer ones, or show none before a review. So a submission is lost
 * only if one before it and one after it can be found.
 */
export async function noneLost(probe: Probe): Promise<Finding> {
  const { accepted, found, lost, probes } = await probe.use(submissions);
  if (accepted.length < FEWEST) return tooFew;
  if (lost) {
    const { one, attempt } = lost;
    return {
      kind: "fail",
      expected: phrase`every accepted submission is in the feed, or readable by the id in its answer`,
      actual: phrase`${valueFact(one.value)} is not in the feed, and reading it is answered ${describeReply(attempt.reply)}, although a submission before it and one after it can be found`,
      evidence: { ...attempt.evidence, probes: [one.exchange, ...probes] },
      certainty: "many",
    };
  }
  return found.length === 0
    ? { kind: "not-applicable", reason: phrase`no submission of the run can be found` }
    : { kind: "pass", evidence: { probes } };
}

/**
 * Judges that the feed omits no submission that is readable by its id, if it lists one before it and one after it. A
 * deployment may list changes only after a review, but it reviews what the suite submits alike.
 */
export async function noneLeftOut(probe: Probe): Promise<Finding> {
  const { accepted, leftOut, probes } = await probe.use(submissions);
  if (accepted.length < FEWEST) return tooFew;
  if (!leftOut) return { kind: "pass", evidence: { probes } };
  const { one, attempt } = leftOut;
  return {
    kind: "fail",
    expected: phrase`the feed lists a submission that is readable by its id, as it lists those before and after it`,
    actual: phrase`no page of the feed shows ${valueFact(one.value)}, which is readable by its id, although submissions before and after it are listed`,
    evidence: { ...attempt.evidence, probes: [one.exchange, ...probes] },
    certainty: "many",
  };
}
