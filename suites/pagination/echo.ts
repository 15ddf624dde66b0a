import type { Finding } from "../../src/probe/finding.ts";
import { describePage } from "../../src/probe/pagination/ask.ts";
import { onCollections, onPages } from "../../src/probe/pagination/collection.ts";
import { forAllPages, type InBounds } from "../../src/probe/pagination/in-bounds.ts";
import type { Info, Page } from "../../src/probe/pagination/page.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";

interface Echo {
  readonly id: string;
  readonly title: string;
  /** What the info ought to say, and what it says, where that is something else. */
  readonly differs: (
    info: Info,
    asked: InBounds,
  ) => { expected: string; actual: string } | undefined;
}

const echoes: readonly Echo[] = [
  {
    id: "page",
    title: "page in the info is the page asked for",
    differs: ({ page }, [asked]) =>
      page !== undefined && page !== asked
        ? { expected: `page ${asked} in the info`, actual: `page ${page}` }
        : undefined,
  },
  {
    id: "page-size",
    title: "pageSize in the info is not more than what was asked for",
    differs: ({ pageSize }, [, asked]) =>
      pageSize !== undefined && pageSize > asked
        ? { expected: `pageSize ${asked} in the info`, actual: `pageSize ${pageSize}` }
        : undefined,
  },
];

export const rule: Rule = defineRule({
  id: "pagination.echo",
  title: "PaginatedResultsInfo names the page that was asked for",
  level: "MUST",
  verifies: [
    "models.info.page",
    "service.common-pagination",
    "models.query.purpose",
    "models.query.page.meaning",
    "endpoints.pagination.get",
  ],
  dependsOn: ["pagination.results-info/page"],
  cases: () => onCollections(echoes),
  probe: (probe, { operation, differs }) =>
    onPages(probe, operation, (collection) =>
      forAllPages(probe, collection, (page, asked): Finding => judge(page, asked, differs)),
    ),
});

function judge(page: Page, asked: InBounds, differs: Echo["differs"]): Finding {
  const { info, evidence } = page;
  if (!info) return { kind: "inapplicable", reason: `no info, ${describePage(page)}` };
  const difference = differs(info, asked);
  if (!difference) return { kind: "holds", evidence };
  const { expected, actual } = difference;
  return { kind: "violated", expected, actual: `${describePage(page)}, ${actual}`, evidence };
}
