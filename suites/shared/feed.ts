import type { Reply } from "../../src/http/exchange.ts";
import {
  endCase,
  type Evidence,
  Finding,
  notProvisioned,
  optional,
} from "../../src/probe/finding.ts";
import { isWhole, withFurtherPages } from "../../src/probe/pagination/further-pages.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { AttemptOptions, Fixture, Probe } from "../../src/probe/probe.ts";
import { type FoundId, listedChanges } from "../../src/probe/read/change-ids.ts";
import { findItems } from "../../src/probe/read/items.ts";
import { exactJson, findPaginationInfo } from "../../src/probe/read/shapes.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { reading, shows } from "../../src/probe/write/unique-marker.ts";
import type { Facts } from "../../src/profile/facts.ts";
import type { OperationProfile } from "../../src/profile/operation.ts";
import { offered } from "./kind.ts";

/**
 * What was read of a feed: all of a short one, the first and last pages of a long one. Items and
 * changes are extracted on demand, because few cases need them and a long feed is large.
 */
export interface Feed {
  readonly pages: readonly Reply[];
  /** The items of these pages; `undefined` where the first page has no recognisable list. */
  readonly items: readonly unknown[] | undefined;
  /** The items with an id, in their order. */
  readonly changes: readonly { readonly item: unknown; readonly ids: readonly FoundId[] }[];
  readonly evidence: Evidence;
}

/**
 * Reads the feed of an organization, by default the primary one, with a good token.
 * @throws CaseEnd where the feed is not offered or not accepted
 */
export async function readFeed(
  probe: Probe,
  options: Pick<AttemptOptions, "bound" | "organization"> = {},
): Promise<Feed> {
  const operation = "readChangesFeed";
  const profile = offered(probe, operation);
  const { reply, evidence } = await probe.attempt(reading, { operation, ...options });
  if (reception(reply) !== "accepted") {
    endCase(Finding.inconclusive(phrase`the feed: ${describeReply(reply)}`, evidence));
  }
  const pages = await withFurtherPages(probe, reply, profile, { operation, ...options });
  const organization = options.organization ?? (await probe.organizations()).primary;
  return {
    pages,
    get items() {
      return findItems(exactJson(reply), profile)
        ? pages.flatMap((page) => findItems(exactJson(page), profile) ?? [])
        : undefined;
    },
    get changes() {
      return pages.flatMap((page) => listedChanges(page, profile, organization) ?? []);
    },
    evidence: { ...evidence, probes: pages.map(({ exchange }) => exchange.id) },
  };
}

/** Whether everything that a feed lists was read. */
export function isReadWhole({ pages, items }: Feed, profile: OperationProfile): boolean {
  if (items === undefined) return false;
  return isWhole(pages, items.length, findPaginationInfo(pages[0]?.json(), profile));
}

/** The page of a feed that shows a value. */
export function pageShowing({ pages }: Feed, value: string): Reply | undefined {
  return pages.find((page) => shows(page, value));
}

/** The change of a feed that shows a value. */
export function changeShowing(
  { changes }: Pick<Feed, "changes">,
  value: string,
): Feed["changes"][number] | undefined {
  return changes.find(({ item }) => shows({ body: JSON.stringify(item) }, value));
}

/** Its ids; empty where it has none. */
export function idsShowing(feed: Feed, value: string): readonly FoundId[] {
  return changeShowing(feed, value)?.ids ?? [];
}

/** The finding where the feed lists fewer changes than a rule needs. */
export function tooFewChanges(
  { writes, readOnly, operations }: Facts,
  changes: number,
  needed: number,
): Finding {
  const submits = operations.submitChange && !readOnly;
  if (submits && !writes) return notProvisioned("writes");
  const has = changes === 0 ? "is empty" : `lists ${changes}`;
  const wanted = needed === 1 ? "a change" : `${needed} changes`;
  const how = submits
    ? "; if it lists a change only after a review, review those that this run has submitted, and run again"
    : "; make some there, and run again";
  const reason = phrase`the feed of the primary organization ${has}: it must show ${wanted}${how}`;
  return Finding.inconclusive(reason);
}

/** The id of a change in the feed of the other organization; `undefined` if the feed shows none. */
export const otherChange: Fixture<string | undefined> = {
  name: "a change of the other organization",
  scope: "run",
  async setup(probe): Promise<string | undefined> {
    const operation = "readChangesFeed";
    const { other } = await probe.organizations();
    const profile = probe.target.operations[operation];
    if (other === undefined || !profile) return undefined;
    const feed = await optional(probe.attempt(reading, { operation, organization: other }));
    if (!feed || reception(feed.reply) !== "accepted") return undefined;
    return listedChanges(feed.reply, profile, other)?.[0]?.ids[0]?.id;
  },
};
