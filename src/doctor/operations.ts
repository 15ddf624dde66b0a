import { OPERATION_IDS, OPERATIONS, type OperationId } from "../contract/operations.ts";
import { inWords } from "../probe/phrase.ts";
import { describeReply } from "../probe/reception.ts";
import { type Bench, blockingFault, type Check, ok, unknown, waiting } from "./check.ts";

/** Statuses of a good request that a run takes for a matter of the set-up. */
const OF_THE_SETUP: ReadonlySet<number> = new Set([400, 403, 406, 409, 412, 415, 422, 428]);

/** Checks which of the offered operations accept a good request, as far as reads tell it. */
export function operationChecks(bench: Bench): Check[] {
  return OPERATION_IDS.map((id) => operationCheck(bench, id));
}

function operationCheck({ target, setup }: Bench, id: OperationId): Check {
  const { method, path, writes, organization, change } = OPERATIONS[id];
  const line = { id: `operation.${id}`, title: id };
  const route = `${method} ${path}`;
  if (!target.operations[id]) return ok(line, `${route}: not offered, according to the profile`);
  if (writes) return unknown(line, `${route}: not tried, a ${method} might write`);
  const result = setup.results.get(id);
  if (result && "control" in result) {
    const { reply, place } = result.control;
    const named = target.operations[id]?.changeId;
    const asked = named === undefined || named === place.changeId;
    const instead = asked ? "" : `, with another change than ${named}`;
    return ok(line, `${route}: ${inWords(describeReply(reply))}${instead}`);
  }
  const fault = blockingFault(setup);
  if (fault && (organization || !setup.acceptsSomeToken)) return waiting(line, fault, route);
  const finding = result?.refusal.finding;
  const reply = result?.refusal.reply;
  if (!reply) {
    const keys = finding?.kind === "not-provisioned" ? finding.keys.join(", ") : "what it needs";
    return unknown(line, `${route}: not tried, the profile lacks ${keys}`);
  }
  const unknownChange = change && reply.status === 404;
  return {
    ...line,
    // A run judges any other answer by `routes.reachable`.
    state: unknownChange || OF_THE_SETUP.has(reply.status) ? "problem" : "violation",
    detail: `${route} does not accept a good token, though another operation does: ${inWords(describeReply(reply))}.`,
    remedy: unknownChange
      ? `Name a change that exists in organizations.primary in the profile: operations.${id}.changeId.`
      : `Make it answer 2xx, or, if the deployment does not offer it, say so in the profile: operations.${id}: false.`,
    side: unknownChange ? "profile" : "deployment",
  };
}
