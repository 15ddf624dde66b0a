import { Finding } from "../../../src/probe/finding.ts";
import {
  ask,
  type Asked,
  describePage,
  INT32_MAX,
  type Page,
  queryOf,
} from "../../../src/probe/pagination/page.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Probe } from "../../../src/probe/probe.ts";
import { describeReply, reception } from "../../../src/probe/reception.ts";
import type { Collection } from "../../shared/collection.ts";
import { forAll, type Values } from "./property.ts";

/** The most items that one request may ask for. */
export const MOST_ITEMS = 1000;

/** So many random pages, half of them near the collection. Most deployments have two collections. */
const DRAWN = 10;

/**
 * The pages to ask for. Every rule uses the same ones, so that one answer serves all rules: the edges
 * of the collection and of int32, and a few random ones.
 */
export function inBounds({ size }: Pick<Collection, "size">): Values<Asked> {
  const some = Math.max(1, Math.min(10, Math.floor(size / 3)));
  const last = Math.max(1, Math.ceil(size / some));
  const edges: Asked[] = [
    [1, 1],
    [2, 1],
    [last, some],
    [last + 1, some],
    [1, 101],
    [1, INT32_MAX],
    [2, INT32_MAX],
    [INT32_MAX, 1],
    [INT32_MAX, INT32_MAX],
  ];
  const modest = ([page, pageSize]: Asked): boolean =>
    pageSize <= MOST_ITEMS || size <= MOST_ITEMS || (page - 1) * pageSize >= size;
  return {
    edges: edges.filter(modest),
    arbitrary: (fc) => {
      const integer = fc.integer({ min: 1, max: INT32_MAX });
      const near = fc.integer({ min: 1, max: Math.min(size + 2, MOST_ITEMS) });
      const any = fc.oneof(
        { weight: 2, arbitrary: fc.tuple(near, near) },
        { weight: 1, arbitrary: fc.tuple(near, integer) },
        { weight: 2, arbitrary: fc.tuple(integer, integer) },
      );
      return any.filter(modest);
    },
    drawn: DRAWN,
  };
}

/**
 * Judges the answer to each page in bounds, accepted or not.
 * @param options.fresh sends the requests again even if the answers are known
 */
export function forAllAnswers(
  probe: Probe,
  collection: Collection,
  judge: (page: Page, asked: Asked) => Finding,
  options: { fresh?: boolean } = {},
): Promise<Finding> {
  return forAll(probe, inBounds(collection), async (asked) => {
    return judge(await ask(probe, collection, queryOf(...asked), options), asked);
  });
}

/** Judges each page in bounds that is shown. Another rule judges refusals. */
export function forAllPages(
  probe: Probe,
  collection: Collection,
  judge: (page: Page, asked: Asked) => Finding,
): Promise<Finding> {
  return forAllAnswers(probe, collection, (page, asked) => {
    const { reply, evidence } = page;
    switch (reception(reply)) {
      case "accepted":
        return reply.cut ? Finding.inconclusive(describePage(page), evidence) : judge(page, asked);
      case "unclear":
        return Finding.inconclusive(describeReply(reply), evidence);
      default:
        return Finding.notApplicable(phrase`no page is shown, ${describePage(page)}`);
    }
  });
}
