import type { Reply } from "../http/exchange.ts";
import { type InvalidMutation, unchanged } from "../mutations/mutation.ts";
import type { Target } from "../profile/target.ts";
import { custom, type JudgedCase } from "./cases.ts";
import { type CheckOptions, rejectOptions } from "./check-options.ts";
import { WITHOUT_WRITES } from "./entity-tag.ts";
import type { Finding } from "./finding.ts";
import { phrase, valueFact } from "./phrase.ts";
import type { Attempt, Probe } from "./probe.ts";
import { describeReply, reception } from "./reception.ts";
import { isRecognisable, shows } from "./write/unique-marker.ts";

/**
 * The body of a rejection. An exception may carry the record that it is about, and an error handler may write it into the
 * body: then the request is rejected, and the organization is shown.
 */

const operation = "viewOrganization";

/**
 * A case for a mutation whose rejection must not show what the organization shows to a good token,
 * `<mutation>-body@viewOrganization`. The organization is recognised by an edit of this run.
 */
export function hidesInRejection(
  target: Target,
  mutation: InvalidMutation,
  options: CheckOptions = {},
): JudgedCase[] {
  const hidden: InvalidMutation = {
    ...mutation,
    name: `${mutation.name}-body`,
    what: `${mutation.what}; the body of the rejection`,
  };
  const edits = target.operations.editOrganization && isRecognisable(target, "editOrganization");
  return custom([operation], [hidden], async (probe): Promise<Finding> => {
    const { form } = await probe.control(operation, { bound: options.bound });
    const where = { ...rejectOptions(probe, options), bound: form.bound };
    const good = await probe.attempt(unchanged, {
      bound: form.bound,
      organization: where.organization,
    });
    const rejected = await probe.attempt(mutation, where);
    return judge(probe, good.reply, rejected);
  }).map((one) => ({
    ...one,
    ...WITHOUT_WRITES,
    sends: 2,
    judgesWriteOf: "editOrganization" as const,
    inapplicable: edits ? undefined : "no edit of the organization can be recognised",
  }));
}

function judge({ uniqueValues }: Probe, good: Reply, { reply, evidence: sent }: Attempt): Finding {
  const actual = describeReply(reply);
  const evidence = { ...sent, controls: [...(sent.controls ?? []), good.exchange.id] };
  const received = reception(reply);
  if (received === "unclear") return { kind: "inconclusive", reason: actual, evidence };
  if (received !== "rejected") {
    return { kind: "not-applicable", reason: phrase`${actual}, which is not a rejection` };
  }
  const edits = uniqueValues.filter(
    (one) => one.operation === "editOrganization" && reception(one) === "accepted",
  );
  const seen = edits.filter(({ value }) => shows(good, value));
  if (seen.length === 0) {
    return { kind: "not-applicable", reason: phrase`no edit shows in the organization` };
  }
  const shown = seen.find(({ value }) => shows(reply, value));
  if (!shown) return { kind: "pass", evidence };
  return {
    kind: "fail",
    expected: phrase`a rejection that shows nothing of the organization`,
    actual: phrase`${actual}, and the body shows ${valueFact(shown.value)}, an edit of the organization`,
    evidence,
    // No other edit has this value, so one answer is proof.
    certainty: "proof",
  };
}
