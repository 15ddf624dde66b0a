import { type Evidence, Finding } from "../../../src/probe/finding.ts";
import {
  ask,
  counted,
  describePage,
  INT32_MAX,
  keysOn,
  type Page,
  queryOf,
  surplus,
} from "../../../src/probe/pagination/page.ts";
import {
  type Beginning,
  evidenceOf,
  noItems,
  sameItems,
  WINDOW,
} from "../../../src/probe/pagination/reading.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Probe } from "../../../src/probe/probe.ts";
import { reception } from "../../../src/probe/reception.ts";
import type { Collection } from "../../shared/collection.ts";
import { MOST_ITEMS } from "./in-bounds.ts";
import { readBeginning, readWindow, type Walk } from "./walk.ts";

/**
 * Compares the first page of the largest size with what a walk read on short pages, as sets of items, as far as the pageSize in its
 * info reaches. Where they differ, both are read again, because the collection may have changed since the walk.
 */
export async function judgeLarge(
  probe: Probe,
  collection: Collection,
  walk: Walk,
): Promise<Finding> {
  const large = await readLarge(probe, collection);
  const finding = compare(collection, large, walk);
  if (finding.kind !== "fail") return { ...finding, ...shownBy(large, walk) };
  const beginning = await readBeginning(probe, collection);
  const again = await readLarge(probe, collection);
  if (!sameItems(beginning.window, await readWindow(probe, collection))) {
    const reason = phrase`the collection changes while its largest page is read`;
    return { kind: "inconclusive", reason, ...shownBy(again, walk) };
  }
  return { ...compare(collection, again, beginning), ...shownBy(again, walk) };
}

/** A page of the largest size; of a long collection, which is not asked for as a whole, one that is longer than the window. */
function readLarge(probe: Probe, collection: Collection): Promise<Page> {
  const size = collection.size > MOST_ITEMS ? 2 * WINDOW : INT32_MAX;
  return ask(probe, collection, queryOf(1, size), { fresh: true });
}

function compare(collection: Collection, large: Page, { window, whole }: Beginning): Finding {
  const { reply, items, info } = large;
  switch (reception(reply)) {
    case "accepted":
      break;
    case "unclear":
      return Finding.inconclusive(describePage(large));
    default:
      return Finding.notApplicable(phrase`no page is shown, ${describePage(large)}`);
  }
  if (reply.cut) return Finding.inconclusive(describePage(large));
  if (!items) return Finding.inconclusive(phrase`${describePage(large)}${noItems(collection)}`);
  const granted = info?.pageSize;
  if (granted === undefined) {
    return Finding.notApplicable(phrase`no \`pageSize\` in the info, ${describePage(large)}`);
  }
  const [found, shown] = [keysOn(large), keysOn(window)];
  // Of a page that others follow, the order decides which items it holds.
  const isAll = whole || items.length < granted;
  if (!isAll && (window.keyed || found[0] !== shown[0])) {
    const reason = phrase`not all items are on the largest page, and it begins with another one`;
    return Finding.notApplicable(reason);
  }
  const more = whole ? surplus(found, shown).length : 0;
  const lost = whole
    ? Math.min(granted, shown.length) - (found.length - more)
    : surplus(shown.slice(0, granted), found).length;
  if (more === 0 && lost <= 0) return Finding.pass();
  return {
    kind: "fail",
    expected: phrase`the items that short pages show, up to ${granted}, each once`,
    actual: phrase`${describePage(large)}; ${counted(more)} too many, ${counted(Math.max(0, lost))} missing`,
  };
}

/** The evidence of a comparison. Reports show the last probe as the one that decided. */
function shownBy(large: Page, walk: Walk): { readonly evidence: Evidence } {
  const { probes, controls } = evidenceOf(walk);
  return { evidence: { probes: [...probes, large.reply.exchange.id], controls } };
}
