import {
  OPERATION_IDS,
  type OperationId,
  OPERATIONS,
  SCOPES,
} from "../../src/contract/operations.ts";
import { besideOthers, custom, oneRead, oneReadOneWrite, rejects } from "../../src/probe/cases.ts";
import type { Evidence, Finding } from "../../src/probe/finding.ts";
import { type Phrase, phrase, valueFact } from "../../src/probe/phrase.ts";
import { defineRule, type Rule, type RuleCase } from "../../src/probe/rule.ts";
import type { Facts } from "../../src/profile/facts.ts";
import {
  malformedScopes,
  onlyScope,
  openScopes,
  otherScopes,
  regexDot,
  respelledScopes,
  scopeGaps,
  scopeGuesses,
  scopeLookAlikes,
  scopePatterns,
  scopesElsewhere,
} from "../shared/mutations/scope.ts";
import { rejectsInCapitals } from "./ways/claim-names.ts";
import { hidesOnRespelledPaths } from "./ways/near-routes.ts";
import { rejectsWithoutChange } from "./ways/no-change.ts";
import { READS_TOKENS, rejectsInOtherWays } from "./ways/other-ways.ts";
import { rejectsOverriddenScope } from "./ways/overridden.ts";
import { rejectsReplayed } from "./ways/replayed.ts";
import { acrossOperations, onceAcceptedElsewhere } from "./ways/reused.ts";
import { rejectsTwin } from "./ways/twins.ts";
import { rejectsTwoCredentials, rejectsTwoSubjects } from "./ways/two-credentials.ts";
import { rejectsWithinSkew } from "./ways/within-skew.ts";

/** The sentence of the contract that names the scope of each operation. */
const REQUIRED: Readonly<Record<OperationId, string>> = {
  listOrganizations: "endpoints.list-organizations.scope",
  viewOrganization: "endpoints.view-organization.scope",
  editOrganization: "endpoints.edit-organization.scope",
  submitChange: "endpoints.submit-change.scope",
  readChangesFeed: "endpoints.read-changes-feed.scope",
  readChange: "endpoints.read-change.scope",
};

export const rule: Rule = defineRule({
  id: "receiver.scope",
  title: "A token without the scope that the operation requires is rejected",
  level: "MUST",
  verifies: [
    "checks.scope",
    "endpoints.token-and-scope",
    ...Object.values(REQUIRED),
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
  dependsOn: READS_TOKENS,
  cases: (facts) => casesOf(facts).map(withRequiredScope),
});

function withRequiredScope(one: RuleCase): RuleCase {
  const { operation, requirement, judge } = one;
  if (operation === undefined) return one;
  return {
    ...one,
    requirement: requirement ?? REQUIRED[operation],
    judge: async (probe) => withScopes(await judge(probe), operation),
  };
}

/** A failure that says which scope was required, and which ones the token had. */
function withScopes(finding: Finding, operation: OperationId): Finding {
  if (finding.kind !== "fail") return finding;
  const { expected, evidence } = finding;
  const required = phrase`${expected}: ${operation} requires ${OPERATIONS[operation].scope}`;
  return { ...finding, expected: phrase`${required}${hadScope(evidence)}` };
}

/** The scopes that the token had, as far as they differ from those of the good token. */
function hadScope(evidence: Evidence | undefined): Phrase {
  for (const one of evidence?.differences ?? []) {
    if (one.part !== "claim" || one.name !== "scope") continue;
    return one.probe === undefined
      ? phrase`, the token has no scope`
      : phrase`, the token has ${valueFact(JSON.stringify(one.probe))}`;
  }
  return phrase``;
}

function casesOf(facts: Facts): RuleCase[] {
  return [
    ...rejects(OPERATION_IDS, [otherScopes]),
    // Before the others, because few accepted writes are sent, and these tell which scope a route takes.
    ...OPERATION_IDS.flatMap((operation) =>
      rejects(
        [operation],
        SCOPES.filter((scope) => scope !== OPERATIONS[operation].scope).map(onlyScope),
      ),
    ),
    ...rejects(OPERATION_IDS, scopeGaps),
    ...rejects(oneReadOneWrite(facts), scopeGuesses),
    ...rejects(oneRead(facts), [...scopeLookAlikes, ...scopePatterns]),
    ...rejectsInCapitals(facts, "scope"),
    ...rejects(oneRead(facts), [
      ...malformedScopes,
      ...scopesElsewhere,
      ...respelledScopes,
      ...openScopes,
    ]),
    ...rejects(["readChangesFeed", "submitChange"], [regexDot]),
    ...custom(oneReadOneWrite(facts), [onceAcceptedElsewhere], acrossOperations).map(besideOthers),
    ...rejectsTwin(
      oneRead(facts).filter((id) => !OPERATIONS[id].writes),
      otherScopes,
    ),
    ...rejectsInOtherWays(facts, otherScopes),
    ...rejectsWithoutChange(facts, otherScopes),
    ...hidesOnRespelledPaths(otherScopes),
    ...rejectsOverriddenScope(facts),
    ...rejectsTwoCredentials(facts),
    ...rejectsTwoSubjects(facts),
    ...rejectsWithinSkew(facts, oneRead(facts), otherScopes),
    ...rejectsReplayed(facts, otherScopes),
  ];
}
