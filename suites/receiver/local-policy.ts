import { OPERATION_IDS, type OperationId } from "../../src/contract/operations.ts";
import type { InvalidMutation } from "../../src/mutations/mutation.ts";
import {
  deniedSubject,
  deniedSubjectAllScopes,
  deniedSubjectOtherCase,
} from "../../src/mutations/token/policy.ts";
import { doesNotReach } from "../../src/probe/expect-not-reached.ts";
import { doubtAbout } from "../../src/probe/read/denied.ts";
import { requireKind } from "../../src/probe/read/kind.ts";
import { acrossPolicies, onceAllowed } from "../../src/probe/reused.ts";
import type { RuleCase } from "../../src/probe/rule-case.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { unmarked } from "../../src/probe/unmarked.ts";

interface PolicyCase extends RuleCase {
  readonly operation: OperationId;
  readonly bound: boolean;
  readonly mutation: InvalidMutation;
}

export const rule: Rule = defineRule({
  id: "receiver.local-policy",
  title: "What local policy forbids is answered with 403, however good the token",
  level: "MUST",
  verifies: [
    "checks.local-policy-status",
    "checks.any-failure-rejects",
    "checks.unbound",
    "checks.local-policy",
    "errors.kind.forbidden",
    "errors.policy-forbids",
    "rfc9110.forbidden",
  ],
  dependsOn: [
    "receiver.token-required/missing",
    "receiver.token-required/missing-unmarked",
    "receiver.isolation",
  ],
  cases: ({ denied }) => {
    const forbidden = OPERATION_IDS.filter((id) => denied?.operations.includes(id) ?? true);
    return [
      ...forbidden.flatMap((operation) => [
        caseOf("bound", operation, true, deniedSubject),
        caseOf("unbound", operation, false, deniedSubject),
      ]),
      ...forbidden
        .filter((operation) => operation === "viewOrganization")
        .flatMap((operation) => [
          caseOf("all-scopes", operation, false, deniedSubjectAllScopes),
          caseOf("other-case", operation, false, deniedSubjectOtherCase),
          caseOf("once-allowed", operation, false, onceAllowed),
          ...unmarked([caseOf("unbound", operation, false, deniedSubject)]),
        ]),
    ];
  },
  async probe(probe, { bound, operation, mutation }) {
    if (mutation === onceAllowed) return acrossPolicies(probe, operation);
    const organization = probe.target.denied?.organization ?? "";
    await requireKind(probe, operation, bound);
    if (mutation !== deniedSubjectOtherCase) {
      return probe.rejects(mutation, {
        bound,
        organization,
        status: 403,
        doubt: (attempt) => doubtAbout(probe, attempt),
      });
    }
    // No route of the contract to the letter: 404 is as good.
    const attempt = await probe.attempt(mutation, { bound, organization });
    const finding = await doesNotReach(probe, attempt, organization);
    if (finding.kind !== "pass") return finding;
    const plain = await probe.attempt(deniedSubject, { bound, organization });
    return (await doubtAbout(probe, plain)) ?? finding;
  },
});

function caseOf(
  name: string,
  operation: OperationId,
  bound: boolean,
  mutation: InvalidMutation,
): PolicyCase {
  return {
    id: `${name}@${operation}`,
    title: `${bound ? "a bound token" : "an unbound token"}: ${mutation.what}`,
    operation,
    needs: ["denied", ...(bound ? (["claimsNamespace"] as const) : [])],
    bound,
    mutation,
  };
}
