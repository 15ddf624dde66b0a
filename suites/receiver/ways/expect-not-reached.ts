import { atPointer } from "../../../src/lib/json-pointer.ts";
import { Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Attempt, Probe } from "../../../src/probe/probe.ts";
import { organizationId } from "../../../src/probe/read/shapes.ts";
import { describeReply, hungUp, reception } from "../../../src/probe/reception.ts";
import { shows } from "../../../src/probe/write/unique-marker.ts";
import { findValue, readBack, showsWrites } from "../effects/read-back.ts";

/** The finding where the answer does not decide and another case may write at the same time. */
export const UNDECIDED_BESIDE_WRITES: Finding = {
  kind: "inconclusive",
  retryAlone: true,
  reason: phrase`another case may have written at the same time`,
};

/**
 * Judges that a request did not reach an organization, whatever its answer. It is for requests that
 * are not exactly a route of the contract: a redirect is as good as a rejection, and a 2xx may be
 * about another thing.
 * @param attempt a changed request of an operation that shows or edits one organization
 * @param organization the organization that it must not reach
 */
export async function doesNotReach(
  probe: Probe,
  attempt: Attempt,
  organization: string,
): Promise<Finding> {
  const { reply, evidence, control } = attempt;
  const received = reception(reply);
  const reason = describeReply(reply);
  if (received === "rejected" || received === "redirected") return Finding.pass(evidence);
  // A server may fail on such a path, or close the connection.
  const failed = received === "broken" || hungUp(reply);
  if (!failed && received !== "accepted") return Finding.inconclusive(reason, evidence);
  if (control.operation.writes && probe.besideWrites) return UNDECIDED_BESIDE_WRITES;
  const finding = control.operation.writes
    ? await leavesAlone(probe, attempt, organization)
    : showsNothing(probe, attempt, organization);
  return failed && finding.kind === "inconclusive" ? Finding.pass(evidence, reason) : finding;
}

function showsNothing(probe: Probe, attempt: Attempt, organization: string): Finding {
  const { reply, evidence, control } = attempt;
  const pointer = probe.target.operations[control.operation.id]?.organization;
  const body = pointer === undefined ? reply.json() : atPointer(reply.json(), pointer);
  const shown = organizationId(body);
  const sameAsControl = reply.hasBody && reply.body === control.reply.body;
  if (shown === organization.toLowerCase() || sameAsControl) {
    return {
      kind: "fail",
      expected: phrase`the answer does not show the organization ${organization}`,
      actual: phrase`${describeReply(reply)}, and the answer shows it`,
      evidence,
    };
  }
  if (mentions(reply.body, organization)) {
    return Finding.inconclusive(phrase`the answer mentions the organization`, evidence);
  }
  // If the control's answer contains the id of its organization, an answer without the id shows
  // another thing.
  const own = control.place.organization;
  return own !== undefined && mentions(control.reply.body, own)
    ? Finding.pass(evidence, phrase`the answer does not mention the organization`)
    : Finding.inconclusive(phrase`answers do not say which organization they show`, evidence);
}

async function leavesAlone(
  probe: Probe,
  { reply, evidence }: Attempt,
  organization: string,
): Promise<Finding> {
  const sent = probe.seen.uniqueValues.filter(({ exchange }) => exchange === reply.exchange.id);
  const readings = await readBack(probe, organization);
  const found = findValue(readings, sent);
  if (found) {
    return {
      kind: "fail",
      expected: phrase`the organization ${organization} is not changed, whatever the answer`,
      actual: phrase`${describeReply(reply)}, and what was written is in ${found.reading.where}`,
      evidence: { ...evidence, probes: [...evidence.probes, found.reading.exchange] },
    };
  }
  return showsWrites(probe, readings)
    ? Finding.pass(evidence, phrase`nothing was written to the organization`)
    : Finding.inconclusive(
        phrase`${describeReply(reply)}, and writes cannot be seen in the organization or its feed`,
        evidence,
      );
}

function mentions(text: string, id: string): boolean {
  return shows({ body: text }, id);
}
