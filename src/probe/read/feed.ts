import type { Reply } from "../../http/exchange.ts";
import type { Target } from "../../profile/target.ts";
import { endCase, optional, together } from "../case-end.ts";
import type { Evidence, Finding } from "../finding.ts";
import { notProvisioned } from "../not-provisioned.ts";
import { offered } from "../offered.ts";
import { atPage, furtherPages } from "../pages.ts";
import { phrase } from "../phrase.ts";
import type { AttemptOptions, Probe } from "../probe.ts";
import { describeReply, reception } from "../reception.ts";
import { reading, shows } from "../write/unique-marker.ts";
import { type FoundId, listedChanges } from "./change-ids.ts";
import { findItems } from "./items.ts";

/**
 * What was read of a feed: all of a short one, the first and the last pages of a long one. What is on
 * them is found when it is asked for: few need it, and a long feed has much.
 */
export interface Feed {
  readonly pages: readonly Reply[];
  /** Items on these pages; `undefined` where no list can be recognised in the first. */
  readonly items: readonly unknown[] | undefined;
  /** Those that carry an id, in their order. */
  readonly changes: readonly { readonly item: unknown; readonly ids: readonly FoundId[] }[];
  readonly evidence: Evidence;
}

/**
 * Reads the feed of an organization, by default the primary one, with a good token.
 * @throws CaseEnd where it is not offered or not shown
 */
export async function readFeed(
  probe: Probe,
  options: Pick<AttemptOptions, "bound" | "organization"> = {},
): Promise<Feed> {
  const operation = "readChangesFeed";
  const profile = offered(probe, operation);
  const { reply, evidence } = await probe.attempt(reading, { operation, ...options });
  if (reception(reply) !== "accepted") {
    endCase({ kind: "inconclusive", reason: phrase`the feed: ${describeReply(reply)}`, evidence });
  }
  const pages = [reply];
  const further = furtherPages(reply.json(), profile).map((page) =>
    optional(probe.attempt(atPage(page), { operation, ...options })),
  );
  for (const next of await together(further)) {
    if (next && reception(next.reply) === "accepted") pages.push(next.reply);
  }
  const organization = options.organization ?? (await probe.organizations()).primary;
  return {
    pages,
    get items() {
      return findItems(reply.json(), profile)
        ? pages.flatMap((page) => findItems(page.json(), profile) ?? [])
        : undefined;
    },
    get changes() {
      return pages.flatMap((page) => listedChanges(page.json(), profile, organization) ?? []);
    },
    evidence: { ...evidence, probes: pages.map(({ exchange }) => exchange.id) },
  };
}

/** The page of a feed on which a value is shown. */
export function pageShowing({ pages }: Feed, value: string): Reply | undefined {
  return pages.find((page) => shows(page, value));
}

/** The ids of the change in a feed that shows a value; none where it carries none. */
export function idsShowing({ changes }: Feed, value: string): readonly FoundId[] {
  return changes.find(({ item }) => shows({ body: JSON.stringify(item) }, value))?.ids ?? [];
}

/** What a law about changes comes to where the feed lists fewer than it needs. */
export function tooFewChanges(
  { writes, operations }: Target,
  changes: number,
  needed: number,
): Finding {
  if (operations.submitChange && !writes) return notProvisioned("writes");
  const has = changes === 0 ? "is empty" : `lists ${changes}`;
  const wanted = needed === 1 ? "a change" : `${needed} changes`;
  return {
    kind: "inconclusive",
    reason: phrase`the feed of the primary organization ${has}: let it have ${wanted} that the feed shows`,
  };
}
