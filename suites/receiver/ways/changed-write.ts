import type { OperationId } from "../../../src/contract/operations.ts";
import type { InvalidMutation, Mutation } from "../../../src/mutations/mutation.ts";
import { Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Attempt, Probe } from "../../../src/probe/probe.ts";
import { describeReply, reception } from "../../../src/probe/reception.ts";
import { type CheckOptions, near, rejectOptions, unlessServed } from "./check-options.ts";

/** Statuses that are about a body or its media type, and not about a token. */
const ABOUT_THE_BODY = new Set([400, 409, 411, 412, 413, 415, 422, 428]);

/**
 * Judges that a check is made for a write that is good and yet another one than the usual good write. A violation needs a
 * good token whose request, changed in the same way, is accepted too. It is sent only where the bad one was accepted,
 * because accepted writes are limited. Where the write is refused for its body, it shows nothing about the check.
 */
export function rejectsChanged(
  probe: Probe,
  operation: OperationId,
  mutation: InvalidMutation,
  change: Mutation,
  options: CheckOptions,
): Promise<Finding> {
  const { doubt, ...where } = rejectOptions(probe, options);
  return probe.rejects(near(mutation, change), {
    ...where,
    async doubt(attempt) {
      return (
        (await doubt?.(attempt)) ??
        unlessAboutTheToken(attempt) ??
        (reception(attempt.reply) === "accepted"
          ? unlessGoodIsServed(probe, operation, change, options)
          : undefined)
      );
    },
  });
}

function unlessAboutTheToken({ reply, evidence }: Attempt): Finding | undefined {
  const received = reception(reply);
  const isRefusedOtherwise =
    received === "redirected" || received === "broken" || ABOUT_THE_BODY.has(reply.status);
  if (!isRefusedOtherwise) return undefined;
  const reason = phrase`it is not accepted, and the answer is not about the token: ${describeReply(reply)}`;
  return Finding.notApplicable(reason, evidence);
}

/** Why a good token does not show that such a write is good; `undefined` where it is accepted. */
async function unlessGoodIsServed(
  probe: Probe,
  operation: OperationId,
  change: Mutation,
  { bound }: CheckOptions,
): Promise<Finding | undefined> {
  const sent = await probe.tryAttempt(change, { operation, bound, purpose: "further" });
  if ("finding" in sent) return sent.finding;
  const { reply } = sent.attempt;
  const refused = phrase`the same with a good token is refused: ${describeReply(reply)}`;
  return unlessServed(sent.attempt, refused);
}
