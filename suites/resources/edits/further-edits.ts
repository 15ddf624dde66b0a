import type { Reply } from "../../../src/http/exchange.ts";
import type { Mutation } from "../../../src/mutations/mutation.ts";
import { type Evidence, Finding } from "../../../src/probe/finding.ts";
import { type Phrase, phrase, valueFact } from "../../../src/probe/phrase.ts";
import type { Probe } from "../../../src/probe/probe.ts";
import { describeReply, reception } from "../../../src/probe/reception.ts";
import { isWriteLimit } from "../../../src/probe/write/not-sent.ts";
import { shows, unrecognisable, valueOf, viewed } from "../../../src/probe/write/unique-marker.ts";
import { DONE, earlierEdit, plainEdit, unseen } from "../../shared/edit.ts";
import { withoutBinding } from "../../shared/mutations/valid-variations.ts";

const operation = "editOrganization";
/** With the plain edit there are five. Some receivers lose one in three, or one in five. */
const FURTHER = 4;
/** So many further edits that are seen at once show that a plain edit that was not seen does not merely take longer. */
const ENOUGH_AT_ONCE = 2;
/** After an edit that takes longer to show, no more are sent, because a run should not take long. */
const SLOW_MS = 1000;

const anotherEdit: Mutation = {
  name: "further-edit",
  what: "another edit that is looked for in the view",
};

/** Code that finds the organization by the binding may save nothing without one. */
const unboundEdit: Mutation = {
  ...withoutBinding,
  name: "further-edit-unbound",
  what: "another edit that is looked for in the view, with an unbound token",
};

/**
 * Judges that further edits are seen in the view as the run's plain edit was, each before the next one is sent. An edit is
 * lost if the view goes on showing an edit before it. If it shows neither, somebody else may have edited. If the other edits
 * have bound tokens, one has an unbound token, which local policy may refuse.
 */
export async function furtherEdits(probe: Probe): Promise<Finding> {
  const plain = await probe.use(plainEdit);
  if (!plain.seen && !DONE.has(plain.status)) return unseen(plain);
  const probes = [...plain.evidence.probes];
  let wasSeen = plain.seen;
  const shownInstead = plain.seen ? undefined : earlierEdit(probe, plain.after);
  let seenAtOnce = 0;
  // If the plain edit was lost, the edits are counted from the next one.
  let isUnbound = (await probe.control(operation)).form.bound;
  for (let left = wasSeen ? FURTHER : FURTHER + 1; left > 0; left -= 1) {
    const mutation = isUnbound ? unboundEdit : anotherEdit;
    const sender = isUnbound ? phrase`, sent with an unbound token` : phrase``;
    const tried = await probe.tryAttempt(mutation, { operation, purpose: "further" });
    if (isUnbound) {
      isUnbound = false;
      const isRefused =
        "finding" in tried
          ? tried.finding.kind === "not-provisioned"
          : reception(tried.attempt.reply) === "rejected";
      if (isRefused) {
        left += 1;
        continue;
      }
    }
    if ("finding" in tried) {
      const { finding } = tried;
      if (!isWriteLimit(finding)) return finding;
      // Other cases need the edits that the run may still make.
      if (probes.length > plain.evidence.probes.length) break;
      return Finding.notApplicable(phrase`the run has made too many edits already`);
    }
    const { reply } = tried.attempt;
    probes.push(reply.exchange.id);
    const evidence = { ...plain.evidence, probes };
    if (reception(reply) !== "accepted")
      return Finding.inconclusive(describeReply(reply), evidence);
    const value = valueOf(probe, reply);
    if (value === undefined)
      return Finding.inconclusive(phrase`${unrecognisable(operation)}`, evidence);
    const sentMs = performance.now();
    const look = (): Promise<Reply> =>
      probe.eventually(
        () => viewed(probe),
        (shown) => shows(shown, value),
      );
    let view = await look();
    // A replica may lag longer than it did before. If no edit was seen so far, nothing follows from that.
    if (wasSeen && !shows(view, value)) view = await look();
    probes.push(view.exchange.id);
    if (shows(view, value)) {
      wasSeen = true;
      if (performance.now() - sentMs > SLOW_MS) break;
      seenAtOnce += 1;
      if (shownInstead !== undefined && seenAtOnce === ENOUGH_AT_ONCE)
        return lost(plain.status, plain.value, shownInstead, evidence);
      continue;
    }
    const before = earlierEdit(probe, view);
    if (view.cut || !wasSeen || !before) {
      const reason = view.cut
        ? phrase`the view is too long to read`
        : phrase`the view shows neither this edit nor one before it`;
      return Finding.inconclusive(reason, evidence);
    }
    return lost(reply.status, value, before, evidence, sender);
  }
  return Finding.pass({ ...plain.evidence, probes });
}

/** The finding about an edit that is not seen, though others are. */
function lost(
  status: number,
  value: string,
  before: string,
  evidence: Evidence,
  sender: Phrase = phrase``,
): Finding {
  return {
    kind: "fail",
    expected: phrase`every edit that is answered ${status} is seen in the view`,
    actual: phrase`the view does not show ${valueFact(value)}${sender}, however often it was asked, and still shows an edit before it, ${valueFact(before)}`,
    evidence,
    // Other edits are seen, so a second try may be seen too.
    certainty: "proof",
    ...(!DONE.has(status) && { atMost: "SHOULD" }),
  };
}
