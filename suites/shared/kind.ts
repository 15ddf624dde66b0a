import type { OperationId } from "../../src/contract/operations.ts";
import { endCase, Finding } from "../../src/probe/finding.ts";
import { type Phrase, phrase } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { reception } from "../../src/probe/reception.ts";
import type { OperationProfile } from "../../src/profile/operation.ts";

/**
 * Ensures that an operation accepts a bound, or an unbound, token where a case is about that kind.
 * @throws CaseEnd (not applicable) where it accepts only the other kind; where it accepts none, or no client gets
 * such a token, with the reason
 */
export async function requireKind(
  probe: Probe,
  operation: OperationId,
  bound: boolean,
): Promise<void> {
  const found = await probe.tryControl(operation, { bound });
  if ("control" in found) return;
  await probe.control(operation);
  if (found.refusal.finding.kind === "not-provisioned") endCase(found.refusal.finding);
  doesNotApply(phrase`the operation accepts no ${bound ? "bound" : "unbound"} token`);
}

/** Ends the case as not applicable. */
export function doesNotApply(reason: Phrase): never {
  endCase(Finding.notApplicable(reason));
}

/** Why no list is shown to bound tokens; `undefined` where one is. */
export async function boundUnlisted(
  probe: Probe,
  { operation }: { readonly operation: OperationId },
): Promise<Finding | undefined> {
  const control = await probe.tryControl(operation, { bound: true });
  if (!("refusal" in control)) return undefined;
  const { finding, reply } = control.refusal;
  return reply && reception(reply) === "rejected"
    ? Finding.notApplicable(phrase`bound tokens may not list`)
    : finding;
}

/**
 * What the profile says of an operation.
 * @throws CaseEnd (not applicable) where the operation is not offered
 */
export function offered({ target }: Probe, operation: OperationId): OperationProfile {
  return target.operations[operation] ?? doesNotApply(phrase`${operation} is not offered`);
}
