import { OPERATION_IDS, OPERATIONS, type OperationId } from "../contract/operations.ts";
import type { Reply } from "../http/exchange.ts";
import type { ControlResult } from "../probe/controls/control.ts";
import { ownWords } from "../probe/own-words.ts";
import { inWords } from "../probe/phrase.ts";
import { describeReply, reception } from "../probe/reception.ts";
import type { Target } from "../profile/target.ts";
import { addsSlash, slashRemedy } from "../setup/why-refused.ts";
import {
  acceptedOperations,
  type Bench,
  blockingFault,
  type Check,
  type Line,
  ok,
  unknown,
  waiting,
} from "./check.ts";
import type { Written } from "./writes.ts";

/** Statuses of a good request that a run takes for a matter of the set-up. */
const OF_THE_SETUP: ReadonlySet<number> = new Set([400, 403, 406, 409, 412, 415, 422, 428]);

/**
 * Checks which of the offered operations accept a good request.
 * @param written what the writes showed; `undefined` where none was asked for
 */
export function operationChecks(bench: Bench, written: Written | undefined): Check[] {
  return OPERATION_IDS.map((id) =>
    OPERATIONS[id].writes ? writeCheck(bench, id, written) : readCheck(bench, id),
  );
}

function writeCheck(bench: Bench, id: OperationId, written: Written | undefined): Check {
  const { target, setup } = bench;
  const line = lineOf(id);
  const route = routeOf(id);
  if (!target.operations[id]) return notOffered(id);
  if (!written) {
    return unknown(
      line,
      `${route}: not tried; \`orgsync-conformance doctor --writes\` sends it once${consentFor(target)}`,
    );
  }
  const fault = blockingFault(setup);
  if (fault) return waiting(line, fault, route);
  if (!target.writes) return unknown(line, `${route}: not tried${consentFor(target)}`);
  return resultCheck(bench, id, written.results.get(id));
}

/** What the profile must say before anything is written; empty where it says so. */
function consentFor({ consent, writes }: Target): string {
  if (writes) return "";
  return consent
    ? ", once the profile names `organizations.primary`"
    : ", once the profile has writes: true and names `organizations.primary`";
}

function readCheck(bench: Bench, id: OperationId): Check {
  const { target, setup } = bench;
  if (!target.operations[id]) return notOffered(id);
  const result = setup.results.get(id);
  const fault = blockingFault(setup);
  const isAccepted = result && "control" in result;
  if (!isAccepted && fault && (OPERATIONS[id].organization || !setup.acceptsSomeToken)) {
    return waiting(lineOf(id), fault, routeOf(id));
  }
  return resultCheck(bench, id, result);
}

function resultCheck(bench: Bench, id: OperationId, result: ControlResult | undefined): Check {
  const line = lineOf(id);
  const route = routeOf(id);
  if (result && "control" in result) {
    const { reply, place } = result.control;
    const named = bench.target.operations[id]?.changeId;
    const asked = named === undefined || named === place.changeId;
    const instead = asked ? "" : `, with another change than ${named}`;
    return ok(line, `${route}: ${inWords(describeReply(reply))}${instead}`);
  }
  const finding = result?.refusal.finding;
  const reply = result?.refusal.reply;
  if (!reply) {
    const keys = finding?.kind === "not-provisioned" ? finding.keys.join(", ") : "what it needs";
    return unknown(line, `${route}: not tried, the profile lacks ${keys}`);
  }
  const isOfSetup =
    OF_THE_SETUP.has(reply.status) || reception(reply) === "unclear" || addsSlash(reply);
  const isUnknownChange = OPERATIONS[id].change && reply.status === 404;
  const others = acceptedOperations(bench).length > 0 ? ", though another operation does" : "";
  const said = ownWords(reply);
  return {
    ...line,
    // A run judges any other answer by `routes.reachable`.
    state: isUnknownChange || isOfSetup ? "problem" : "violation",
    detail: `${route} does not accept a good token${others}: ${inWords(describeReply(reply))}.${said === undefined ? "" : ` It says: ${said}`}`,
    ...adviceFor(bench, id, reply),
  };
}

/** What to change where the good request of an operation is refused. */
function adviceFor(
  { target }: Bench,
  id: OperationId,
  reply: Reply,
): Pick<Check, "remedy" | "side"> {
  const { change, writes, scope } = OPERATIONS[id];
  const key = `operations.${id}`;
  if (addsSlash(reply)) return inProfile(slashRemedy([id]));
  if (change && reply.status === 404) {
    return inProfile(
      `Name a change that exists in \`organizations.primary\` in the profile: ${key}.changeId.`,
    );
  }
  const otherwise = `if the deployment does not offer it, say so in the profile: ${key}: false.`;
  if (writes) {
    switch (reply.status) {
      case 400:
      case 422:
        return inProfile(`Name a body that the deployment accepts in the profile: ${key}.body.`);
      case 415:
        return inProfile(`Name the body's media type in the profile: ${key}.contentType.`);
      case 412:
      case 428:
        return inProfile(
          `Name the header that it needs in the profile, such as ${key}.headers: { If-Match: "\${etag}" }.`,
        );
      case 401:
      case 403:
        return {
          side: "deployment",
          remedy: `Let ${target.subject} use it with the scope ${scope} alone, as the contract says; ${otherwise}`,
        };
    }
  }
  return { side: "deployment", remedy: `Make it answer 2xx, or, ${otherwise}` };
}

function notOffered(id: OperationId): Check {
  return ok(lineOf(id), `${routeOf(id)}: not offered, according to the profile`);
}

function lineOf(id: OperationId): Line {
  return { id: `operation.${id}`, title: id };
}

function routeOf(id: OperationId): string {
  return `${OPERATIONS[id].method} ${OPERATIONS[id].path}`;
}

function inProfile(remedy: string): Pick<Check, "remedy" | "side"> {
  return { remedy, side: "profile" };
}
