import { OPERATIONS, type OperationId } from "../../src/contract/operations.ts";
import { isObject } from "../../src/lib/json.ts";
import type { InvalidMutation } from "../../src/mutations/mutation.ts";
import {
  bodyConflicts,
  conflicts,
  morePathTricks,
  pathTricks,
} from "../../src/mutations/request/binding.ts";
import {
  boundElsewhere,
  boundNowhere,
  nullBinding,
  openBindings,
  privileged,
  rescues,
  unsetLookalikes,
  wrongTexts,
  wrongValues,
} from "../../src/mutations/token/binding.ts";
import {
  type MutationCase,
  casesOn,
  oneReadOneWrite,
  ORGANIZATION_OPERATIONS,
} from "../../src/probe/cases.ts";
import { doesNotReach } from "../../src/probe/expect-not-reached.ts";
import { acrossOrganizations, onceAcceptedAtHome } from "../../src/probe/reused.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { unmarked } from "../../src/probe/unmarked.ts";
import type { Target } from "../../src/profile/target.ts";

interface BindingCase extends MutationCase {
  /** The organization in the path. Default: the primary one. */
  readonly place?: "other";
}

const isRead = (id: OperationId): boolean => !OPERATIONS[id].writes;

export const rule: Rule = defineRule({
  id: "receiver.binding",
  title: "A token that is bound to another organization is rejected",
  level: "MUST",
  verifies: [
    "checks.binding",
    "organization.id-in-tokens",
    "authentication.scopes-and-binding-from-token",
    "scopes.no-organization",
    "binding.claim-name",
    "binding.present",
    "claims.org-id",
    "checks.any-failure-rejects",
    "rfc7519.unique-claims",
    "rfc7519.string-comparison",
  ],
  dependsOn: [
    "receiver.token-required/missing",
    "receiver.token-required/missing-unmarked",
    "receiver.isolation",
    "receiver.signature/repeated-claims",
  ],
  cases(target): BindingCase[] {
    const tail = oneReadOneWrite(target, ORGANIZATION_OPERATIONS);
    const withBody = tail.filter((id) => takesMembers(target, id));
    return [
      ...casesOn(ORGANIZATION_OPERATIONS, [boundElsewhere, boundNowhere]).map(needingOther),
      ...casesOn(ORGANIZATION_OPERATIONS, [nullBinding, ...unsetLookalikes, ...wrongTexts]),
      // A receiver that compares with one organization of its own would pass all of the above.
      ...casesOn(tail.filter(isRead), [boundElsewhere]).map((testCase): BindingCase => ({
        ...testCase,
        id: `primary-on-other@${testCase.operation}`,
        title: "the token is bound to the primary organization, the path names the other one",
        needs: ["claimsNamespace", "organizations.other"],
        place: "other",
      })),
      ...casesOn(tail, [...privileged, ...wrongValues, ...rescues, ...conflicts]),
      ...casesOn(withBody, bodyConflicts),
      ...casesOn(tail, pathTricks),
      ...casesOn(tail.filter(isRead), [...morePathTricks, ...openBindings, onceAcceptedAtHome]),
      ...unmarked(casesOn(tail.filter(isRead), [boundNowhere])),
    ];
  },
  async probe(probe, { mutation, place, operation }) {
    if (mutation === onceAcceptedAtHome) return acrossOrganizations(probe, operation);
    const { primary, other } = await probe.organizations();
    if (![...pathTricks, ...morePathTricks].includes(mutation)) {
      return probe.rejects(mutation, { bound: true, organization: place && other });
    }
    return doesNotReach(probe, await probe.attempt(mutation, { bound: true }), primary ?? "");
  },
});

function needingOther(testCase: MutationCase<InvalidMutation>): BindingCase {
  const { needs = [], mutation } = testCase;
  return mutation === boundElsewhere
    ? { ...testCase, needs: [...needs, "organizations.other"] }
    : testCase;
}

/** Whether members can be added to the body of a write. */
function takesMembers(target: Target, id: OperationId): boolean {
  return OPERATIONS[id].writes && isObject(target.operations[id]?.body);
}
