import type { Reply } from "../../src/http/exchange.ts";
import { combine, type Mutation } from "../../src/mutations/mutation.ts";
import {
  bindingInjections,
  boundNowhere,
  boundTo,
  nullBinding,
  privileged,
  unsetLookalikes,
} from "../../src/mutations/token/binding.ts";
import { casesOn, judgedBy } from "../../src/probe/cases.ts";
import { Finding } from "../../src/probe/finding.ts";
import { queryOf, withQuery } from "../../src/probe/pagination/page.ts";
import { countFact, phrase } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { listedOrganizations, shownOrganizations } from "../../src/probe/read/items.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { type CaseData, defineRule, onlyMutation, type Rule } from "../../src/probe/rule.ts";
import { shows } from "../../src/probe/write/unique-marker.ts";
import type { Facts } from "../../src/profile/facts.ts";

const operation = "listOrganizations";

interface ListCase extends CaseData {
  /** The organization that the token is bound to. Default: the claim equals no organization. */
  readonly place?: "primary" | "other";
  /** The query. Default: none. */
  readonly query?: string;
}

/** A receiver may apply the binding to one page alone, or after it has cut out the page. */
const PAGES = [undefined, 1, 2];
/** The published case is of a list of which only the first page was limited to the caller's organization. */
const ON_PAGES = "contract, Binding a token to an organization; flowintel/flowintel#31";

function casesOfList({ organizations }: Facts): ListCase[] {
  return [
    ...PAGES.flatMap((page) =>
      (["primary", "other"] as const).map((place): ListCase => ({
        id: `${place}${page === undefined ? "" : `-page-${page}`}@${operation}`,
        title: `the list for a token that is bound to the ${place} organization${page === undefined ? "" : `, page ${page} of 1 item`}`,
        operation,
        needs: ["claimsNamespace", `organizations.${place}`],
        mutation: [boundTo(organizations[place])],
        place,
        ...(page !== undefined && { query: queryOf(page, 1), grounds: { source: ON_PAGES } }),
      })),
    ),
    // A list may look at the scopes or the flow before the binding.
    ...casesOn([operation], privileged).map((one): ListCase => ({
      ...one,
      needs: [...(one.needs ?? []), "organizations.other"],
      place: "other",
    })),
    ...casesOn(
      [operation],
      [boundNowhere, nullBinding, ...unsetLookalikes, ...bindingInjections.slice(0, 1)],
    ),
  ];
}

export const rule: Rule = defineRule({
  id: "receiver.binding-list",
  title: "The list shows a bound token at most its own organization",
  level: "MUST",
  verifies: ["binding.present", "checks.binding"],
  dependsOn: ["receiver.token-required/missing", "receiver.isolation"],
  cases: (facts) => judgedBy(casesOfList(facts), judge),
});

async function judge(probe: Probe, testCase: ListCase): Promise<Finding> {
  const { place, query, level } = testCase;
  const mutation = onlyMutation(testCase);
  const own = place && (await probe.organization(place));
  if (mutation && level !== "OBSERVE" && (await isIgnored(probe, mutation))) {
    const reason = phrase`such a claim is ignored wherever there is an organization: receiver.binding`;
    return Finding.inconclusive(reason);
  }
  const { control, reply, evidence } = await probe.attempt(
    query === undefined ? (mutation ?? boundTo(own)) : combine(boundTo(own), withQuery(query)),
  );
  const actual = describeReply(reply);
  const profile = probe.target.operations[operation];
  const listed =
    reception(reply) === "accepted" ? shownOrganizations(reply, control.reply, profile) : undefined;
  if (level === "OBSERVE") {
    const value = listed
      ? phrase`${actual}, ${countFact(listed.length, "organization")} listed`
      : actual;
    return Finding.observed(value, evidence);
  }
  const expected = phrase`${own ? `at most the organization ${own}` : "an empty list"}, or a rejection`;
  switch (reception(reply)) {
    case "rejected":
      return Finding.pass(
        evidence,
        query === undefined ? phrase`bound tokens may not list` : actual,
      );
    case "unclear":
      return Finding.inconclusive(actual, evidence);
    case "redirected":
      return { kind: "fail", expected, actual, evidence };
    case "broken":
      // How such a page fails is the matter of other rules.
      if (query !== undefined) return Finding.notApplicable(actual);
      return { kind: "fail", expected, actual, evidence, atMost: "SHOULD" };
    case "accepted":
  }
  const others = listedOrganizations(control.reply.json(), profile) ?? [];
  // An empty page may have another shape than the list, which is recognised.
  const isEmpty = query !== undefined && others.length > 0;
  if (!listed && isEmpty && !(await namesForeign(probe, reply, own))) {
    return Finding.pass(evidence, phrase`the page names no other organization`);
  }
  if (!listed)
    return Finding.inconclusive(phrase`no organization can be recognised in the list`, evidence);
  const foreign = listed.filter((id) => isForeign(id, own));
  if (foreign.length > 0) {
    return {
      kind: "fail",
      expected,
      actual: phrase`the list shows ${countFact(foreign.length, own ? "other" : "organization")}`,
      evidence,
      // A bound token must never see another organization, so one answer is proof.
      certainty: "proof",
    };
  }
  if (others.some((id) => isForeign(id, own)) || (await showsForeign(probe, own))) {
    return Finding.pass(evidence);
  }
  return Finding.inconclusive(
    phrase`no other token is shown ${own ? "another organization" : "any organization"}: let the subject act on \`organizations.primary\` and \`organizations.other\`, and the list show them`,
    evidence,
  );
}

function isForeign(id: string, own: string | undefined): boolean {
  return id !== own?.toLowerCase();
}

/** Whether an answer in which no list is recognised, such as an empty page, has the id of another organization. */
async function namesForeign(
  probe: Probe,
  { body }: Reply,
  own: string | undefined,
): Promise<boolean> {
  const { primary, other } = await probe.organizations();
  return [primary, other].some(
    (id) => id !== undefined && isForeign(id.toLowerCase(), own) && shows({ body }, id),
  );
}

/** Whether a token that is bound to the other organization sees that one. Then the list can show this one, too. */
async function showsForeign(probe: Probe, own: string | undefined): Promise<boolean> {
  const { primary, other } = await probe.organizations();
  for (const organization of [primary, other]) {
    if (organization === undefined || !isForeign(organization.toLowerCase(), own)) continue;
    const { reply } = await probe.attempt(boundTo(organization));
    if (reception(reply) !== "accepted") continue;
    const listed = listedOrganizations(reply.json(), probe.target.operations[operation]);
    if (listed?.some((id) => isForeign(id, own))) return true;
  }
  return false;
}

/** Whether the mutation is accepted where the path names an organization. Then the list shows nothing new. */
async function isIgnored(probe: Probe, mutation: Mutation): Promise<boolean> {
  if (!probe.target.operations.viewOrganization) return false;
  const view = await probe.tryAttempt(mutation, { operation: "viewOrganization", bound: true });
  return "attempt" in view && reception(view.attempt.reply) === "accepted";
}
