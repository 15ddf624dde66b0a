import { isSameUuid } from "../../src/contract/uuid.ts";
import { isObject } from "../../src/lib/json.ts";
import type { Mutation } from "../../src/mutations/mutation.ts";
import { type Evidence, Finding, optional } from "../../src/probe/finding.ts";
import { countFact, phrase, valueFact } from "../../src/probe/phrase.ts";
import type { Fixture, Probe } from "../../src/probe/probe.ts";
import { findItems } from "../../src/probe/read/items.ts";
import { exactJson, organizationId, organizationOf } from "../../src/probe/read/shapes.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule, type RuleCase } from "../../src/probe/rule.ts";
import { viewed } from "../../src/probe/write/unique-marker.ts";
import { doesNotApply } from "../shared/kind.ts";
import { isSame } from "./profile/compare.ts";
import { merges } from "./writes/merges.ts";
import { without } from "./writes/needs.ts";
import { published } from "./writes/send.ts";

const list = "listOrganizations";

const ofList: readonly RuleCase[] = [
  {
    id: `found@${list}`,
    title: "the list by an identifier that the view shows",
    operation: list,
    sends: 2,
    judge: findsIt,
  },
  {
    id: `no-other@${list}`,
    title: "the list by an identifier shows no organization that lacks it",
    operation: list,
    sends: 2,
    judge: findsNoOther,
  },
  {
    id: `unknown-id@${list}`,
    title: "the list by an identifier that nobody has",
    operation: list,
    sends: 2,
    judge: (probe) => findsNothing(probe, ({ registry }) => ({ registry, id: UNKNOWN })),
  },
  {
    id: `other-registry@${list}`,
    title: "the list by an identifier in another registry",
    operation: list,
    sends: 2,
    judge: (probe) => findsNothing(probe, ({ id }) => ({ registry: UNKNOWN, id })),
  },
];

const UNKNOWN = "org:us:conformance-unknown";

const atTime: RuleCase = {
  id: "at@viewOrganization",
  title: "the view at a time before an edit",
  operation: "viewOrganization",
  level: "OBSERVE",
  requirement: "commongrants.filters.at",
  writes: { of: "editOrganization" },
  judge: showsFormer,
};

export const rule: Rule = defineRule({
  id: "commongrants.filters",
  title: "The list is filtered by an identifier",
  level: "SHOULD",
  verifies: ["commongrants.filters.identifier"],
  phase: "state",
  cases: (facts) => [...without(facts, ["viewOrganization"], ofList), atTime],
});

/** An identifier of the primary organization. */
interface Identifier {
  readonly registry: string;
  readonly id: string;
}

const identifier: Fixture<Identifier & { readonly exchange: string }> = {
  name: "identifier",
  scope: "rule",
  async setup(probe) {
    const reply = await viewed(probe);
    const { primary } = await probe.organizations();
    const profile = organizationOf(reply.json(), probe.target.operations.viewOrganization, primary);
    const identifiers = isObject(profile) ? profile["identifiers"] : undefined;
    const [first] = identifiersIn(identifiers);
    return first
      ? { ...first, exchange: reply.exchange.id }
      : doesNotApply(phrase`the view shows no identifier of a registry`);
  },
};

/** The identifiers of a profile by their registries, those of `otherIds` last. */
function identifiersIn(value: unknown): Identifier[] {
  if (!isObject(value)) return [];
  const { otherIds, systemId: _, ...named } = value;
  const own = Object.entries(named).flatMap(([registry, one]) => {
    const id = isObject(one) ? one["id"] : undefined;
    return typeof id === "string" && id !== "" ? [{ registry, id }] : [];
  });
  return [...own, ...(isObject(otherIds) ? identifiersIn(otherIds) : [])];
}

interface Listed {
  readonly items: readonly unknown[];
  readonly evidence: Evidence;
}

