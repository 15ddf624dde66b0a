/** A page of a list that was asked for, and what was answered. */
export interface AskedPage {
  readonly page: number;
  readonly pageSize: number;
  /** Which of the two the request named. */
  readonly given: { readonly page: boolean; readonly pageSize: boolean };
  /** Every item of the list, in its order. */
  readonly list: readonly string[];
  /** The items that the page shows. */
  readonly items: readonly string[];
  /** The numbers that the page states, where they are integers. */
  readonly info: Readonly<Partial<Record<InfoMember, number>>>;
}

export type InfoMember = "page" | "pageSize" | "totalItems" | "totalPages";
/** What of a page may be wrong. */
export type PageMember = "items" | InfoMember;

/** A receiver that makes one part of its pages wrongly. Where the reference receiver has the same fault, it has the same name. */
export interface PageMistake {
  readonly fault: string;
  readonly member: PageMember;
  readonly behaves: string;
  readonly look: string;
  /** What such a receiver answers in place of the right one: a number, or for `items` the items. */
  readonly answers: (asked: AskedPage) => number | readonly string[];
}

/** The `pageSize` of a request that names none (PaginatedQueryParams). */
export const DEFAULT_SIZE = 100;

/** The answers to a page that the contract allows (PaginatedResultsInfo). */
export function isRightPage(member: PageMember, asked: AskedPage): boolean {
  const { page, pageSize, list, items, info } = asked;
  const { totalItems: total = list.length, pageSize: granted = pageSize } = info;
  switch (member) {
    case "items":
      return [pageSize, Math.min(granted, pageSize)].some((size) =>
        isSame(windowOf(list, (page - 1) * size, size), items),
      );
    case "page":
      return info.page === undefined || info.page === page;
    case "pageSize":
      return info.pageSize === undefined || info.pageSize === pageSize;
    case "totalItems":
      return info.totalItems === undefined || info.totalItems === list.length;
    case "totalPages":
      return (
        info.totalPages === undefined ||
        [pageSize, granted].some((size) =>
          [total, list.length].some(
            (all) =>
              info.totalPages === Math.ceil(all / Math.max(size, 1)) ||
              (all === 0 && info.totalPages === 1),
          ),
        )
      );
  }
}

/** Whether a receiver with a mistake answers a page as it was answered. */
export function isMistakenPage({ member, answers }: PageMistake, asked: AskedPage): boolean {
  const wrong = answers(asked);
  return typeof wrong === "number"
    ? member !== "items" && asked.info[member] === wrong
    : isSame(wrong, asked.items);
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((item, at) => item === other[at]);
}

/** The items of a list from a start on; none from before its beginning. */
export function windowOf(
  list: readonly string[],
  start: number,
  length: number,
): readonly string[] {
  return start < 0 ? [] : list.slice(start, start + length);
}

/** The number of the last page, 1 for an empty list. */
export function lastPage({ list, pageSize }: AskedPage): number {
  return Math.max(1, Math.ceil(list.length / pageSize));
}

/** Sizes that frameworks and applications use in place of the right one. */
export const SIZES: readonly number[] = [1, 5, 10, 15, 20, 25, 30, 50, 200, 500, 1000];
