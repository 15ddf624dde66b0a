import { type OperationId, OPERATIONS } from "../../src/contract/operations.ts";
import { isObject } from "../../src/lib/json.ts";
import {
  bodyConflicts,
  conflicts,
  morePathTricks,
  pathTricks,
  respelledConflicts,
} from "../../src/mutations/request/binding.ts";
import {
  bindingInjections,
  bindingPatterns,
  boundElsewhere,
  boundNowhere,
  boundTo,
  changeOfItsOwn,
  misplacedValues,
  nullBinding,
  openBindings,
  paddedValues,
  primaryOnListed,
  privileged,
  rescues,
  unsetLookalikes,
  wrongTexts,
  wrongValues,
} from "../../src/mutations/token/binding.ts";
import {
  besideOthers,
  custom,
  type MutationCase,
  oneReadOneWrite,
  ORGANIZATION_OPERATIONS,
  rejects,
  unmarked,
} from "../../src/probe/cases.ts";
import { Finding } from "../../src/probe/finding.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { unnamedOrganization } from "../../src/probe/read/listing.ts";
import { defineRule, type Rule, type RuleCase } from "../../src/probe/rule.ts";
import type { Facts } from "../../src/profile/facts.ts";
import { otherChange } from "../shared/feed.ts";
import { namesOtherInBody } from "../shared/named-in-body.ts";
import { afterWrite, rejectsAfterWrite } from "./isolation/one-connection.ts";
import { doesNotReach } from "./ways/expect-not-reached.ts";
import { rejectsRespelledType } from "./ways/media-type.ts";
import { actsOnPathAlone } from "./ways/named-elsewhere.ts";
import { rejectsByHead } from "./ways/near-routes.ts";
import { rejectsOnNewChange } from "./ways/new-change.ts";
import { rejectsWithoutChange } from "./ways/no-change.ts";
import { rejectsIfNoneMatch } from "./ways/not-modified.ts";
import { rejectsOverriddenBinding } from "./ways/overridden.ts";
import { rejectsPaged } from "./ways/paged.ts";
import { rejectsReplayed } from "./ways/replayed.ts";
import { acrossOrganizations, onceAcceptedAtHome } from "./ways/reused.ts";
import { rejectsTwin } from "./ways/twins.ts";
import { rejectsUnderOtherKeys } from "./ways/under-key.ts";
import { rejectsUnusual, rejectsWithConsent } from "./ways/unusual.ts";
import { rejectsWithinSkew } from "./ways/within-skew.ts";

/** Only a bound token shows whether the receiver checks the binding. */
const BOUND = { bound: true } as const;

const WRITES = ["editOrganization", "submitChange"] as const;

