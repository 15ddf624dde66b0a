import type { Reply } from "../http/exchange.ts";
import type { Evidence, Finding } from "./finding.ts";
import { phrase } from "./phrase.ts";
import { describeReply, hungUp, reception } from "./reception.ts";

/** A changed request and its answer, as far as they are judged. */
interface JudgedAttempt {
  readonly reply: Reply;
  readonly evidence: Evidence;
  /** Whether the application alone can have answered. */
  readonly onContractRoute: boolean;
}

/** What is found of an answer where the contract says nothing: the answer. */
export function observation({ reply, evidence }: JudgedAttempt): Finding {
  return { kind: "observed", value: describeReply(reply), evidence };
}

/**
 * What is found of the answer to a request that had to be rejected.
 * @param status the only status that counts as rejection; default: any that `reception` takes for one
 * @param isTimed the answer depends on when the request is sent, so that to be accepted once proves nothing
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
  if (hungUp(reply) && !attempt.onContractRoute) return { kind: "pass", reason: actual, evidence };
  if (received === "unclear") return { kind: "inconclusive", reason: actual, evidence };
  if (status === undefined ? received === "rejected" : reply.status === status) {
    return { kind: "pass", evidence };
  }
  const failed = { kind: "fail", expected, actual, evidence } as const;
  if (received === "accepted" && !isTimed) return { ...failed, certainty: "proof" };
  // A receiver that breaks lets nobody in; the contract does not say how it has to refuse.
  return received === "broken" && status === undefined ? { ...failed, atMost: "SHOULD" } : failed;
}

/** What is found of the answer to a request that had to be accepted, as its control was. */
export function acceptance({ reply, evidence }: JudgedAttempt): Finding {
  const actual = describeReply(reply);
  const received = reception(reply);
  if (received === "unclear") return { kind: "inconclusive", reason: actual, evidence };
  if (received === "accepted") return { kind: "pass", evidence };
  const expected = phrase`the request is accepted with a 2xx, as its control is`;
  return { kind: "fail", expected, actual, evidence, comparative: true };
}
