import type { OperationId } from "../../../src/contract/operations.ts";
import { parseJson } from "../../../src/lib/json.ts";
import type { InvalidMutation, Mutation } from "../../../src/mutations/mutation.ts";
import { besideOthers, custom, type MutationCase } from "../../../src/probe/cases.ts";
import { Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Probe } from "../../../src/probe/probe.ts";
import { describeReply, reception } from "../../../src/probe/reception.ts";
import type { RuleCase } from "../../../src/probe/rule.ts";
import { priorValue, restoringBody, leavesOf } from "../../../src/probe/write/restore.ts";
import { viewed } from "../../../src/probe/write/unique-marker.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import { rejectsChanged } from "./changed-write.ts";
import { afterTokenless, type CheckOptions, near } from "./check-options.ts";
import { notJson } from "./long-body.ts";

/** Edits that change nothing. A receiver may answer them before it looks at the token, because nothing has to be done. */

const EDIT: readonly OperationId[] = ["editOrganization"];

const emptyObject: Mutation = {
  name: "empty-object",
  what: "the body is {}",
  request: (spec) => ({ ...spec, body: "{}" }),
};

const withoutBody: Mutation = {
  name: "without-body",
  what: "there is no body and no `Content-Type`",
  request: ({ body: _body, ...spec }) => ({
    ...spec,
    headers: spec.headers.filter(([name]) => name !== "content-type"),
  }),
};

/** A body whose values are there already. */
function equalValue(body: string): Mutation {
  return {
    name: "equal-value",
    what: "the body has the values that the organization has",
    request: (spec) => ({ ...spec, body }),
  };
}

/**
 * Cases for a mutation that must be rejected in an edit that changes nothing too: `<mutation>-empty-object@editOrganization`,
 * `<mutation>-without-body@…` and `<mutation>-equal-value@…`.
 */
export function rejectsWithoutChange(
  facts: Facts,
  mutation: InvalidMutation,
  options: CheckOptions = {},
): RuleCase[] {
  const judge =
    (change: (probe: Probe) => Mutation | Promise<Mutation | Finding>) =>
    async (probe: Probe, { operation }: MutationCase): Promise<Finding> => {
      const changed = await change(probe);
      if ("kind" in changed) return changed;
      return rejectsChanged(probe, operation, mutation, changed, options);
    };
  const inapplicable = notJson(facts, "editOrganization");
  const isViewed = facts.operations.viewOrganization !== undefined;
  return [
    ...custom(
      EDIT,
      [near(mutation, emptyObject)],
      judge(() => emptyObject),
      { inapplicable, ...afterTokenless(mutation, emptyObject.name) },
    ),
    ...custom(
      EDIT,
      [near(mutation, withoutBody)],
      judge(() => withoutBody),
      afterTokenless(mutation, withoutBody.name),
    ),
    ...custom(EDIT, [near(mutation, equalValue(""))], judge(withPriorValues), {
      sends: 2,
      inapplicable: inapplicable ?? (isViewed ? undefined : "viewOrganization is not offered"),
      ...afterTokenless(mutation, equalValue("").name),
    }),
  ].map(besideOthers);
}

async function withPriorValues(probe: Probe): Promise<Mutation | Finding> {
  const { viewOrganization: profile, editOrganization: edit } = probe.target.operations;
  const reply = await viewed(probe);
  if (reception(reply) !== "accepted") return Finding.inconclusive(describeReply(reply));
  const asked = await probe.organization("primary");
  const view = { body: reply.json(), profile, asked };
  const good: unknown = typeof edit?.body === "string" ? parseJson(edit.body) : edit?.body;
  const leaves = leavesOf(good);
  const isShown = leaves.length > 0 && leaves.every((leaf) => priorValue(view, leaf) !== undefined);
  const body = isShown ? restoringBody(good, undefined, view) : undefined;
  return body === undefined
    ? Finding.notApplicable(phrase`the view does not show what an edit sets`)
    : equalValue(JSON.stringify(body));
}
