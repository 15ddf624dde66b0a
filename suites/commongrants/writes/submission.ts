import type { Reply } from "../../../src/http/exchange.ts";
import { isObject, type JsonObject, parseJson } from "../../../src/lib/json.ts";
import { endCase, type Evidence, Finding, optional } from "../../../src/probe/finding.ts";
import type { Fixture, Probe } from "../../../src/probe/probe.ts";
import { describeReply, reception } from "../../../src/probe/reception.ts";
import { newUnique } from "../../../src/probe/request.ts";
import { reading } from "../../../src/probe/write/unique-marker.ts";
import { isSame, type Outcome, outcomesOf } from "../profile/compare.ts";
import { feedShowing, type Shown } from "./feed.ts";
import { merges } from "./merges.ts";
import { idOf, type Revision, revisionIn, statusOf, writtenId } from "./revision.ts";
import { type Sent, sendNeeded, sendPatch, setBack, type View, view, WRITES } from "./send.ts";

/** An accepted submission, and what became of the profile. */
export interface Submitted extends Sent {
  readonly revision: Revision | undefined;
  /** `status.value` in the answer. */
  readonly status: string | undefined;
  /** The view before and after it, where views are offered. */
  readonly views: { readonly before: View; readonly after: View } | undefined;
  /** What the view shows of its members. Empty without a view. */
  readonly outcomes: readonly Outcome[];
  /** `status.value` when the change was read after the view; `undefined` where it could not be read. */
  readonly later: string | undefined;
  /** The feed right after it; `undefined` where none could be read. */
  readonly feed: readonly Shown[] | undefined;
  /** The request, the views, and the change. */
  readonly evidence: Evidence;
}

/** The submission of the primary organization that the rules look at. */
export const submitted: Fixture<Submitted> = {
  name: "submitted",
  scope: "run",
  needs: [...WRITES, "operations.submitChange.body"],
  async setup(probe): Promise<Submitted> {
    const edited = await optional(probe.use(merges));
    const { viewOrganization, readChange } = probe.target.operations;
    const former = viewOrganization && (await optional(view(probe)));
    const stores = edited?.stores ?? (() => true);
    const before = edited && former ? await filled(probe, former) : former;
    const sent = await submit(probe, stores);
    if (reception(sent.reply) !== "accepted")
      endCase(Finding.inconclusive(describeReply(sent.reply), sent.evidence));
    const revision = revisionIn(sent.reply);
    const status = statusOf(revision);
    const looked = before && (await look(probe, before, sent, status, stores));
    const id = writtenId(revision);
    const read = readChange && id !== undefined ? await optional(readBy(probe, id)) : undefined;
    const feed = probe.target.operations.readChangesFeed
      ? await optional(feedShowing(probe, idOf(revision)))
      : undefined;
    if (former && edited) await optional(setBack(probe, former));
    for (const reply of [before?.reply, looked?.after.reply, sent.reply]) reply?.keep();
    const exchanges = [before?.reply, sent.reply, looked?.after.reply, read];
    return {
      ...sent,
      revision,
      status,
      views: before && looked && { before, after: looked.after },
      outcomes: looked?.outcomes ?? [],
      feed,
      later: read && statusOf(revisionIn(read)),
      evidence: {
        ...sent.evidence,
        probes: exchanges.flatMap((reply) => reply?.exchange.id ?? []),
      },
    };
  },
};

/** Submits a patch of members at two depths, or one with fewer where a deployment refuses what it does not store. */
async function submit(probe: Probe, stores: (place: string) => boolean): Promise<Sent> {
  const mission = { mission: `Conformance ${newUnique()}` };
  const socials = { socials: { website: `https://www.example.org/${newUnique()}` } };
  const patches: readonly JsonObject[] = [
    ...(stores("socials.website") ? [{ ...mission, ...socials }] : []),
    ...(stores("mission") ? [mission] : []),
  ];
  for (const [at, patch] of patches.entries()) {
    const what = "the body is a merge patch";
    const sent = await sendNeeded(
      probe,
      "submitChange",
      at === 0 ? "submission" : "small-submission",
      what,
      patch,
    );
    if (reception(sent.reply) !== "rejected") return sent;
  }
  const own = { name: "own-submission", what: "a submission that is looked for in the view" };
  const { reply, evidence } = await probe.attempt(own, {
    operation: "submitChange",
    purpose: "needed",
  });
  return { patch: bodyOf(reply), reply, evidence };
}

/** The patch that a request had. */
function bodyOf({ exchange }: Reply): JsonObject {
  const patch = parseJson(exchange.request.body ?? "");
  return isObject(patch) ? patch : {};
}

/** Gives the profile members that a submission does not name, because it may lose them. */
async function filled(probe: Probe, former: View): Promise<View> {
  const patch = {
    yearFounded: "1902",
    socials: { facebook: "https://www.example.org/before-a-submission" },
  };
  const what = "the body has members that the submission after it does not name";
  const sent = await sendPatch(probe, "editOrganization", "before-submission", what, patch);
  if (!sent || reception(sent.reply) !== "accepted") return former;
  const isShown = ({ profile }: View): boolean => !isSame(profile, former.profile);
  return probe.eventually(() => view(probe), isShown);
}

/** Views the profile after a submission: until it shows, where it was accepted at once. */
async function look(
  probe: Probe,
  before: View,
  sent: Sent,
  status: string | undefined,
  stores: (place: string) => boolean,
): Promise<{ readonly after: View; readonly outcomes: readonly Outcome[] }> {
  const once = async (): Promise<{ after: View; outcomes: readonly Outcome[] }> => {
    const after = await view(probe);
    return { after, outcomes: outcomesOf(before.profile, sent.patch, after.profile, stores) };
  };
  return probe.eventually(
    once,
    ({ outcomes }) => status !== "accepted" || outcomes.every(({ isRight }) => isRight),
  );
}

/** Reads a change of the primary organization by its id. @throws CaseEnd where it is not shown */
export async function readBy(probe: Probe, changeId: string): Promise<Reply> {
  const options = { operation: "readChange", changeId } as const;
  const { reply, evidence } = await probe.eventually(
    () => probe.attempt(reading, options),
    (one) => reception(one.reply) !== "rejected",
  );
  return reception(reply) === "accepted"
    ? reply
    : endCase(Finding.inconclusive(describeReply(reply), evidence));
}
