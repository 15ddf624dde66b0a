import { OPERATIONS } from "../../src/contract/operations.ts";
import type { Mutation } from "../../src/mutations/mutation.ts";
import { judgedBy, onOperation, ORGANIZATION_OPERATIONS } from "../../src/probe/cases.ts";
import type { Refusal } from "../../src/probe/controls/control.ts";
import { Finding } from "../../src/probe/finding.ts";
import { factsOf, phrase, type Phrase } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { type CaseData, defineRule, type Rule, type RuleCase } from "../../src/probe/rule.ts";
import { afterOtherOrganization, onceRefusedAbroad } from "./ways/reused.ts";

interface BindingCase extends CaseData {
  readonly operation: (typeof ORGANIZATION_OPERATIONS)[number];
  readonly control: { readonly bound: boolean };
  readonly place: "primary" | "other";
}

const READS = ["viewOrganization", "readChangesFeed"] as const;

const onOther: readonly Omit<BindingCase, "operation">[] = [
  {
    id: "bound-other",
    title: "a token that is bound to another accessible organization, on that organization",
    control: { bound: true },
    place: "other",
    needs: ["claimsNamespace", "organizations.other"],
  },
  {
    id: "unbound-other",
    title: "an unbound token on another accessible organization",
    control: { bound: false },
    place: "other",
    needs: ["organizations.other"],
    level: "SHOULD",
  },
];

const cases = ORGANIZATION_OPERATIONS.flatMap((operation) =>
  onOperation<BindingCase>(operation, [
    {
      id: "bound",
      title: "a bound token on its own organization",
      control: { bound: true },
      place: "primary",
      needs: ["claimsNamespace"],
    },
    {
      id: "unbound",
      title: "an unbound token on an accessible organization",
      control: { bound: false },
      place: "primary",
      level: "SHOULD",
    },
    // There is no consent to writes there, and changes have other ids there.
    ...(OPERATIONS[operation].writes || OPERATIONS[operation].change ? [] : onOther),
  ]),
);

export const rule: Rule = defineRule({
  id: "receiver.binding-accepted",
  title:
    "A bound token works on its own organization, and an unbound one on each accessible organization",
  level: "MUST",
  verifies: [
    "checks.binding",
    "organization.id-in-tokens",
    "binding.claim-name",
    "binding.absent",
    "claims.org-id",
    "checks.unbound",
  ],
  dependsOn: ["receiver.isolation"],
  cases: (facts) => [
    ...judgedBy(cases, judge),
    ...READS.filter((id) => facts.operations[id])
      .slice(0, 1)
      .map((operation): RuleCase => ({
        id: `${onceRefusedAbroad.name}@${operation}`,
        title: `a bound token on its own organization: ${onceRefusedAbroad.what}`,
        operation,
        control: { bound: true },
        needs: ["claimsNamespace", "organizations.other"],
        mutation: [onceRefusedAbroad],
        dependsOn: ["receiver.binding", "receiver.scope-sufficient/once-refused-elsewhere"],
        judge: (probe) => afterOtherOrganization(probe, { operation }),
      })),
  ],
});

async function judge(
  probe: Probe,
  { operation, control: { bound }, place }: BindingCase,
): Promise<Finding> {
  const found = await probe.tryControl(operation, { bound, fresh: probe.confirming });
  if ("refusal" in found) {
    // A refusal of one kind of token means something only where the other kind is accepted.
    const counterpart = await probe.tryControl(operation, { bound: !bound });
    return "control" in counterpart
      ? judgeRefusal(found.refusal, bound, counterpart.control.exchange)
      : found.refusal.finding;
  }
  if (place === "primary") return Finding.pass({ probes: [found.control.exchange] });
  const other = await probe.organization("other");
  const finding = await probe.accepts(namesOther, { bound, organization: other });
  if (finding.kind !== "fail") return finding;
  const isForbidden = factsOf(finding.actual).some(
    (fact) => fact.kind === "answer" && fact.status === 403,
  );
  if (!bound) return isForbidden ? Finding.observed(policy(finding.actual, bound)) : finding;
  // If an unbound token is refused there too, the refusal is not about the binding.
  const unbound = await probe.tryAttempt(namesOther, { bound: false, organization: other });
  if ("attempt" in unbound && reception(unbound.attempt.reply) === "accepted") return finding;
  return isForbidden
    ? Finding.observed(policy(finding.actual, bound))
    : { ...finding, atMost: "SHOULD" };
}

const namesOther: Mutation = {
  name: "other",
  what: "the organization in the path is the other one",
};

function judgeRefusal(refusal: Refusal, bound: boolean, control: string): Finding {
  const { reply, finding } = refusal;
  if (!reply || reception(reply) === "unclear") return finding;
  const evidence = {
    probes: [reply.exchange.id],
    controls: [control],
  };
  if (!bound && reply.status === 403) {
    return Finding.observed(policy(describeReply(reply), bound), evidence);
  }
  return {
    kind: "fail",
    expected: bound
      ? phrase`a token bound to the organization in the path is accepted`
      : phrase`an unbound token is accepted, or refused with 403 by local policy`,
    actual: describeReply(reply),
    evidence,
    comparative: true,
  };
}

function policy(answer: Phrase, bound: boolean): Phrase {
  return phrase`${answer}: local policy refuses the ${bound ? "bound" : "unbound"} token`;
}
