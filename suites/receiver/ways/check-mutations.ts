import { type OperationId, OPERATIONS } from "../../../src/contract/operations.ts";
import type { InvalidMutation } from "../../../src/mutations/mutation.ts";
import { otherAudience } from "../../../src/mutations/token/audience.ts";
import { boundElsewhere, boundNowhere } from "../../../src/mutations/token/binding.ts";
import { expired } from "../../../src/mutations/token/expiry.ts";
import { untrustedIssuer } from "../../../src/mutations/token/issuer.ts";
import { deniedSubject } from "../../../src/mutations/token/policy.ts";
import { forgedSignature } from "../../../src/mutations/token/signature.ts";
import type { Attempt, AttemptOptions, Fixture } from "../../../src/probe/probe.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import { otherScopes } from "../../shared/mutations/scope.ts";

/** A receiver check's name, and the simplest mutation that fails only that check. */
export interface CheckMutation {
  readonly name: string;
  readonly mutation: InvalidMutation;
}

/** One mutation for each receiver check, in the contract's order. */
export const oneForEachCheck: readonly CheckMutation[] = [
  forgedSignature,
  untrustedIssuer,
  otherAudience,
  expired,
  otherScopes,
  boundNowhere,
  deniedSubject,
].map((mutation) => ({ name: mutation.refused.check, mutation }));

/** The mutations for an operation, one for each receiver check, that the profile makes possible. */
export function checkMutationsOn(facts: Facts, id: OperationId): CheckMutation[] {
  const { organization } = OPERATIONS[id];
  // No authorization server issues a token for an organization that does not exist.
  const all = oneForEachCheck.map((one) =>
    facts.issued && one.mutation === boundNowhere ? { ...one, mutation: boundElsewhere } : one,
  );
  return all.filter(({ mutation }) => {
    const { check } = mutation.refused;
    if (check === "binding") return organization && facts.bindingClaim !== undefined;
    return check !== "policy" || (organization && (facts.denied?.operations.includes(id) ?? false));
  });
}

/**
 * The control in which mutations of these checks take effect: a bound token for the binding, the
 * denied organization for the policy.
 */
export function placeFor(facts: Facts, ...mutations: readonly CheckMutation[]): AttemptOptions {
  const checks = mutations.map(({ mutation }) => mutation.refused.check);
  return {
    ...(checks.includes("binding") && { bound: true }),
    ...(checks.includes("policy") && { organization: facts.denied?.organization }),
  };
}

/** The answer to one fault alone on an operation, which several cases compare with others. */
export function faultAlone(fault: CheckMutation, operation: OperationId): Fixture<Attempt> {
  return {
    name: `${fault.name} alone@${operation}`,
    scope: "run",
    async setup(probe) {
      const attempt = await probe.attempt(fault.mutation, {
        ...placeFor(probe.target, fault),
        operation,
      });
      attempt.reply.keep();
      return attempt;
    },
  };
}
