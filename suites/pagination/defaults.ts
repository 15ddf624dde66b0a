import { judgedBy } from "../../src/probe/cases.ts";
import { type Evidence, Finding, together } from "../../src/probe/finding.ts";
import {
  ask,
  DEFAULT_PAGE_SIZE,
  describePage,
  isReadable,
  type Page,
  queryOf,
} from "../../src/probe/pagination/page.ts";
import { noItems, sameItems } from "../../src/probe/pagination/reading.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { unlessGuessed } from "../../src/probe/read/items.ts";
import { reception } from "../../src/probe/reception.ts";
import { type CaseData, defineRule, type Rule } from "../../src/probe/rule.ts";
import { type Collection, onCollections, paginated } from "../shared/collection.ts";
import { walkThrough } from "./pages/walk.ts";

/** A query that leaves out parameters, and the full query that it is equal to. */
interface Short {
  readonly query: string;
  readonly page: number;
  readonly pageSize: number;
}

interface Absence extends CaseData {
  /** @param some a pageSize at which the collection has a few pages */
  readonly shorts: (some: number) => readonly Short[];
}

const absences: readonly Absence[] = [
  {
    id: "both",
    title: "without `page` and `pageSize`, the first page of 100 items is shown",
    shorts: () => [{ query: "", page: 1, pageSize: DEFAULT_PAGE_SIZE }],
  },
  {
    id: "page",
    title: "without page, the first page is shown",
    shorts: (some) => [{ query: `pageSize=${some}`, page: 1, pageSize: some }],
  },
  {
    id: "page-size",
    title: "without `pageSize`, pages have 100 items",
    shorts: () =>
      [1, 2].map((page) => ({ query: `page=${page}`, page, pageSize: DEFAULT_PAGE_SIZE })),
  },
];

export const rule: Rule = defineRule({
  id: "pagination.defaults",
  title: "An absent `page` is 1, and an absent `pageSize` is 100",
  level: "MUST",
  verifies: [
    "limits.page",
    "models.query.page.default",
    "models.query.page-size.default",
    "models.query.optional",
    "limits.page-size",
  ],
  phase: "state",
  dependsOn: [
    "pagination.results-info/default",
    "pagination.results-info/page",
    "pagination.echo",
    "pagination.bounds-accepted",
    "pagination.partition",
  ],
  cases: () =>
    judgedBy(onCollections(absences), (probe: Probe, { operation, shorts }) =>
      probe.judgeSettled(async (reader) =>
        judgeShorts(reader, await paginated(reader, operation), shorts),
      ),
    ),
});

async function judgeShorts(
  probe: Probe,
  collection: Collection,
  shorts: Absence["shorts"],
): Promise<Finding> {
  const some = Math.max(1, Math.min(10, Math.floor(collection.shown / 3)));
  const wanted = shorts(some);
  const askAll = (queries: readonly string[]): Promise<Page[]> =>
    together(queries.map((query) => ask(probe, collection, query, { fresh: true })));
  const explicit = wanted.map(({ page, pageSize }) => queryOf(page, pageSize));
  const shortened = wanted.map(({ query }) => query);
  const [said, unsaid] = await together([askAll(explicit), askAll(shortened)]);
  // Equal answers are equal in whichever order they were given. Others are compared only if nothing changed meanwhile.
  const isEqual = wanted.every((short, at) =>
    answerAlike(short, said[at] as Page, unsaid[at] as Page),
  );
  const [then, again] = isEqual
    ? [unsaid, said]
    : [await askAll(shortened), await askAll(explicit)];
  const findings = await together(
    wanted.map((short, at) =>
      judge(probe, collection, short, [said[at], unsaid[at], then[at], again[at]] as Answers),
    ),
  );
  const seen = findings.filter((finding) => finding !== undefined);
  const decisive = seen.find(({ kind }) => kind === "fail" || kind === "inconclusive");
  return decisive ?? seen[0] ?? Finding.inconclusive(phrase`there is no first page`);
}

