import { OPERATION_IDS, type OperationId } from "../../../contract/operations.ts";
import { PAGE_MISTAKES } from "../../../model/mistakes/pages.ts";
import { PAGE_CONDITIONS } from "../../../model/mistakes/pages/conditions.ts";
import { UNSTEADY } from "../../../model/mistakes/pages/items.ts";
import {
  isMistakenPage,
  isRightPage,
  type PageMember,
  type PageMistake,
} from "../../../model/mistakes/pages/page.ts";
import { type Phrase, phrase } from "../../../probe/phrase.ts";
import type { CaseResult, Diagnosis } from "../../events.ts";
import { placed } from "../places.ts";
import { brokenBy } from "../seen.ts";
import { TOGETHER } from "../signatures.ts";
import type { SeenPage } from "./seen-pages.ts";

/** What the pages of the run say of the violations of a rule. */
export interface ByPages {
  readonly diagnoses: readonly Diagnosis[];
  /** What the pages show, where no mistake explains it. */
  readonly facts: readonly Phrase[];
  /** The names of mistakes that pages contradict. */
  readonly contradicted: ReadonlySet<string>;
}

const NOTHING: ByPages = { diagnoses: [], facts: [], contradicted: new Set() };

/** What the rules about pages look at. */
const MEMBERS: Readonly<Partial<Record<string, readonly PageMember[]>>> = {
  "pagination.partition": ["items"],
  "pagination.page-length": ["items"],
  "pagination.echo": ["page", "pageSize", "items"],
  "pagination.totals": ["totalItems", "totalPages", "pageSize"],
  "pagination.defaults": ["page", "pageSize"],
  "pagination.bounds-accepted": ["pageSize", "items"],
  "pagination.results-info": ["page", "pageSize"],
};

/** More explanations of one member than this explain nothing. */
const MOST_NAMED = 2;

/** Explains the violations of a rule, each rule once: facts and diagnoses need it. */
export type ExplainByPages = (rule: string) => ByPages;

/** @param results of a whole run */
export function pagesExplained(
  results: readonly CaseResult[],
  pages: readonly SeenPage[],
): ExplainByPages {
  const known = new Map<string, ByPages>();
  return (rule) => {
    const own = (): CaseResult[] => results.filter((one) => one.rule === rule);
    const found = known.get(rule) ?? explainByPages(rule, own(), pages);
    known.set(rule, found);
    return found;
  };
}

/**
 * Explains the violations of a rule by the pages that the run was shown: a mistake is named where it foretells every wrong page, and where
 * every page on which it would show is wrong in this way.
 * @param results those of one rule
 */
export function explainByPages(
  rule: string,
  results: readonly CaseResult[],
  pages: readonly SeenPage[],
): ByPages {
  const worst = results.some((one) => brokenBy(one) === "fail") ? "fail" : "warn";
  const violated = results.filter((one) => brokenBy(one) === worst);
  const evidence = new Set(
    violated.flatMap(({ evidence: { probes = [], controls = [] } = {} }) => [
      ...probes,
      ...controls,
    ]),
  );
  const members = (MEMBERS[rule] ?? []).filter((member) =>
    pages.some((page) => evidence.has(page.id) && !isRightPage(member, page)),
  );
  if (members.length === 0) return NOTHING;
  const explained = members.map((member) => ({ member, by: explanationsOf(member, pages) }));
  const fit = new Set(explained.flatMap(({ by }) => by.map(({ mistake }) => mistake.fault)));
  const contradicted = new Set(
    PAGE_MISTAKES.map(({ fault }) => fault).filter((fault) => !fit.has(fault)),
  );
  const isWhole = explained.every(({ by }) => by.length > 0 && by.length <= MOST_NAMED);
  const [only, ...others] = explained;
  const facts = explained.flatMap(({ member, by }) =>
    by.length > 0 && by.length <= MOST_NAMED ? [] : shown(member, pages),
  );
  if (!isWhole || !only) return { diagnoses: [], facts, contradicted };
  const diagnosis = (parts: readonly Explanation[]): Diagnosis => ({
    fault: parts.map(({ mistake: { fault } }) => fault).join(TOGETHER),
    rule,
    behaves: parts.map(({ mistake: { behaves }, words }) => `${behaves}${words}`).join("; and "),
    look: [...new Set(parts.map(({ mistake: { look } }) => look))].join(" "),
    explains: violated.map(({ id }) => id),
    leaves: [],
    exact: true,
  });
  const first = others.flatMap(({ by }) => by.slice(0, 1));
  return { diagnoses: only.by.map((one) => diagnosis([one, ...first])), facts, contradicted };
}

interface Explanation {
  readonly mistake: PageMistake;
  readonly words: string;
}

