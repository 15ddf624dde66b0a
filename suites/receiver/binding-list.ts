import type { Finding } from "../../src/probe/finding.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { listedOrganizations } from "../../src/probe/shapes.ts";

const operation = "listOrganizations";

export const rule: Rule = defineRule({
  id: "receiver.binding-list",
  title: "The list shows a bound token at most its own organization",
  level: "MUST",
  dependsOn: ["receiver.token-required/missing"],
  cases: () =>
    (["primary", "other"] as const).map((place) => ({
      id: `${place}@${operation}`,
      title: `the list for a token that is bound to the ${place} organization`,
      operation,
      needs: ["claimsNamespace"],
      place,
    })),
  async probe(probe, { place }): Promise<Finding> {
    const own = (await probe.organizations())[place];
    if (!own) return { kind: "missing", keys: [`organizations.${place}`] };
    const result = await probe.attempt({
      name: "bound",
      what: "the token is bound to one organization",
      claims: { [probe.target.bindingClaim ?? ""]: own },
    });
    if ("finding" in result) return result.finding;
    const { reply, evidence } = result.attempt;
    const actual = describeReply(reply);
    const expected = `at most the organization ${own}, or a rejection`;
    switch (reception(reply)) {
      case "rejected":
        return { kind: "holds", reason: "bound tokens may not list", evidence };
      case "unclear":
        return { kind: "undecided", reason: actual, evidence };
      case "redirected":
        return { kind: "violated", expected, actual, evidence };
      case "broken":
        return { kind: "violated", expected, actual, evidence, atMost: "SHOULD" };
      case "accepted":
    }
    const listed = listedOrganizations(reply.json(), probe.target.operations[operation]);
    if (!listed) {
      const reason = "no organization can be recognised in the list";
      return { kind: "undecided", reason, evidence };
    }
    const foreign = listed.filter((id) => id !== own.toLowerCase());
    return foreign.length === 0
      ? { kind: "holds", evidence }
      : { kind: "violated", expected, actual: `the list shows ${foreign.length} more`, evidence };
  },
});