function answerAlike(short: Short, said: Page, unsaid: Page): boolean {
  if (isMissing(said, short)) return true;
  return [said, unsaid].every(isReadable) && isAsAsked(unsaid, short) && sameItems(said, unsaid);
}

function isMissing({ reply }: Page, { page }: Short): boolean {
  return reply.status === 404 && page > 1;
}

/** Whether the info, if there is one, tells the page and the size that apply. */
function isAsAsked({ info }: Page, short: Short): boolean {
  const { page = short.page, pageSize = short.pageSize } = info ?? {};
  return page === short.page && pageSize === short.pageSize;
}

/**
 * The answers with all parameters, and with some left out. Where these are not equal: with the same ones left out once more, and with
 * all parameters again. The last two are compared with the first.
 */
type Answers = readonly [said: Page, before: Page, unsaid: Page, again: Page];

/** @returns `undefined` if there is no such page */
async function judge(
  probe: Probe,
  collection: Collection,
  short: Short,
  pages: Answers,
): Promise<Finding | undefined> {
  const [said, , unsaid, again] = pages;
  if (isMissing(said, short)) return undefined;
  const evidence = shownBy(pages, unsaid);
  if ([said, again].every(isReadable) && isRefused(unsaid)) {
    const expected = phrase`the answer to ?${said.query}`;
    const actual = describePage(unsaid);
    return { kind: "fail", expected, actual, evidence, comparative: true };
  }
  const unreadable = [said, unsaid, again].find((page) => !isReadable(page));
  if (unreadable) return Finding.inconclusive(describePage(unreadable), shownBy(pages, unreadable));
  return judgeInfo(said, unsaid, short, evidence) ?? judgeItems(probe, collection, pages, evidence);
}

/** The evidence of a comparison. Reports show the last probe as the one that decided. */
function shownBy(pages: Answers, decisive: Page): Evidence {
  const others = pages.filter((page) => page !== decisive);
  const probes = [...others, decisive].map(({ reply }) => reply.exchange.id);
  return { probes: [...new Set(probes)], controls: decisive.evidence.controls };
}

function isRefused({ reply }: Page): boolean {
  const received = reception(reply);
  return received !== "accepted" && received !== "unclear";
}

/** Other rules judge an info that is invalid. */
function judgeInfo(
  said: Page,
  unsaid: Page,
  short: Short,
  evidence: Evidence,
): Finding | undefined {
  if (isAsAsked(unsaid, short)) return undefined;
  const { info, query } = unsaid;
  const { page = short.page, pageSize = short.pageSize } = info ?? {};
  const capped = page === short.page && pageSize === said.info?.pageSize;
  const told = phrase`page ${page} and \`pageSize\` ${pageSize}`;
  return {
    kind: "fail",
    expected: phrase`page ${short.page} and \`pageSize\` ${short.pageSize} in the info`,
    actual: phrase`${{ kind: "query", query }}: ${told}${capped ? ", as when they are asked for" : ""}`,
    evidence,
    ...(capped && pageSize < short.pageSize && { atMost: "SHOULD" as const }),
  };
}

async function judgeItems(
  probe: Probe,
  collection: Collection,
  pages: Answers,
  evidence: Evidence,
): Promise<Finding> {
  const [said, , unsaid, again] = pages;
  if (sameItems(said, unsaid)) return Finding.pass(evidence);
  const bare = [said, unsaid, again].find(({ items }) => !items);
  if (bare) {
    const reason = phrase`${describePage(bare)}${noItems(collection)}`;
    return Finding.inconclusive(reason, shownBy(pages, bare));
  }
  const { quiet } = await probe.use(walkThrough(collection));
  if (!quiet || !sameItems(said, again)) {
    const reason = phrase`the collection changes while it is read`;
    return Finding.inconclusive(reason, shownBy(pages, again));
  }
  const finding: Finding = {
    kind: "fail",
    expected: phrase`the items of ?${said.query}`,
    actual: phrase`${describePage(unsaid)}, others than ${describePage(said)}`,
    evidence,
  };
  return unlessGuessed(finding, collection.operation, collection);
}
