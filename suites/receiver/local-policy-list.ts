import { combine, type Mutation } from "../../src/mutations/mutation.ts";
import { binding } from "../../src/mutations/token/binding.ts";
import { deniedSubject } from "../../src/mutations/token/policy.ts";
import { Finding } from "../../src/probe/finding.ts";
import { atPage, furtherPages } from "../../src/probe/pagination/further-pages.ts";
import { countFact, phrase } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { actsElsewhere, doubtful } from "../../src/probe/read/denied.ts";
import { listedOrganizations, shownOrganizations } from "../../src/probe/read/items.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule, type RuleCase } from "../../src/probe/rule.ts";
import { requireKind } from "../shared/kind.ts";

const operation = "listOrganizations";

const boundToDenied: Mutation = {
  name: "bound-to-denied",
  what: "the token is bound to that organization",
  token: binding(({ target }) => target.denied?.organization),
  asks: ({ target }) => ({ organization: target.denied?.organization }),
};

export const rule: Rule = defineRule({
  id: "receiver.local-policy-list",
  title: "An organization that the subject may not view is not listed",
  level: "SHOULD",
  verifies: ["checks.local-policy", "binding.absent"],
  dependsOn: ["receiver.token-required/missing", "receiver.isolation"],
  cases: () =>
    [false, true].map((bound): RuleCase => ({
      id: `${bound ? "bound" : "unbound"}@${operation}`,
      title: `the list for ${bound ? "a token bound to" : "an unbound token of a subject that may not view"} a denied organization`,
      operation,
      needs: ["denied" as const, ...(bound ? (["claimsNamespace"] as const) : [])],
      control: { bound },
      judge: (probe) => judgeList(probe, bound),
    })),
});

async function judgeList(probe: Probe, bound: boolean): Promise<Finding> {
  const { denied, operations } = probe.target;
  if (!denied?.operations.includes("viewOrganization")) {
    return Finding.notApplicable(phrase`the subject may view the denied organization`);
  }
  const mutation = bound ? combine(deniedSubject, boundToDenied) : deniedSubject;
  const options = bound ? {} : { bound };
  if (!bound) await requireKind(probe, operation, bound);
  const attempt = await probe.attempt(mutation, options);
  const { control, reply, evidence } = attempt;
  const received = reception(reply);
  const isKnown = await probe.use(actsElsewhere);
  if (received === "rejected") {
    if (!isKnown) return doubtful(probe, attempt, "subject");
    return Finding.pass(evidence, phrase`no list at all: ${describeReply(reply)}`);
  }
  const ids = shownOrganizations(reply, control.reply, operations[operation]);
  if (received !== "accepted" || !ids) {
    const reason = ids
      ? describeReply(reply)
      : phrase`no organization can be recognised in the list`;
    return Finding.inconclusive(reason, evidence);
  }
  const listed = new Set(ids);
  const probes = [...evidence.probes];
  let unread: Finding | undefined;
  for (const page of furtherPages(reply.json(), operations[operation] ?? {})) {
    const next = await probe.tryAttempt(combine(mutation, atPage(page)), options);
    if ("finding" in next) {
      unread = next.finding;
      break;
    }
    const answer = next.attempt.reply;
    probes.push(answer.exchange.id);
    if (reception(answer) !== "accepted") {
      const reason = phrase`page ${page} of the list could not be read: ${describeReply(answer)}`;
      unread = Finding.inconclusive(reason, { ...evidence, probes });
      break;
    }
    const more = listedOrganizations(answer.json(), operations[operation]);
    for (const id of more ?? []) listed.add(id);
  }
  const all = { ...evidence, probes };
  if (listed.has(denied.organization.toLowerCase())) {
    return {
      kind: "fail",
      expected: phrase`the list does not show the organization ${denied.organization}`,
      actual: phrase`it shows it`,
      evidence: all,
    };
  }
  if (unread) return unread;
  if (!isKnown) return doubtful(probe, attempt, "subject");
  return (await isEmpty(probe, bound))
    ? Finding.inconclusive(phrase`the list is empty for good tokens too`, all)
    : Finding.pass(all, phrase`it lists ${countFact(listed.size, "other")}`);
}

/** Whether a good token of either kind sees an empty list too. Then an empty list proves nothing. */
async function isEmpty(probe: Probe, bound: boolean): Promise<boolean> {
  for (const kind of [bound, !bound]) {
    const good = await probe.tryControl(operation, { bound: kind });
    if (!("control" in good)) continue;
    const { reply } = good.control;
    if (listedOrganizations(reply.json(), probe.target.operations[operation])?.length) return false;
  }
  return true;
}
