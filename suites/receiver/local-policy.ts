import { OPERATION_IDS, type OperationId } from "../../src/contract/operations.ts";
import type { InvalidMutation } from "../../src/mutations/mutation.ts";
import {
  deniedSubject,
  deniedSubjectAllScopes,
  deniedSubjectAsPerson,
  deniedSubjectEncoded,
  deniedSubjectHeaders,
  deniedSubjectOtherCase,
  deniedSubjectPrivileged,
  deniedSubjectRescued,
  deniedSubjectRespelledHeaders,
  subjectInOtherCase,
  subjectPatterns,
  unknownSubject,
} from "../../src/mutations/token/policy.ts";
import { besideOthers, custom, type MutationCase, unmarked } from "../../src/probe/cases.ts";
import { Finding } from "../../src/probe/finding.ts";
import { rejection } from "../../src/probe/judge-attempt.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Attempt, Fixture, Probe } from "../../src/probe/probe.ts";
import { doubtAbout } from "../../src/probe/read/denied.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule, type RuleCase } from "../../src/probe/rule.ts";
import { requireKind } from "../shared/kind.ts";
import { doesNotReach } from "./ways/expect-not-reached.ts";
import { rejectsRespelledType } from "./ways/media-type.ts";
import { appliesPolicyToPathAlone } from "./ways/named-elsewhere.ts";
import { rejectsByHead } from "./ways/near-routes.ts";
import { rejectsOnNewChange } from "./ways/new-change.ts";
import { rejectsIfNoneMatch } from "./ways/not-modified.ts";
import { rejectsPaged } from "./ways/paged.ts";
import { rejectsReplayed } from "./ways/replayed.ts";
import { acrossPolicies, onceAllowed } from "./ways/reused.ts";
import { rejectsUnderOtherKeys } from "./ways/under-key.ts";
import { rejectsUnusual, rejectsWithConsent } from "./ways/unusual.ts";

const onDenied = { onDenied: true, status: 403, doubt: doubtAbout } as const;

interface PolicyCase extends MutationCase {
  readonly control: { readonly bound: boolean };
}

export const rule: Rule = defineRule({
  id: "receiver.local-policy",
  title: "A request that local policy forbids is answered with 403, even with a good token",
  level: "MUST",
  verifies: [
    "checks.local-policy-status",
    "checks.any-failure-rejects",
    "checks.unbound",
    "checks.local-policy",
    "errors.kind.forbidden",
    "errors.policy-forbids",
    "rfc7519.string-comparison",
    "rfc9110.forbidden",
  ],
  dependsOn: [
    "receiver.token-required/missing",
    "receiver.token-required/missing-unmarked",
    "receiver.isolation",
  ],
  cases: (facts) => {
    const { denied } = facts;
    const forbidden = OPERATION_IDS.filter((id) => denied?.operations.includes(id) ?? true);
    const reads = forbidden.filter((id) => id === "viewOrganization");
    const feeds = forbidden.filter((id) => id === "readChangesFeed");
    return [
      ...forbidden.flatMap((operation) => [
        caseOf("bound", operation, true, deniedSubject),
        caseOf("unbound", operation, false, deniedSubject),
      ]),
      ...reads.flatMap((operation) => [
        caseOf("all-scopes", operation, false, deniedSubjectAllScopes),
        caseOf("rescued", operation, false, deniedSubjectRescued, doesNotReachDenied),
        caseOf("as-person", operation, false, deniedSubjectAsPerson, doesNotReachDenied),
        caseOf("privileged", operation, false, deniedSubjectPrivileged),
        {
          ...caseOf("headers", operation, false, deniedSubjectHeaders, doesNotReachDenied),
          dependsOn: [
            "receiver.token-required/identity-headers",
            "receiver.token-required/claims-headers",
          ],
        },
        ...deniedSubjectRespelledHeaders.map((mutation) => {
          const spelling = mutation.name.replace("denied-headers-", "");
          return {
            ...caseOf(`headers-${spelling}`, operation, false, mutation, doesNotReachDenied),
            grounds: { why: mutation.refused.why, source: mutation.refused.source },
            dependsOn: [
              `receiver.token-required/identity-${spelling}`,
              `receiver.token-required/claims-${spelling}`,
            ],
          };
        }),
        caseOf("other-case", operation, false, deniedSubjectOtherCase, doesNotReachDenied),
        caseOf("encoded", operation, false, deniedSubjectEncoded, doesNotReachDenied),
        {
          ...caseOf("once-allowed", operation, false, onceAllowed, acrossPolicies),
          dependsOn: [
            "receiver.scope/once-accepted-elsewhere",
            "receiver.binding/once-accepted-at-home",
          ],
        },
        ...unmarked([caseOf("unbound", operation, false, deniedSubject)]),
      ]),
      ...[
        ...rejectsUnusual(facts, deniedSubject, onDenied),
        ...rejectsRespelledType(facts, deniedSubject, onDenied),
        ...rejectsWithConsent(facts, deniedSubject, onDenied),
        ...rejectsPaged(deniedSubject, onDenied, feeds),
        ...rejectsByHead(facts, deniedSubject, onDenied),
        ...rejectsIfNoneMatch(facts, deniedSubject, onDenied),
        ...(forbidden.includes("readChange")
          ? rejectsOnNewChange(facts, deniedSubject, onDenied)
          : []),
        ...rejectsUnderOtherKeys(facts, reads, deniedSubject, onDenied),
        ...rejectsReplayed(facts, deniedSubject, onDenied),
      ].map((one) => ({ ...one, needs: ["denied"] as const })),
      ...appliesPolicyToPathAlone(facts),
      ...custom(["viewOrganization"], [subjectInOtherCase], rejectsOtherCase).map(besideOthers),
      ...custom(["viewOrganization"], subjectPatterns, rejectsPattern).map(besideOthers),
    ];
  },
});

