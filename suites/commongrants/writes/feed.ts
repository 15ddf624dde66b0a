import { isObject } from "../../../src/lib/json.ts";
import { endCase, Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import { type Fixture, type Probe } from "../../../src/probe/probe.ts";
import { findItems } from "../../../src/probe/read/items.ts";
import { exactJson } from "../../../src/probe/read/shapes.ts";
import { reception } from "../../../src/probe/reception.ts";
import { describeReply } from "../../../src/probe/reception.ts";
import { newUnique } from "../../../src/probe/request.ts";
import { readFeed } from "../../shared/feed.ts";
import { merges } from "./merges.ts";
import { idOf, isRevision, type Revision, revisionIn } from "./revision.ts";
import { sendNeeded, setBack, view, WRITES } from "./send.ts";

/** A revision, and the exchange that shows it. */
export interface Shown {
  readonly revision: Revision;
  readonly exchange: string;
  readonly control?: string | undefined;
}

/** The revisions that the feed shows now. @throws CaseEnd where it is not offered or not accepted */
export async function feedNow(probe: Probe): Promise<Shown[]> {
  const { pages, items, evidence } = await readFeed(probe);
  if (items === undefined)
    endCase(Finding.inconclusive(phrase`no list can be found in the feed`, evidence));
  const profile = probe.target.operations.readChangesFeed;
  for (const page of pages) page.keep();
  return pages.flatMap((page) =>
    (findItems(exactJson(page), profile) ?? [])
      .filter((item) => isRevision(item) || (isObject(item) && Object.hasOwn(item, "id")))
      .map((item) => ({ revision: item, exchange: page.exchange.id })),
  );
}

/** The revisions once the feed shows the one with an id, or the run's patience ends. */
export function feedShowing(probe: Probe, id: string | undefined): Promise<Shown[]> {
  return probe.eventually(
    () => feedNow(probe),
    (all) => id === undefined || all.some(({ revision }) => idOf(revision) === id),
  );
}

/** An accepted edit, and the feed right after it: a feed that is squashed may drop it later. */
export interface Recorded {
  readonly revision: Revision | undefined;
  /** `undefined` where it could not be read. */
  readonly feed: readonly Shown[] | undefined;
}

export const recordedEdit: Fixture<Recorded> = {
  name: "recorded edit",
  scope: "run",
  needs: [...WRITES, "operations.editOrganization.body"],
  async setup(probe): Promise<Recorded> {
    const { stores } = await probe.use(merges);
    const former = await view(probe);
    const place = ["mission", "name", "yearFounded"].find(stores) ?? "mission";
    const value = place === "yearFounded" ? "1904" : `Conformance ${newUnique()}`;
    const what = "the body has one member";
    const sent = await sendNeeded(probe, "editOrganization", "recorded", what, { [place]: value });
    if (reception(sent.reply) !== "accepted")
      endCase(Finding.inconclusive(describeReply(sent.reply), sent.evidence));
    const revision = revisionIn(sent.reply);
    const feed = await feedShowing(probe, idOf(revision));
    await setBack(probe, former);
    return { revision, feed };
  },
};