/** An item that no page shows. */
const HIDDEN = "an item on no page";

/**
 * The pages with the lists that they may be of: where they state more items than any page shows, the first or the last ones may be on no page.
 */
function possible(member: PageMember, pages: readonly SeenPage[]): (readonly SeenPage[])[] {
  const lacking = pages.filter(({ list, info: { totalItems = 0 } }) => totalItems > list.length);
  if (member !== "items" || lacking.length < pages.length) return [pages];
  const withHidden = (place: (list: readonly string[], hidden: string[]) => readonly string[]) =>
    pages.map((page) => {
      const hidden = Math.min((page.info.totalItems ?? 0) - page.list.length, MOST_HIDDEN);
      return { ...page, list: place(page.list, Array<string>(hidden).fill(HIDDEN)) };
    });
  return [
    withHidden((list, hidden) => [...hidden, ...list]),
    withHidden((list, hidden) => [...list, ...hidden]),
  ];
}

/** So many items at most are taken for being on no page. */
const MOST_HIDDEN = 100;

/** The mistakes that explain all pages, with the plainest condition under which one does. */
function explanationsOf(member: PageMember, pages: readonly SeenPage[]): Explanation[] {
  return possible(member, pages).flatMap((some) => explanationsOfLists(member, some));
}

function explanationsOfLists(member: PageMember, pages: readonly SeenPage[]): Explanation[] {
  if (member === "items" && isUnsteady(pages)) return [{ mistake: UNSTEADY, words: "" }];
  const mistakes = PAGE_MISTAKES.filter((one) => one.member === member);
  for (const { words, holds } of conditionsOf(pages, member)) {
    const there = pages.filter(holds);
    const elsewhere = pages.filter((page) => !holds(page));
    if (!elsewhere.every((page) => isRightPage(member, page))) continue;
    const fit = mistakes.filter((mistake) =>
      there.every((page) => isUnstated(member, page) || isMistakenPage(mistake, page)),
    );
    if (fit.length > 0) return fit.map((mistake) => ({ mistake, words }));
  }
  return [];
}

/** Whether the same items came in two orders on the same page. */
function isUnsteady(pages: readonly SeenPage[]): boolean {
  const first = new Map<string, readonly string[]>();
  return pages.some(({ operation, list, page, pageSize, items }) => {
    // How many there are of a page is asked for in two ways, too.
    const which = items.length === list.length ? "all" : `${page} ${pageSize}`;
    const key = [operation, which, ...list.toSorted()].join(" ");
    const before = first.get(key) ?? items;
    first.set(key, before);
    const isOther = before.some((item, at) => item !== items[at]);
    return isOther && before.length === items.length && before.every((one) => items.includes(one));
  });
}

/** Whether a page does not state a number, so that it says nothing of it. */
function isUnstated(member: PageMember, { info }: SeenPage): boolean {
  return member !== "items" && info[member] === undefined;
}

function conditionsOf(
  pages: readonly SeenPage[],
  member: PageMember,
): { readonly words: string; readonly holds: (page: SeenPage) => boolean }[] {
  const wrong = new Set(
    pages.flatMap((page) => (isRightPage(member, page) ? [] : [page.operation])),
  );
  const others = new Set<OperationId>(
    OPERATION_IDS.filter((id) => !wrong.has(id) && pages.some(({ operation }) => operation === id)),
  );
  const [always, ...special] = PAGE_CONDITIONS;
  const onSome =
    others.size === 0
      ? []
      : PAGE_CONDITIONS.map(({ words, holds }) => ({
          words: `${words}${placed(wrong, others)}`,
          holds: (page: SeenPage) => wrong.has(page.operation) && holds(page),
        }));
  return [...(always ? [always] : []), ...onSome.slice(0, 1), ...special, ...onSome.slice(1)];
}

/** Two wrong pages, as they are. */
function shown(member: PageMember, pages: readonly SeenPage[]): Phrase[] {
  const wrong = pages.filter((page) => !isRightPage(member, page));
  return wrong.slice(0, 2).map((page) => {
    const asked = phrase`page ${page.page} with \`pageSize\` ${page.pageSize} of a list of ${page.list.length} items`;
    if (member === "items") {
      const from = (page.page - 1) * page.pageSize;
      const due = page.list.slice(from, from + page.pageSize);
      const missing = due.filter((item) => !page.items.includes(item)).length;
      const more = page.items.filter((item) => !due.includes(item)).length;
      return missing + more === 0
        ? phrase`The items of ${asked} come in another order`
        : phrase`On ${asked}, ${missing} of its own items are missing, and ${more} others are there`;
    }
    return phrase`On ${asked}, \`${member}\` is ${page.info[member]}`;
  });
}
