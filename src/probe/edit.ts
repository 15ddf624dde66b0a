import type { Reply } from "../http/exchange.ts";
import { pageShowing, idsShowing, notOffered, readFeed } from "./feed.ts";
import type { Evidence, Finding } from "./finding.ts";
import type { AttemptResult, Probe } from "./probe.ts";
import { describeReply, reception } from "./reception.ts";
import { reading, shows, unrecognisable, valueOf } from "./written.ts";

/** One accepted edit of the primary organization, and all that was looked at before and after it. */
export interface Edit {
  /** The status of its answer, 2xx. */
  readonly status: number;
  readonly value: string;
  readonly before: Reply;
  /** The view that showed the edit, or the last one that did not. */
  readonly after: Reply;
  readonly seen: boolean;
  /** The view of the other organization after that; `undefined` where there is none. */
  readonly elsewhere: Reply | undefined;
  /** Where the feed shows it: an id, or in words; `undefined` where no feed could be read. */
  readonly listed: string | undefined;
  readonly evidence: Evidence;
}

/** The run's own edit: made once, for all rules that look at what becomes of one. */
export function plainEdit(probe: Probe): Promise<{ edit: Edit } | { finding: Finding }> {
  return probe.once("edit", editAndLook, "run");
}

/** Looks for the edit at once, before the engine sends the control again: an edit hides the one before it. */
async function editAndLook(probe: Probe): Promise<{ edit: Edit } | { finding: Finding }> {
  const { viewOrganization, editOrganization } = probe.target.operations;
  if (!viewOrganization) return notOffered("viewOrganization");
  if (!editOrganization) return notOffered("editOrganization");
  const view = (organization?: string): Promise<AttemptResult> =>
    probe.tryAttempt(reading, { operation: "viewOrganization", organization });
  const before = await view();
  if ("finding" in before) return before;
  const sent = await probe.tryAttempt(
    { name: "edit", what: "an edit that is looked for in the view" },
    { operation: "editOrganization", purpose: "needed" },
  );
  if ("finding" in sent) return sent;
  const { reply, evidence } = sent.attempt;
  if (reception(reply) !== "accepted") return undecided(describeReply(reply), evidence);
  const value = valueOf(probe, reply);
  if (value === undefined) return undecided(unrecognisable("editOrganization"), evidence);
  const isSeen = (result: AttemptResult): boolean =>
    "attempt" in result && shows(result.attempt.reply, value);
  const after = await probe.eventually(() => view(), isSeen);
  if ("finding" in after) return after;
  const last = after.attempt.reply;
  const probes = [reply.exchange.id, last.exchange.id];
  if (reception(last) !== "accepted") {
    const reason = `the view after the edit: ${describeReply(last)}`;
    return undecided(reason, { ...evidence, probes });
  }
  const { other } = await probe.organizations();
  const elsewhere = other === undefined ? undefined : await view(other);
  return {
    edit: {
      status: reply.status,
      value,
      before: before.attempt.reply,
      after: last,
      seen: isSeen(after),
      elsewhere: elsewhere && "attempt" in elsewhere ? elsewhere.attempt.reply : undefined,
      listed: await whereListed(probe, value),
      evidence: { ...evidence, probes },
    },
  };
}

async function whereListed(probe: Probe, value: string): Promise<string | undefined> {
  const read = await readFeed(probe);
  if ("finding" in read) return undefined;
  if (!pageShowing(read.feed, value)) return "not in the feed";
  return idsShowing(read.feed, value).length > 0
    ? "in the feed, with an id"
    : "in the feed, without an id";
}

function undecided(reason: string, evidence: Evidence): { finding: Finding } {
  return { finding: { kind: "undecided", reason, evidence } };
}
