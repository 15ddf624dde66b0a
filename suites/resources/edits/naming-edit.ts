import { isObject } from "../../../src/lib/json.ts";
import type { Mutation } from "../../../src/mutations/mutation.ts";
import { Finding, together } from "../../../src/probe/finding.ts";
import { phrase, valueFact } from "../../../src/probe/phrase.ts";
import type { Probe } from "../../../src/probe/probe.ts";
import { showsOrganization } from "../../../src/probe/read/shapes.ts";
import { describeReply, isUnclear, reception } from "../../../src/probe/reception.ts";
import { shows, unrecognisable, valueOf, viewed } from "../../../src/probe/write/unique-marker.ts";
import { plainEdit, unseen } from "../../shared/edit.ts";
import { setBack } from "../../shared/set-back.ts";

const operation = "editOrganization";

/**
 * Judges that an edit of the primary organization whose body has the `id` of another one does not
 * change the other one, because the path names the organization, nor the id of the primary one. The deployment may
 * refuse the edit or ignore the member. What was changed is set back.
 * @param other the organization that the body names
 */
export async function editNaming(probe: Probe, other: string): Promise<Finding> {
  if (!isObject(probe.target.operations[operation]?.body)) {
    return Finding.notApplicable(phrase`the body of an edit is not a JSON object`);
  }
  const edit = await probe.use(plainEdit);
  if (!edit.seen) return unseen(edit);
  const { elsewhere } = edit;
  const before = elsewhere ?? (await viewed(probe, other));
  if (!showsOrganization(before.json(), other)) {
    return Finding.inconclusive(phrase`the view does not show the other organization`);
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
  if (isUnclear(reply)) return Finding.inconclusive(reason, evidence);
  const value = valueOf(probe, reply);
  if (value === undefined)
    return Finding.inconclusive(phrase`${unrecognisable(operation)}`, evidence);
  // An ignored edit is visible nowhere, so only an accepted one is waited for.
  const look = async () => {
    const [there, here] = await together([
      viewed(probe, other),
      received === "accepted" ? viewed(probe) : Promise.resolve(undefined),
    ]);
    const isThere = shows(there, value);
    return { there, here, isThere, isHere: here !== undefined && !isThere && shows(here, value) };
  };
  const { there, here, isThere, isHere } = await probe.eventually(
    look,
    (seen) => received !== "accepted" || seen.isHere || seen.isThere,
  );
  const probes = [...evidence.probes, there.exchange.id];
  const { primary = "" } = await probe.organizations();
  const tookTheId =
    here &&
    isHere &&
    showsOrganization(edit.after.json(), primary) &&
    !showsOrganization(here.json(), primary) &&
    showsOrganization(here.json(), other);
  if (tookTheId) {
    const restored = await setBack(probe, primary, edit.after.json(), { id: primary });
    return {
      kind: "fail",
      expected: phrase`an organization keeps its id, whatever the body of an edit names`,
      actual: phrase`${reason}, and the view of the organization in the path shows the id ${valueFact(other)}${restored ? "" : ", which could not be restored"}`,
      evidence: { ...evidence, probes: [...evidence.probes, here.exchange.id] },
    };
  }
  if (!isThere) {
    const what = isHere ? "the organization of the path is edited" : reason;
    return Finding.pass({ ...evidence, probes }, phrase`${what}`);
  }
  const back = await setBack(probe, other, before.json());
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
