import { type Mutation, signedAnew } from "../../../src/mutations/mutation.ts";
import { binding } from "../../../src/mutations/token/binding.ts";
import { Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Attempt, AttemptOptions, Probe } from "../../../src/probe/probe.ts";
import { describeReply, reception } from "../../../src/probe/reception.ts";
import { withoutBinding } from "../../shared/mutations/valid-variations.ts";

/** How often an answer must follow the request before it, so that this is no accident. */
const TIMES = 3;

const own: Mutation = { ...signedAnew, name: "own" };

/**
 * Judges that what an unbound token may do does not follow from the token of the request before it: each time it is
 * accepted after a bound token of the same organization, and refused after a bound token of another one. Code that keeps
 * the binding of a request in a thread, and forgets to clear it, behaves like this.
 */
export async function afterAnother(probe: Probe): Promise<Finding> {
  const other = await probe.organization("other");
  const { form } = await probe.control("viewOrganization");
  if (!form.bound) return Finding.notApplicable(phrase`no bound token is accepted`);
  const send = (mutation: Mutation, options: AttemptOptions = {}): Promise<Attempt> =>
    probe.attempt(mutation, { operation: "viewOrganization", ...options });
  for (let times = 1; ; times++) {
    const between = await send(boundToOrganization, { organization: other });
    const afterOther = await send(withoutBinding);
    if (reception(between.reply) !== "accepted") {
      return Finding.notApplicable(
        phrase`no token bound to the other organization is accepted there`,
      );
    }
    const { evidence } = afterOther;
    if (reception(afterOther.reply) !== "rejected") return Finding.pass(evidence);
    await send(own);
    const afterOwn = await send(withoutBinding);
    if (reception(afterOwn.reply) !== "accepted") return Finding.pass(evidence);
    if (times < TIMES) continue;
    return {
      kind: "fail",
      expected: phrase`an unbound token gets the same answer, whichever token came before it`,
      actual: phrase`after a token bound to the same organization it is accepted, and after one bound to another organization it is answered ${describeReply(afterOther.reply)}, ${TIMES} times in turn`,
      evidence: {
        ...evidence,
        probes: [afterOwn, afterOther].map(({ reply }) => reply.exchange.id),
      },
      certainty: "many",
    };
  }
}

/** A token bound to the organization in the path, where the control's is another one. */
export const boundToOrganization: Mutation = {
  name: "bound-to-other",
  what: "the token is bound to the other organization, which the path names",
  token: binding(({ organization }) => organization),
  asks: ({ organization }) => ({ organization }),
};
