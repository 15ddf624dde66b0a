import { Finding } from "../../../src/probe/finding.ts";
import { counted } from "../../../src/probe/pagination/page.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Probe } from "../../../src/probe/probe.ts";
import { listedOrganizations } from "../../../src/probe/read/items.ts";
import { reception } from "../../../src/probe/reception.ts";
import type { Collection } from "../../shared/collection.ts";
import { tooFewChanges } from "../../shared/feed.ts";

/** The number of items that a rule about items needs. */
export const AN_ITEM = 1;
/** The number of items that a rule about several pages needs. */
export const TWO_PAGES = 2;

/**
 * The finding where a collection has fewer items than a rule needs: inconclusive, with a remedy. Not
 * applicable to a list that shows organizations to bound tokens only, because it never has more than
 * one item (contract, "Binding a token to an organization").
 */
export async function tooFew(
  probe: Probe,
  { operation, as }: Pick<Collection, "operation" | "as">,
  items: number,
  needed: number,
): Promise<Finding> {
  if (as) {
    return Finding.notApplicable(phrase`it shows ${counted(items)} to another subject`);
  }
  if (operation === "readChangesFeed") return tooFewChanges(probe.target, items, needed);
  if (await listsForBoundOnly(probe)) {
    const reason = phrase`the list shows an organization to a bound token only, and only its own`;
    return Finding.notApplicable(reason);
  }
  return Finding.inconclusive(
    phrase`the list shows ${counted(items)}: it must show ${needed === 1 ? "an organization" : `${needed} organizations`} on which the subject may act`,
  );
}

/** Whether the list refuses or shows unbound tokens nothing, and shows bound ones something. */
async function listsForBoundOnly(probe: Probe): Promise<boolean> {
  const operation = "listOrganizations";
  const profile = probe.target.operations[operation];
  const bound = await probe.tryControl(operation, { bound: true });
  if ("refusal" in bound) return false;
  const unbound = await probe.tryControl(operation, { bound: false });
  if ("refusal" in unbound) {
    const { reply } = unbound.refusal;
    return reply !== undefined && reception(reply) === "rejected";
  }
  const [own, all] = [bound, unbound].map(({ control }) =>
    listedOrganizations(control.reply.json(), profile),
  );
  return own?.length === 1 && all?.length === 0;
}
