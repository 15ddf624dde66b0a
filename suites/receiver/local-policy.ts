import { OPERATION_IDS, type OperationId } from "../../src/contract/operations.ts";
import { doesNotReach } from "../../src/probe/reached.ts";
import { defineRule, type Rule, type RuleCase } from "../../src/probe/rule.ts";
import {
  deniedSubject,
  deniedSubjectAllScopes,
  deniedSubjectOtherCase,
} from "../../src/tokens/breakages/policy.ts";
import type { Breakage } from "../../src/tokens/change.ts";

interface PolicyCase extends RuleCase {
  readonly operation: OperationId;
  readonly bound: boolean;
  readonly change: Breakage;
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
  dependsOn: ["receiver.token-required/missing"],
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
        ]),
    ];
  },
  async probe(probe, { bound, operation, change }) {
    const { denied } = probe.target;
    if (!denied) return { kind: "missing", keys: ["denied"] };
    const { organization } = denied;
    const found = await probe.tryControl(operation, { bound });
    if ("refusal" in found && "control" in (await probe.tryControl(operation))) {
      const kind = bound ? "bound" : "unbound";
      return {
        kind: "inapplicable",
        reason: `no ${kind} token is accepted there in the first place`,
      };
    }
    if (change !== deniedSubjectOtherCase) {
      return probe.rejects(change, { bound, organization, status: 403 });
    }
    // No route of the contract to the letter: 404 is as good.
    const result = await probe.tryAttempt(change, { bound, organization });
    return "finding" in result ? result.finding : doesNotReach(probe, result.attempt, organization);
  },
});

function caseOf(
  name: string,
  operation: OperationId,
  bound: boolean,
  change: Breakage,
): PolicyCase {
  return {
    id: `${name}@${operation}`,
    title: `${bound ? "a bound token" : "an unbound token"}: ${change.what}`,
    operation,
    needs: ["denied", ...(bound ? ["claimsNamespace"] : [])],
    bound,
    change,
  };
}
