import type { Reply } from "../../http/exchange.ts";
import { isObject } from "../../lib/json.ts";
import type { Mutation } from "../../mutations/mutation.ts";
import { optional, together } from "../case-end.ts";
import type { Finding } from "../finding.ts";
import { phrase, valueFact } from "../phrase.ts";
import type { Probe } from "../probe.ts";
import { showsOrganization } from "../read/shapes.ts";
import { describeReply, hungUp, reception } from "../reception.ts";
import { plainEdit, unseen } from "./edit.ts";
import { restoringBody } from "./restore.ts";
import { shows, unrecognisable, valueOf, viewed } from "./unique-marker.ts";

const operation = "editOrganization";

/**
 * Judges that an edit of the primary organization whose body has the `id` of another one does not
 * change the other one, because the path names the organization. The deployment may refuse the edit
 * or ignore the member. If the other organization was changed, it is set back.
 * @param other the organization that the body names
 */
export async function editNaming(probe: Probe, other: string): Promise<Finding> {
  if (!isObject(probe.target.operations[operation]?.body)) {
    return { kind: "not-applicable", reason: phrase`the body of an edit is not a JSON object` };
  }
  const edit = await probe.use(plainEdit);
  if (!edit.seen) return unseen(edit);
  const { elsewhere } = edit;
  const before = elsewhere ?? (await viewed(probe, other));
  if (!showsOrganization(before.json(), other)) {
    return { kind: "inconclusive", reason: phrase`the view does not show the other organization` };
  }
  const bound =
    probe.target.bindingClaim && "control" in (await probe.tryControl(operation, BOUND));
  const { reply, evidence } = await probe.attempt(naming(other), {
    operation,
    bound: bound ? true : undefined,
    purpose: "needed",
  });
  const received = reception(reply);
  const reason = describeReply(reply);
  if (received === "unclear" && !hungUp(reply)) return { kind: "inconclusive", reason, evidence };
  const value = valueOf(probe, reply);
  if (value === undefined) {
    return { kind: "inconclusive", reason: phrase`${unrecognisable(operation)}`, evidence };
  }
  // An ignored edit is visible nowhere, so only an accepted one is waited for.
  const look = async (): Promise<{ there: Reply; isThere: boolean; isHere: boolean }> => {
    const [there, here] = await together([
      viewed(probe, other),
      received === "accepted" ? viewed(probe) : Promise.resolve(undefined),
    ]);
    const isThere = shows(there, value);
    return { there, isThere, isHere: here !== undefined && !isThere && shows(here, value) };
  };
  const { there, isThere, isHere } = await probe.eventually(
    look,
    (seen) => received !== "accepted" || seen.isHere || seen.isThere,
  );
  const probes = [...evidence.probes, there.exchange.id];
  if (!isThere) {
    const what = isHere ? "the organization of the path is edited" : reason;
    return { kind: "pass", reason: phrase`${what}`, evidence: { ...evidence, probes } };
  }
  const back = await cleanUp(probe, other, before.json());
  return {
    kind: "fail",
    expected: phrase`an edit changes the organization that its path names, whatever its body names`,
    actual: phrase`${reason}, and the view of the organization in the body shows ${valueFact(value)}${back ? "" : ", which could not be restored"}`,
    evidence: { ...evidence, probes },
  };
}

const BOUND = { bound: true } as const;

function naming(other: string): Mutation {
  return {
    name: "id-of-another",
    what: "the body has the `id` of another organization",
    request: (spec) => {
      const body = JSON.parse(spec.body ?? "{}") as object;
      return { ...spec, body: JSON.stringify({ ...body, id: other }) };
    },
  };
}

/** @returns whether an edit that sets the other organization back was accepted */
async function cleanUp(probe: Probe, other: string, body: unknown): Promise<boolean> {
  const { editOrganization, viewOrganization } = probe.target.operations;
  const view = { body, profile: viewOrganization, asked: other };
  const restoring = restoringBody(editOrganization?.body, editOrganization?.contentType, view);
  if (restoring === undefined) return false;
  const change: Mutation = {
    name: "set-back",
    what: "the body restores what was edited",
    request: (spec) => ({ ...spec, body: JSON.stringify(restoring) }),
  };
  const options = { operation, organization: other, purpose: "control" } as const;
  const back = await optional(probe.attempt(change, options));
  return back !== undefined && reception(back.reply) === "accepted";
}
