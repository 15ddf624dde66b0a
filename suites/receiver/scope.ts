import { OPERATION_IDS, OPERATIONS, SCOPES } from "../../src/contract/operations.ts";
import { besideOthers, custom, oneRead, oneReadOneWrite, rejects } from "../../src/probe/cases.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import {
  malformedScopes,
  openScopes,
  otherScopes,
  regexDot,
  scopeGaps,
  scopeGuesses,
  scopeLookAlikes,
  scopePatterns,
  scopesElsewhere,
  singleScopes,
} from "../shared/mutations/scope.ts";
import { rejectsInCapitals } from "./ways/claim-names.ts";
import { hidesOnRespelledPaths } from "./ways/near-routes.ts";
import { rejectsInOtherWays } from "./ways/other-ways.ts";
import { rejectsOverriddenScope } from "./ways/overridden.ts";
import { acrossOperations, onceAcceptedElsewhere } from "./ways/reused.ts";
import { rejectsTwin } from "./ways/twins.ts";

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
    "receiver.isolation/side-by-side",
  ],
  cases: (facts) => [
    ...rejects(OPERATION_IDS, [otherScopes, ...scopeGaps]),
    ...OPERATION_IDS.flatMap((operation) =>
      rejects(
        [operation],
        SCOPES.filter((scope) => scope !== OPERATIONS[operation].scope).map(
          (scope) => singleScopes[scope],
        ),
      ),
    ),
    ...rejects(oneReadOneWrite(facts), scopeGuesses),
    ...rejects(oneRead(facts), [...scopeLookAlikes, ...scopePatterns]),
    ...rejectsInCapitals(facts, "scope"),
    ...rejects(oneRead(facts), [...malformedScopes, ...scopesElsewhere, ...openScopes]),
    ...rejects(["readChangesFeed", "submitChange"], [regexDot]),
    ...custom(oneReadOneWrite(facts), [onceAcceptedElsewhere], (probe, { operation }) =>
      acrossOperations(probe, operation),
    ).map(besideOthers),
    ...rejectsTwin(
      oneRead(facts).filter((id) => !OPERATIONS[id].writes),
      otherScopes,
    ),
    ...rejectsInOtherWays(facts, otherScopes),
    ...hidesOnRespelledPaths(otherScopes),
    ...rejectsOverriddenScope(facts),
  ],
});