/** The list with a query. Throws CaseEnd where the answer lists nothing that is recognised. */
async function listed(
  probe: Probe,
  name: string,
  query: Identifier,
): Promise<Listed | { readonly finding: Finding }> {
  const mutation: Mutation = {
    name,
    what: "the query has a registry and an identifier",
    request: (spec) => ({
      ...spec,
      path: `${spec.path}?${new URLSearchParams({ registry: query.registry, id: query.id }).toString()}`,
    }),
  };
  const { reply, evidence } = await probe.attempt(mutation);
  const said = describeReply(reply);
  const received = reception(reply);
  if (received === "rejected") {
    const expected = phrase`the list takes registry and id`;
    return { finding: { kind: "fail", expected, actual: said, evidence, comparative: true } };
  }
  const items =
    received === "accepted"
      ? findItems(exactJson(reply), probe.target.operations[list])
      : undefined;
  return items
    ? { items, evidence }
    : { finding: Finding.inconclusive(phrase`no list in ${said}`, evidence) };
}

async function findsIt(probe: Probe): Promise<Finding> {
  const wanted = await probe.use(identifier);
  const primary = await probe.organization("primary");
  const found = await listed(probe, "identifier", wanted);
  if ("finding" in found) return found.finding;
  const { items, evidence } = found;
  if (items.some((item) => isSameUuid(organizationId(item), primary)))
    return Finding.pass(evidence);
  return {
    kind: "fail",
    expected: phrase`the list shows the organization that has ${valueFact(wanted.id)} in ${valueFact(wanted.registry)}`,
    actual: phrase`it shows ${countFact(items.length, "organization")}, and not that one`,
    evidence,
  };
}

async function findsNoOther(probe: Probe): Promise<Finding> {
  const wanted = await probe.use(identifier);
  const primary = await probe.organization("primary");
  const found = await listed(probe, "identifier", wanted);
  if ("finding" in found) {
    return found.finding.kind === "fail"
      ? Finding.notApplicable(phrase`the list does not take registry and id`)
      : found.finding;
  }
  const { items, evidence } = found;
  const others = items.filter(
    (item) =>
      !isSameUuid(organizationId(item), primary) &&
      !identifiersIn(isObject(item) ? item["identifiers"] : undefined).some(
        ({ registry, id }) => registry === wanted.registry && id === wanted.id,
      ),
  );
  if (others.length === 0) return Finding.pass(evidence);
  return {
    kind: "fail",
    expected: phrase`the list shows no organization without ${valueFact(wanted.id)} in ${valueFact(wanted.registry)}`,
    actual: phrase`it shows ${countFact(others.length, "other organization")}`,
    evidence,
  };
}

async function findsNothing(
  probe: Probe,
  queryOf: (known: Identifier) => Identifier,
): Promise<Finding> {
  const query = queryOf(await probe.use(identifier));
  const found = await listed(
    probe,
    query.registry === UNKNOWN ? "other-registry" : "unknown-id",
    query,
  );
  if ("finding" in found) {
    // What nobody has may be refused.
    return found.finding.kind === "fail" && found.finding.evidence
      ? Finding.pass(found.finding.evidence, found.finding.actual)
      : found.finding;
  }
  const { items, evidence } = found;
  if (items.length === 0) return Finding.pass(evidence);
  return {
    kind: "fail",
    expected: phrase`the list shows no organization, because none has ${valueFact(query.id)} in ${valueFact(query.registry)}`,
    actual: phrase`it shows ${countFact(items.length, "organization")}`,
    evidence,
  };
}

/** Looks at the profile as it was when the suite's second edit was made, which the third one changed. */
async function showsFormer(probe: Probe): Promise<Finding> {
  const done = await optional(probe.use(merges));
  const [, second, third] = done?.edits ?? [];
  const at = third?.revision?.["createdAt"];
  if (!second || !third || typeof at !== "string")
    return Finding.notApplicable(phrase`no edit has a time`);
  const before = new Date(Date.parse(at) - 1).toISOString();
  const mutation: Mutation = {
    name: "at",
    what: "the query asks for a time before an edit",
    request: (spec) => ({
      ...spec,
      path: `${spec.path}?${new URLSearchParams({ at: before }).toString()}`,
    }),
  };
  const { reply, evidence } = await probe.attempt(mutation);
  if (reception(reply) !== "accepted") return Finding.observed(describeReply(reply), evidence);
  const { primary } = await probe.organizations();
  const shown = organizationOf(reply.json(), probe.target.operations.viewOrganization, primary);
  const isFormer = isObject(shown) && isSame(published(shown), published(second.after.profile));
  return Finding.observed(
    phrase`${isFormer ? "the profile as it was" : "another profile than it was"}`,
    evidence,
  );
}
