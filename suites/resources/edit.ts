import type { Reply } from "../../src/http/exchange.ts";
import { isObject } from "../../src/lib/json.ts";
import { onOperation } from "../../src/probe/cases.ts";
import { Finding } from "../../src/probe/finding.ts";
import { phrase, valueFact } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { organizationIds, organizationOf, showsOrganization } from "../../src/probe/read/shapes.ts";
import { reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule, type RuleCase } from "../../src/probe/rule.ts";
import { lostMembers, type View } from "../../src/probe/write/restore.ts";
import { shows } from "../../src/probe/write/unique-marker.ts";
import { DONE, type Edit, plainEdit, unseen } from "../shared/edit.ts";
import { UNBOUND_NAMES_OTHER, namesOtherInBody } from "../shared/named-in-body.ts";
import { furtherEdits } from "./edits/further-edits.ts";
import { editNaming } from "./edits/naming-edit.ts";
import { refusedInPart } from "./edits/partial-write.ts";

const operation = "editOrganization";

const cases = onOperation<RuleCase>(operation, [
  {
    id: "seen",
    title: "an edit, looked for in the view",
    judge: ofPlainEdit(isSeen),
  },
  {
    id: "nowhere-else",
    title: "an edit, looked for in the view of the other organization",
    needs: ["organizations.other"],
    judge: ofPlainEdit(isNowhereElse),
  },
  {
    id: "body-names-other",
    title: "an edit whose body has the `id` of the other organization, looked for in its view",
    needs: ["organizations.other"],
    judge: async (probe) => editNaming(probe, await probe.organization("other")),
  },
  {
    id: "refused-in-part",
    title: "an edit of which a part is invalid, looked for in the view after it was refused",
    needs: [`operations.${operation}.invalidBody`, `\${unique} in operations.${operation}.body`],
    requirement: "rfc5789.atomic",
    grounds: { why: "a PATCH is applied as a whole, or not at all", source: "RFC 5789 §2" },
    judge: refusedInPart,
  },
  {
    id: "in-feed",
    title: "whether an edit is in the feed",
    level: "OBSERVE",
    judge: ofPlainEdit((_probe, { listed, evidence }) => ({
      kind: "observed",
      value: phrase`${listed ?? "no feed could be read"}`,
      evidence,
      isUnread: listed === undefined,
    })),
  },
  {
    id: "unnamed-members",
    title: "what happens to members that an edit does not name",
    level: "OBSERVE",
    judge: ofPlainEdit(unnamedMembers),
  },
]);

/** After those that may have to be confirmed, because it can do with the edits that are left. */
const further = onOperation<RuleCase>(operation, [
  {
    id: "further",
    title: "further edits, each looked for in the view before the next one",
    sends: 8,
    judge: furtherEdits,
  },
]);

export const rule: Rule = defineRule({
  id: "resources.edit",
  title: "An edit is seen in the view, and only there",
  level: "MUST",
  verifies: ["endpoints.edit-organization", "service.edit", "rfc9110.accepted", "rfc5789.atomic"],
  phase: "state",
  cases(facts) {
    const inapplicable = facts.operations.viewOrganization
      ? undefined
      : "viewOrganization is not offered";
    return [
      ...cases.map((one) => ({ ...one, inapplicable })),
      namesOtherInBody(facts, operation, UNBOUND_NAMES_OTHER),
      ...further.map((one) => ({ ...one, inapplicable })),
    ];
  },
});

function ofPlainEdit(
  judge: (probe: Probe, edit: Edit) => Promise<Finding> | Finding,
): (probe: Probe) => Promise<Finding> {
  return async (probe) => judge(probe, await probe.use(plainEdit));
}

async function isSeen(probe: Probe, edit: Edit): Promise<Finding> {
  const { status, seen, evidence, after } = edit;
  if (seen) return Finding.pass(evidence);
  if (after.cut) return Finding.inconclusive(phrase`the view is too long to read`, evidence);
  const { primary } = await probe.organizations();
  if (showsAnother(after, primary)) {
    return Finding.inconclusive(phrase`the view shows another organization`, evidence);
  }
  // The contract has no other field, so that a view need not show what was edited.
  const shown = organizationOf(after.json(), probe.target.operations.viewOrganization, primary);
  if (isObject(shown) && Object.keys(shown).join() === "id") {
    const reason = phrase`the view shows nothing of the organization but its id, so no edit can be seen in it`;
    return Finding.inconclusive(reason, evidence);
  }
  return {
    kind: "fail",
    expected: phrase`an edit that is answered ${status} is seen in the view`,
    actual: phrase`the view does not show ${valueFact(edit.value)}, however often it was asked`,
    evidence,
    ...(!DONE.has(status) && { atMost: "SHOULD" }),
  };
}

async function isNowhereElse(probe: Probe, edit: Edit): Promise<Finding> {
  const { value, seen, elsewhere } = edit;
  const other = await probe.organization("other");
  if (!elsewhere || reception(elsewhere) !== "accepted") {
    return Finding.inconclusive(phrase`the other organization could not be viewed`);
  }
  const evidence = { ...edit.evidence, probes: [...edit.evidence.probes, elsewhere.exchange.id] };
  if (showsAnother(elsewhere, other)) {
    return Finding.inconclusive(phrase`the view does not show that organization`, evidence);
  }
  if (shows(elsewhere, value)) {
    return {
      kind: "fail",
      expected: phrase`an edit changes the organization that it names, and no other`,
      actual: phrase`the view of the other organization shows ${valueFact(value)}`,
      evidence,
    };
  }
  return seen ? Finding.pass(evidence) : unseen({ ...edit, evidence });
}

/** The rule `resources.view` judges what the view shows. */
function showsAnother(view: Reply, organization: string | undefined): boolean {
  const body = view.json();
  return organizationIds(body).length > 0 && !showsOrganization(body, organization ?? "");
}

/** Compared with the view before the first edit of the run: a later one shows what that edit has left. */
async function unnamedMembers(probe: Probe, edit: Edit): Promise<Finding> {
  const { after, seen, evidence } = edit;
  const before = (await probe.original()) ?? edit.before;
  const profile = probe.target.operations.viewOrganization;
  const { primary: asked } = await probe.organizations();
  const view = (reply: Reply): View => ({ body: reply.json(), profile, asked });
  const lost = lostMembers(view(before), view(after));
  if (!seen || !lost) return Finding.observed(phrase`could not be seen`, evidence);
  return Finding.observed(
    lost.length === 0 ? phrase`kept` : phrase`lost: ${lost.join(", ")}`,
    evidence,
  );
}
