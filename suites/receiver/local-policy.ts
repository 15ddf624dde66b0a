import { OPERATION_IDS } from "../../src/contract/operations.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";

export const rule: Rule = defineRule({
  id: "receiver.local-policy",
  title: "What local policy forbids is answered with 403, however good the token",
  level: "MUST",
  dependsOn: ["receiver.token-required/missing"],
  cases: ({ denied }) =>
    OPERATION_IDS.filter((id) => denied?.operations.includes(id) ?? true).flatMap((operation) =>
      [true, false].map((bound) => ({
        id: `${bound ? "bound" : "unbound"}@${operation}`,
        title: `a good ${bound ? "bound" : "unbound"} token of a subject that may not act there`,
        operation,
        needs: ["denied", ...(bound ? ["claimsNamespace"] : [])],
        bound,
      })),
    ),
  async probe(probe, { bound, operation }) {
    const { denied, subject } = probe.target;
    if (!denied) return { kind: "missing", keys: ["denied"] };
    const change = {
      name: "denied",
      what: `${denied.subject === subject ? "the" : "another subject on a"} denied organization`,
      claims: { sub: denied.subject },
    };
    const found = await probe.control(operation, { bound });
    if ("refusal" in found && "control" in (await probe.control(operation))) {
      const kind = bound ? "bound" : "unbound";
      return {
        kind: "inapplicable",
        reason: `no ${kind} token is accepted there in the first place`,
      };
    }
    return probe.rejects(change, { bound, organization: denied.organization, status: 403 });
  },
});
