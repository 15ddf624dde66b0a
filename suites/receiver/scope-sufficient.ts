import { OPERATION_IDS, type Scope, SCOPES } from "../../src/contract/operations.ts";
import type { Mutation } from "../../src/mutations/mutation.ts";
import { casesOn, oneRead } from "../../src/probe/cases.ts";
import { afterOtherOperation, onceRefusedElsewhere } from "../../src/probe/reused.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";

/** Puts the required scope at a place among the others. */
function among(
  name: string,
  place: (required: Scope, others: readonly Scope[]) => Scope[],
): Mutation {
  return {
    name,
    what: `the required scope stands ${name} in \`scope\``,
    claims: (_draft, { operation: { scope } }) => ({
      scope: place(
        scope,
        SCOPES.filter((other) => other !== scope),
      ).join(" "),
    }),
  };
}

const alone = among("alone", (required) => [required]);
const positions = [
  alone,
  among("first", (required, others) => [required, ...others]),
  among("middle", (required, [head, ...tail]) => [head as Scope, required, ...tail]),
  among("last", (required, others) => [...others, required]),
];
const amongForeign: Mutation & { level: "SHOULD" } = {
  name: "among-foreign",
  what: "the required scope stands among scopes of other services",
  level: "SHOULD",
  claims: (_draft, { operation }) => ({ scope: `openid ${operation.scope} offline_access` }),
};

export const rule: Rule = defineRule({
  id: "receiver.scope-sufficient",
  title: "The required scope is enough, alone or anywhere among others",
  level: "MUST",
  verifies: [
    "checks.scope",
    "endpoints.list-organizations.scope",
    "endpoints.view-organization.scope",
    "endpoints.edit-organization.scope",
    "endpoints.submit-change.scope",
    "endpoints.read-changes-feed.scope",
    "endpoints.read-change.scope",
    "scopes.no-organization",
    "scopes.org-read",
    "scopes.org-write",
    "scopes.org-changes-read",
    "scopes.org-changes-write",
    "scopes.independent",
    "claims.scope",
    "rfc6749.scope",
  ],
  dependsOn: ["receiver.isolation"],
  cases: (target) => [
    ...casesOn(OPERATION_IDS, positions),
    ...casesOn(oneRead(target), [amongForeign, onceRefusedElsewhere]),
  ],
  async probe(probe, { mutation, operation }) {
    if (mutation === onceRefusedElsewhere) return afterOtherOperation(probe, operation);
    const found = await probe.tryControl(operation);
    if (mutation === alone && "control" in found && found.control.form.scopes === "required") {
      const { exchange } = found.control;
      return { kind: "pass", evidence: { probes: [exchange], controls: [exchange] } };
    }
    return probe.accepts(mutation);
  },
});