async function rejectsByPolicy(
  probe: Probe,
  { operation, mutation, control: { bound } }: PolicyCase,
): Promise<Finding> {
  await requireKind(probe, operation, bound);
  return probe.rejects(mutation, {
    bound,
    organization: deniedOrganization(probe),
    status: 403,
    doubt: (attempt) => doubtAbout(probe, attempt),
  });
}

/** A deployment may let everybody in, but then it lets in an unknown subject too. */
async function rejectsOtherCase(probe: Probe, { mutation }: MutationCase): Promise<Finding> {
  const unknown = await probe.use(unknownThere);
  if (reception(unknown.reply) !== "rejected") {
    const answer = describeReply(unknown.reply);
    return Finding.notApplicable(phrase`an unknown subject is not refused: ${answer}`);
  }
  return rejection(await probe.attempt(mutation), undefined, false);
}

/** Only where an unknown subject is forbidden to act, a pattern must be too. */
async function rejectsPattern(probe: Probe, { mutation }: MutationCase): Promise<Finding> {
  const { reply } = await probe.use(unknownThere);
  return reply.status === 403
    ? probe.rejects(mutation)
    : Finding.notApplicable(
        phrase`an unknown subject is not answered 403: ${describeReply(reply)}`,
      );
}

const unknownThere: Fixture<Attempt> = {
  name: "unknown subject",
  scope: "rule",
  setup: (probe) => probe.attempt(unknownSubject, { operation: "viewOrganization" }),
};

/**
 * The path is not exactly a route of the contract, or claims or headers that the contract does not have may be refused, so
 * that any refusal is as good as 403.
 */
async function doesNotReachDenied(
  probe: Probe,
  { operation, mutation, control: { bound } }: PolicyCase,
): Promise<Finding> {
  const organization = deniedOrganization(probe);
  await requireKind(probe, operation, bound);
  const attempt = await probe.attempt(mutation, { bound, organization });
  const finding = await doesNotReach(probe, attempt, organization);
  if (finding.kind !== "pass") return finding;
  const plain = await probe.use(plainlyDenied(operation, bound));
  return (await doubtAbout(probe, plain)) ?? finding;
}

/** The answer to the denied subject in a plain request, which several cases use. */
function plainlyDenied(operation: OperationId, bound: boolean): Fixture<Attempt> {
  return {
    name: `denied on ${operation} ${bound}`,
    scope: "rule",
    setup: (probe) =>
      probe.attempt(deniedSubject, { operation, bound, organization: deniedOrganization(probe) }),
  };
}

/** The denied organization, which every case needs. */
function deniedOrganization({ target: { denied } }: Probe): string {
  return denied?.organization ?? "";
}

function caseOf(
  name: string,
  operation: OperationId,
  bound: boolean,
  mutation: InvalidMutation,
  judge: (probe: Probe, testCase: PolicyCase) => Promise<Finding> = rejectsByPolicy,
): PolicyCase & RuleCase {
  const testCase = besideOthers<PolicyCase>({
    id: `${name}@${operation}`,
    title: `${bound ? "a bound token" : "an unbound token"}: ${mutation.what}`,
    operation,
    ...(mutation.level && { level: mutation.level }),
    needs: ["denied", ...(bound ? (["claimsNamespace"] as const) : [])],
    control: { bound },
    mutation,
  });
  return { ...testCase, judge: (probe) => judge(probe, testCase) };
}