const OTHER_IN_BODY = {
  id: "other-in-body",
  title: "token and path name the primary organization, and the body names the other one",
  bound: true,
  grounds: {
    why: "the organization that is checked is the one that the request acts on",
    source: "contract, Binding a token to an organization; CWE-639",
  },
};

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
  cases(facts): RuleCase[] {
    const tail = oneReadOneWrite(facts, ORGANIZATION_OPERATIONS);
    const reads = tail.filter(isRead);
    const withBody = tail.filter((id) => takesMembers(facts, id));
    return [
      ...rejects(ORGANIZATION_OPERATIONS, [boundElsewhere, boundNowhere], BOUND).map(needingOther),
      ...rejects(ORGANIZATION_OPERATIONS, [nullBinding, ...unsetLookalikes, ...wrongTexts], BOUND),
      // A receiver that compares the claim with one fixed organization would pass all of the above.
      ...custom(reads, [boundElsewhere], rejectsOnOther).map((testCase): RuleCase => ({
        ...testCase,
        id: `primary-on-other@${testCase.operation}`,
        title: "the token is bound to the primary organization, and the path names the other one",
        needs: ["claimsNamespace", "organizations.other"],
      })),
      // Organizations may have subsidiaries, on which no claim names them.
      ...custom(reads, [primaryOnListed], rejectsOnListed, { control: BOUND }),
      ...custom(["readChange"], [changeOfItsOwn], rejectsItsOwn, { control: BOUND }),
      ...rejects(
        tail,
        [...privileged, ...wrongValues, ...bindingPatterns, ...rescues, ...conflicts],
        BOUND,
      ),
      ...rejects(
        reads,
        [...misplacedValues, ...paddedValues, ...bindingInjections, ...respelledConflicts],
        BOUND,
      ),
      ...rejects(withBody, bodyConflicts, BOUND),
      ...custom(tail, pathTricks, doesNotPass).map(besideOthers),
      ...custom(reads, morePathTricks, doesNotPass),
      ...rejects(reads, openBindings, BOUND),
      ...custom(reads, [onceAcceptedAtHome], acrossOrganizations, {
        control: BOUND,
        dependsOn: ["receiver.scope/once-accepted-elsewhere"],
      }),
      ...rejectsTwin(reads, boundNowhere, BOUND),
      // Where nothing can be read, other cases need every write that may be accepted.
      ...reads.flatMap((read) =>
        custom(
          tail.filter((id) => !isRead(id)),
          [afterWrite],
          (probe, { operation }) => rejectsAfterWrite(probe, operation, read),
        ),
      ),
      ...rejectsPaged(boundNowhere, BOUND, ["readChangesFeed"]),
      ...unmarked(rejects(reads, [boundNowhere], BOUND)),
      ...rejectsUnusual(facts, boundNowhere, BOUND),
      ...rejectsRespelledType(facts, boundNowhere, BOUND),
      ...rejectsWithoutChange(facts, boundNowhere, BOUND),
      ...rejectsWithConsent(facts, boundNowhere, BOUND),
      ...rejectsByHead(facts, boundNowhere, BOUND),
      ...rejectsIfNoneMatch(facts, boundNowhere, BOUND),
      ...rejectsOnNewChange(facts, boundNowhere, BOUND),
      ...rejectsUnderOtherKeys(facts, reads, boundNowhere, BOUND),
      ...rejectsOverriddenBinding(facts),
      ...actsOnPathAlone(facts),
      ...WRITES.map((operation) => namesOtherInBody(facts, operation, OTHER_IN_BODY)),
      ...rejectsWithinSkew(facts, reads, boundNowhere, BOUND),
      ...rejectsReplayed(facts, facts.issued ? boundElsewhere : boundNowhere, BOUND),
    ];
  },
});

async function rejectsOnOther(probe: Probe, { mutation }: MutationCase): Promise<Finding> {
  return probe.rejects(mutation, { ...BOUND, organization: await probe.organization("other") });
}

async function rejectsOnListed(
  probe: Probe,
  { operation, mutation }: MutationCase,
): Promise<Finding> {
  await probe.control(operation, BOUND);
  const organization = await unnamedOrganization(probe);
  return organization === undefined
    ? Finding.notApplicable(phrase`no other organization is listed`)
    : probe.rejects(
        { ...boundTo((await probe.organizations()).primary), ...mutation },
        { ...BOUND, organization },
      );
}

async function rejectsItsOwn(
  probe: Probe,
  { operation, mutation }: MutationCase,
): Promise<Finding> {
  await probe.control(operation, BOUND);
  const changeId = await probe.use(otherChange);
  return changeId === undefined
    ? Finding.notApplicable(phrase`no change of the other organization is known`)
    : probe.rejects(mutation, { ...BOUND, changeId });
}

/** The receiver may read such a path as it likes, if no answer reaches the organization. */
async function doesNotPass(probe: Probe, { mutation }: MutationCase): Promise<Finding> {
  const { primary } = await probe.organizations();
  return doesNotReach(probe, await probe.attempt(mutation, BOUND), primary ?? "");
}

function needingOther(testCase: MutationCase & RuleCase): RuleCase {
  const { needs = [], mutation } = testCase;
  return mutation === boundElsewhere
    ? { ...testCase, needs: [...needs, "organizations.other"] }
    : testCase;
}

/** Whether the body of a write can get further members. */
function takesMembers(facts: Facts, id: OperationId): boolean {
  return OPERATIONS[id].writes && isObject(facts.operations[id]?.body);
}
