import { randomUUID } from "node:crypto";

import { type Mutation, signedAnew } from "../../../src/mutations/mutation.ts";
import { type Finding, withControl } from "../../../src/probe/finding.ts";
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
    return { kind: "inconclusive", reason: describeReply(first.reply), evidence };
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
  return withControl({ kind: "pass", evidence: { ...evidence, probes } }, first.reply.exchange.id);
}

/** Sends a mutation that changes only the credentials on a connection of this name. */
function on(connection: string): (mutation: Mutation) => Mutation {
  return (mutation) => ({
    ...mutation,
    request: (spec) => ({ ...spec, connection }),
  });
}
