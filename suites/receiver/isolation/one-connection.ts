import { randomUUID } from "node:crypto";

import type { OperationId } from "../../../src/contract/operations.ts";
import {
  type InvalidMutation,
  type Mutation,
  signedAnew,
} from "../../../src/mutations/mutation.ts";
import { boundNowhere } from "../../../src/mutations/token/binding.ts";
import { Finding, withControl } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Probe } from "../../../src/probe/probe.ts";
import { describeReply, reception } from "../../../src/probe/reception.ts";
import { noCredentials } from "../../shared/mutations/credentials.ts";
import { otherScopes } from "../../shared/mutations/scope.ts";

/** What is sent after an accepted request, on its connection, and must be rejected. */
const REJECTED: readonly Mutation[] = [noCredentials, otherScopes];

/**
 * Judges that a connection keeps nothing of the token that it carried first: a request that is accepted after another one is
 * rejected on a connection of its own. A receiver that accepts it there too violates other rules.
 */
export async function onOneConnection(probe: Probe): Promise<Finding> {
  const shared = on(randomUUID());
  const first = await probe.attempt(shared({ ...signedAnew, name: "first" }));
  const { evidence } = first;
  if (reception(first.reply) !== "accepted") {
    return Finding.inconclusive(describeReply(first.reply), evidence);
  }
  const probes: string[] = [];
  for (const mutation of REJECTED) {
    const after = await probe.attempt(shared(mutation));
    probes.push(after.reply.exchange.id);
    if (reception(after.reply) !== "accepted") continue;
    const alone = await probe.attempt(on(randomUUID())(mutation));
    if (reception(alone.reply) !== "rejected") continue;
    const finding: Finding = {
      kind: "fail",
      expected: phrase`${describeReply(alone.reply)}, as on a connection of its own: ${mutation.what}`,
      actual: phrase`${describeReply(after.reply)} on a connection that has carried an accepted request`,
      evidence: {
        ...after.evidence,
        probes: [alone, after].map(({ reply }) => reply.exchange.id),
      },
    };
    return withControl(finding, first.reply.exchange.id);
  }
  return withControl(Finding.pass({ ...evidence, probes }), first.reply.exchange.id);
}

/** Sends a mutation that changes only the credentials on a connection of this name. */
function on(connection: string): (mutation: Mutation) => Mutation {
  return (mutation) => ({
    ...mutation,
    request: (spec) => ({ ...spec, connection }),
  });
}

const BOUND = { bound: true } as const;

/** A token for another organization on the connection of a write that was accepted. */
export const afterWrite: InvalidMutation = {
  ...boundNowhere,
  name: "after-write",
  what: "the token is bound to an organization that does not exist, and comes right after an accepted write, on its connection",
  refused: {
    ...boundNowhere.refused,
    why: "what one request may do follows from the token that it carries, whatever its connection has carried before",
  },
};

/**
 * Judges that a write leaves nothing behind on its connection by which later requests are let in, such as a session that
 * belongs to the write's organization. All other writes that should be accepted have connections of their own.
 * @param read what follows the write, before another write, which may again be let in
 */
export async function rejectsAfterWrite(
  probe: Probe,
  write: OperationId,
  read: OperationId,
): Promise<Finding> {
  const shared = on(randomUUID());
  const good = shared({ ...signedAnew, name: "write" });
  const sent = await probe.attempt(good, { ...BOUND, operation: write, purpose: "wanted" });
  if (reception(sent.reply) !== "accepted") {
    return Finding.inconclusive(describeReply(sent.reply), sent.evidence);
  }
  const first = await probe.rejects(shared(afterWrite), { ...BOUND, operation: read });
  const finding =
    first.kind === "pass"
      ? await probe.rejects(shared(afterWrite), { ...BOUND, operation: write })
      : first;
  return withControl(finding, sent.reply.exchange.id);
}
