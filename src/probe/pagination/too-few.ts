import type { Finding } from "../finding.ts";
import { phrase } from "../phrase.ts";
import type { Probe } from "../probe.ts";
import { tooFewChanges } from "../read/feed.ts";
import { listedOrganizations } from "../read/listed.ts";
import { reception } from "../reception.ts";
import { counted } from "./ask.ts";
import type { Collection } from "./collection.ts";

/** A law about items needs one of them. */
export const AN_ITEM = 1;
/** A law about pages needs two of them, and so two items. */
export const TWO_PAGES = 2;

/**
 * What a law comes to where a collection has fewer items than it needs: inconclusive, with what would
 * provide them. It does not apply to a list that shows organizations to bound tokens alone: that one
 * never has more than one item (contract, "Binding a token to an organization").
 */
export async function tooFew(
  probe: Probe,
  { operation }: Pick<Collection, "operation">,
  items: number,
  needed: number,
): Promise<Finding> {
  if (operation === "readChangesFeed") return tooFewChanges(probe.target, items, needed);
  if (await listsForBoundOnly(probe)) {
    return {
      kind: "not-applicable",
      reason: phrase`only a bound token is shown an organization, and that is its own`,
    };
  }
  return {
    kind: "inconclusive",
    reason: phrase`the list shows ${counted(items)}: let it show ${needed === 1 ? "an organization" : `${needed} organizations`}, on which the subject may act`,
  };
}

/** Whether unbound tokens are refused on the list, or shown nothing where a bound one is shown its own. */
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
