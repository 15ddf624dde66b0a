import { randomUUID } from "node:crypto";

import type { OperationId } from "../../../src/contract/operations.ts";
import {
  type InvalidMutation,
  type Mutation,
  signedAnew,
} from "../../../src/mutations/mutation.ts";
import { boundNowhere } from "../../../src/mutations/token/binding.ts";
import { type Finding, withControl } from "../../../src/probe/finding.ts";
import type { Probe } from "../../../src/probe/probe.ts";
import { describeReply, reception } from "../../../src/probe/reception.ts";

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
  const connection = randomUUID();
  const on = <Kind extends Mutation>(mutation: Kind): Kind => ({
    ...mutation,
    request: (spec) => ({ ...spec, connection }),
  });
  const good = on({ ...signedAnew, name: "write" });
  const sent = await probe.attempt(good, { ...BOUND, operation: write, purpose: "wanted" });
  if (reception(sent.reply) !== "accepted") {
    return { kind: "inconclusive", reason: describeReply(sent.reply), evidence: sent.evidence };
  }
  const first = await probe.rejects(on(afterWrite), { ...BOUND, operation: read });
  const finding =
    first.kind === "pass"
      ? await probe.rejects(on(afterWrite), { ...BOUND, operation: write })
      : first;
  return withControl(finding, sent.reply.exchange.id);
}
