import { OPERATIONS, type OperationId } from "../../../src/contract/operations.ts";
import { boundElsewhere, boundNowhere } from "../../../src/mutations/token/binding.ts";
import type { Attempt, AttemptOptions, Fixture } from "../../../src/probe/probe.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import type { CheckMutation } from "../mutations/one-each.ts";
import { oneForEachCheck } from "../mutations/one-each.ts";

/** The mutations for an operation, one for each receiver check, that the profile makes possible. */
export function checkMutationsOn(facts: Facts, id: OperationId): CheckMutation[] {
  const { organization } = OPERATIONS[id];
  // No authorization server issues a token for an organization that does not exist.
  const all = oneForEachCheck.map((one) =>
    facts.issued && one.mutation === boundNowhere ? { ...one, mutation: boundElsewhere } : one,
  );
  return all.filter(
    ({
      mutation: {
        refused: { check },
      },
    }) => {
      if (check === "binding") return organization && facts.bindingClaim !== undefined;
      return (
        check !== "policy" || (organization && (facts.denied?.operations.includes(id) ?? false))
      );
    },
  );
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
