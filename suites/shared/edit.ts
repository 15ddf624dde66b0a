import type { Reply } from "../../src/http/exchange.ts";
import { endCase, type Evidence, Finding, optional, together } from "../../src/probe/finding.ts";
import { type Phrase, phrase } from "../../src/probe/phrase.ts";
import type { Fixture, Probe } from "../../src/probe/probe.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { shows, unrecognisable, valueOf, viewed } from "../../src/probe/write/unique-marker.ts";
import { idsShowing, pageShowing, readFeed } from "./feed.ts";
import { offered } from "./kind.ts";

/** After any other 2xx, such as 202, the edit may still be in progress. */
export const DONE: ReadonlySet<number> = new Set([200, 204]);

/** One accepted edit of the primary organization, and the readings before and after it. */
export interface Edit {
  /** The status of its answer, 2xx. */
  readonly status: number;
  readonly value: string;
  readonly before: Reply;
  /** The view that showed the edit, or the last one that did not. */
  readonly after: Reply;
  readonly seen: boolean;
  /** The view of the other organization after the edit; `undefined` where there is none. */
  readonly elsewhere: Reply | undefined;
  /** How the feed shows the edit, as a phrase; `undefined` where no feed could be read. */
  readonly listed: string | undefined;
  readonly evidence: Evidence;
}

/**
 * The run's own edit, for all rules about the effects of an edit. The readings follow at once, before
 * the engine repeats the control, because an edit hides the one before it.
 */
export const plainEdit: Fixture<Edit> = {
  name: "edit",
  scope: "run",
  needs: ["writes", "organizations.primary", "operations.editOrganization.body"],
  async setup(probe): Promise<Edit> {
    offered(probe, "viewOrganization");
    offered(probe, "editOrganization");
    const before = await viewed(probe);
    const { reply, evidence } = await probe.attempt(
      { name: "edit", what: "an edit that is looked for in the view" },
      { operation: "editOrganization", purpose: "needed" },
    );
    const undecided = (reason: Phrase, own = evidence): never =>
      endCase(Finding.inconclusive(reason, own));
    if (reception(reply) !== "accepted") undecided(describeReply(reply));
    const value = valueOf(probe, reply) ?? undecided(phrase`${unrecognisable("editOrganization")}`);
    const { other } = await probe.organizations();
    const look = () =>
      probe.eventually(
        () =>
          together([
            viewed(probe),
            other === undefined ? Promise.resolve(undefined) : viewed(probe, other),
            whereListed(probe, value),
          ]),
        ([shown]) => shows(shown, value),
      );
    let looked = await look();
    // A replica may lag longer than it did before.
    if (earlierEdit(probe, looked[0]) && !shows(looked[0], value)) looked = await look();
    const [after, elsewhere, listed] = looked;
    const own = { ...evidence, probes: [reply.exchange.id, after.exchange.id] };
    if (reception(after) !== "accepted") {
      undecided(phrase`the view after the edit: ${describeReply(after)}`, own);
    }
    const seen = shows(after, value);
    for (const one of [before, after, elsewhere]) one?.keep();
    return {
      status: reply.status,
      value,
      before,
      after,
      seen,
      elsewhere,
      listed,
      evidence: own,
    };
  },
};

/** The value of an edit of this run that a view shows; `undefined` where it shows none. */
export function earlierEdit(
  { seen: { uniqueValues } }: Probe,
  view: Pick<Reply, "body">,
): string | undefined {
  return uniqueValues.find(
    ({ operation, value }) => operation === "editOrganization" && shows(view, value),
  )?.value;
}

/**
 * The finding about the effects of an edit that was not seen. After a 202 the deployment need not act, RFC 9110 section 15.3.3,
 * and then there are none.
 */
export function unseen({ status, evidence }: Pick<Edit, "status" | "evidence">): Finding {
  return DONE.has(status)
    ? Finding.inconclusive(phrase`the edit is seen nowhere`, evidence)
    : Finding.notApplicable(phrase`an edit is answered ${status}, and seen nowhere`);
}

async function whereListed(probe: Probe, value: string): Promise<string | undefined> {
  const feed = await optional(readFeed(probe));
  if (!feed) return undefined;
  if (!pageShowing(feed, value)) return "not in the feed";
  return idsShowing(feed, value).length > 0
    ? "in the feed, with an id"
    : "in the feed, without an id";
}
