import { Finding } from "./finding.ts";
import { phrase } from "./phrase.ts";
import type { Attempt } from "./probe.ts";
import { describeReply, hungUp, reception } from "./reception.ts";

/** A changed request and its answer, as far as they are judged. */
type JudgedAttempt = Pick<Attempt, "reply" | "evidence" | "onContractRoute">;

/** The finding where the contract is silent: the answer itself. */
export function observation({ reply, evidence }: JudgedAttempt): Finding {
  return Finding.observed(describeReply(reply), evidence);
}

/**
 * Judges the answer to a request that must be rejected.
 * @param status the only status that counts as a rejection; default: see `reception`
 * @param isTimed whether the answer depends on the time of the request, so that one acceptance proves
 * nothing
 */
export function rejection(
  attempt: JudgedAttempt,
  status: number | undefined,
  isTimed: boolean,
): Finding {
  const { reply, evidence } = attempt;
  const actual = describeReply(reply);
  const expected =
    status === undefined
      ? phrase`the request is rejected with a 4xx`
      : phrase`exactly ${{ kind: "answer", status }}`;
  const received = reception(reply);
  if (hungUp(reply) && !attempt.onContractRoute) return Finding.pass(evidence, actual);
  if (received === "unclear") return Finding.inconclusive(actual, evidence);
  if (status === undefined ? received === "rejected" : reply.status === status) {
    return Finding.pass(evidence);
  }
  const failed = { kind: "fail", expected, actual, evidence } as const;
  if (received === "accepted" && !isTimed) return { ...failed, certainty: "proof" };
  // A receiver that fails lets nobody in, and the contract does not say how to refuse. So this is at
  // most a SHOULD.
  return received === "broken" && status === undefined ? { ...failed, atMost: "SHOULD" } : failed;
}

/** Judges the answer to a request that must be accepted as its control was. */
export function acceptance({ reply, evidence }: JudgedAttempt): Finding {
  const actual = describeReply(reply);
  const received = reception(reply);
  if (received === "unclear") return Finding.inconclusive(actual, evidence);
  if (received === "accepted") return Finding.pass(evidence);
  const expected = phrase`the request is accepted with a 2xx, as its control is`;
  return { kind: "fail", expected, actual, evidence, comparative: true };
}
