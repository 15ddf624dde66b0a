import type { Binding } from "../../model/outcome.ts";
import {
  largerSize,
  otherItems,
  otherNumber,
  otherOrder,
  otherPages,
  otherTotal,
  tooLong,
  tooShort,
  unfilledPages,
  type Violation,
} from "../../probe/pagination/laws.ts";
import {
  type Asked,
  counted,
  describePage,
  keysOn,
  type Page,
  surplus,
} from "../../probe/pagination/page.ts";
import { evidenceOf, pagesOf, WINDOW } from "../../probe/pagination/reading.ts";
import { phrase } from "../../probe/phrase.ts";
import type { WALKED } from "../owners.ts";
import type { WalkReading } from "./read-walk.ts";

/** What must hold of the pages of a walk, and which rule owns it. */
interface Law {
  readonly rule: (typeof WALKED)[number];
  readonly level: Binding;
  readonly violationIn: (reading: WalkReading) => Violation | undefined;
}

/** A violation of a walk. */
export interface Violated {
  readonly rule: string;
  readonly level: Binding;
  readonly violation: Violation;
}

/** In the order in which one explains another. */
const LAWS: readonly Law[] = [
  { rule: "pagination.results-info", level: "MUST", violationIn: withoutInfo },
  { rule: "pagination.echo", level: "MUST", violationIn: onPages(otherNumber) },
  { rule: "pagination.echo", level: "MUST", violationIn: onPages(largerSize) },
  { rule: "pagination.page-length", level: "MUST", violationIn: onPages(tooLong) },
  { rule: "pagination.partition", level: "MUST", violationIn: onWhole(otherItems) },
  { rule: "pagination.partition", level: "MUST", violationIn: repeatedItems },
  { rule: "pagination.totals", level: "MUST", violationIn: severalTotals },
  { rule: "pagination.totals", level: "MUST", violationIn: onWhole(otherTotal) },
  { rule: "pagination.totals", level: "MUST", violationIn: onPages(otherPages) },
  { rule: "pagination.totals", level: "MUST", violationIn: onWhole(withoutTotal(unfilledPages)) },
  { rule: "pagination.partition", level: "SHOULD", violationIn: onAll(otherOrder) },
  { rule: "pagination.page-length", level: "SHOULD", violationIn: onAll(tooShort) },
];

/** The first violation of a walk, which explains the others. */
export function violatedBy(reading: WalkReading): Violated | undefined {
  for (const { rule, level, violationIn } of LAWS) {
    const violation = violationIn(reading);
    if (violation) return { rule, level, violation };
  }
  return undefined;
}

type OfReading = (reading: WalkReading) => Violation | undefined;

function onPages(law: (page: Page, asked: Asked) => Violation | undefined): OfReading {
  return ({ window, series }) => {
    const asked: [Page, Asked][] = series.flatMap(({ pages, pageSize }) =>
      pages.map((page, at): [Page, Asked] => [page, [at + 1, pageSize]]),
    );
    return asked
      .concat([[window, [1, WINDOW]]])
      .map(([page, of]) => law(page, of))
      .find(Boolean);
  };
}

/** A law about whole collections, by the series that hold all of it. */
function onWhole(law: OfReading): OfReading {
  return (reading) => {
    const series = reading.series.filter(({ complete }) => complete);
    return reading.whole && series.length > 0 ? law({ ...reading, series }) : undefined;
  };
}

/** A law about any series, as far as each goes. */
function onAll(law: OfReading): OfReading {
  return (reading) =>
    reading.series
      .map((one) => law({ ...reading, whole: reading.whole && one.complete, series: [one] }))
      .find(Boolean);
}

/** Where the number of items is told, the pages have to agree with that. */
function withoutTotal(law: OfReading): OfReading {
  return (reading) =>
    pagesOf(reading).some(({ info }) => info?.totalItems !== undefined) ? undefined : law(reading);
}

/** Every answer carries the info, if the long page does. */
function withoutInfo(reading: WalkReading): Violation | undefined {
  if (!reading.window.info) return undefined;
  const without = pagesOf(reading).find(({ info }) => !info);
  return (
    without && {
      kind: "fail",
      expected: phrase`PaginatedResultsInfo, as on the page of ${WINDOW}`,
      actual: phrase`${describePage(without)}, and no such object`,
      evidence: without.evidence,
    }
  );
}

/** The pages of one size that were read of a whole collection have no item twice, and none that the long page lacks. */
function repeatedItems(reading: WalkReading): Violation | undefined {
  if (!reading.whole) return undefined;
  for (const { pages, pageSize } of reading.series) {
    const more = surplus(pages.flatMap(keysOn), keysOn(reading.window)).length;
    if (more === 0) continue;
    return {
      kind: "fail",
      expected: phrase`each item at most once on the first ${pages.length} pages of ${pageSize}`,
      actual: phrase`${counted(more)} too many, beside ${describePage(reading.window)}`,
      evidence: evidenceOf(reading),
    };
  }
  return undefined;
}

/** All pages tell one number of all items. */
function severalTotals(reading: WalkReading): Violation | undefined {
  const told = pagesOf(reading).filter(({ info }) => info?.totalItems !== undefined);
  const [first] = told;
  const other = told.find(({ info }) => info?.totalItems !== first?.info?.totalItems);
  if (!first || !other) return undefined;
  return {
    kind: "fail",
    expected: phrase`one \`totalItems\` on all pages`,
    actual: phrase`${describePage(first)}, \`totalItems\` ${first.info?.totalItems}; ${describePage(other)}, \`totalItems\` ${other.info?.totalItems}`,
    // Reports show the last one as the one that decided.
    evidence: {
      probes: [first, other].map(({ reply }) => reply.exchange.id),
      controls: reading.window.evidence.controls,
    },
  };
}
