import { OPERATION_IDS, OPERATIONS, SCOPES } from "../../src/contract/operations.ts";
import { inCapitals } from "../../src/mutations/token/claim-names.ts";
import {
  malformedScopes,
  openScopes,
  otherScopes,
  regexDot,
  scopeGaps,
  scopeGuesses,
  scopeLookAlikes,
  scopesElsewhere,
  singleScopes,
} from "../../src/mutations/token/scope.ts";
import { casesOn, oneRead, oneReadOneWrite } from "../../src/probe/cases.ts";
import { rejectsInCapitals } from "../../src/probe/claim-names.ts";
import { acrossOperations, onceAcceptedElsewhere } from "../../src/probe/reused.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { unmarked } from "../../src/probe/unmarked.ts";

const capitals = inCapitals("scope");

export const rule: Rule = defineRule({
  id: "receiver.scope",
  title: "A token without the scope that the operation requires is rejected",
  level: "MUST",
  verifies: [
    "checks.scope",
    "endpoints.token-and-scope",
    "endpoints.list-organizations.scope",
    "endpoints.view-organization.scope",
    "endpoints.edit-organization.scope",
    "endpoints.submit-change.scope",
    "endpoints.read-changes-feed.scope",
    "endpoints.read-change.scope",
    "authentication.scopes-and-binding-from-token",
    "scopes.org-read",
    "scopes.org-write",
    "scopes.org-changes-read",
    "scopes.org-changes-write",
    "scopes.independent",
    "claims.scope",
    "checks.any-failure-rejects",
    "rfc6749.scope",
  ],
  dependsOn: [
    "receiver.token-required/missing",
    "receiver.token-required/missing-unmarked",
    "receiver.isolation",
  ],
  cases: (target) => [
    ...casesOn(OPERATION_IDS, [otherScopes, ...scopeGaps]),
    ...OPERATION_IDS.flatMap((operation) =>
      casesOn(
        [operation],
        SCOPES.filter((scope) => scope !== OPERATIONS[operation].scope).map(
          (scope) => singleScopes[scope],
        ),
      ),
    ),
    ...casesOn(oneReadOneWrite(target), scopeGuesses),
    ...casesOn(oneRead(target), [
      ...scopeLookAlikes,
      capitals,
      ...malformedScopes,
      ...scopesElsewhere,
      ...openScopes,
    ]),
    ...casesOn(["readChangesFeed", "submitChange"], [regexDot]),
    ...casesOn(oneReadOneWrite(target), [onceAcceptedElsewhere]),
    ...unmarked(casesOn(oneRead(target), [otherScopes])),
  ],
  probe(probe, { mutation, operation }) {
    if (mutation === capitals) return rejectsInCapitals(probe, "scope");
    if (mutation === onceAcceptedElsewhere) return acrossOperations(probe, operation);
    return probe.rejects(mutation);
  },
});
