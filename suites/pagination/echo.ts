import { Finding, optional } from "../../src/probe/finding.ts";
import {
  ask,
  describePage,
  type Info,
  isReadable,
  type Page,
  queryOf,
} from "../../src/probe/pagination/page.ts";
import { type Phrase, phrase } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { type Collection, type CollectionJudge, onPaginated } from "../shared/collection.ts";
import { submission } from "../shared/submission.ts";
import { forAllPages, type InBounds } from "./pages/in-bounds.ts";
import { tooFew, TWO_PAGES } from "./pages/too-few.ts";

/** What the info should say and what it says, if they differ. */
type Differs = (info: Info, asked: InBounds) => { expected: Phrase; actual: Phrase } | undefined;

const cases: readonly CollectionJudge[] = [
  {
    id: "page",
    title: "page in the info is the requested page",
    judge: (probe, collection) =>
      judgeEcho(probe, collection, false, ({ page }, [asked]) =>
        page !== undefined && page !== asked
          ? { expected: phrase`page ${asked} in the info`, actual: phrase`page ${page}` }
          : undefined,
      ),
  },
  {
    id: "page-size",
    title: "`pageSize` in the info is not more than the requested one",
    judge: (probe, collection) =>
      judgeEcho(probe, collection, true, ({ pageSize }, [, asked]) =>
        pageSize !== undefined && pageSize > asked
          ? {
              expected: phrase`\`pageSize\` ${asked} in the info`,
              actual: phrase`pageSize ${pageSize}`,
            }
          : undefined,
      ),
  },
];

export const rule: Rule = defineRule({
  id: "pagination.echo",
  title: "PaginatedResultsInfo names the requested page",
  level: "MUST",
  verifies: [
    "models.info.page",
    "service.common-pagination",
    "models.query.purpose",
    "models.query.page.meaning",
    "endpoints.pagination.get",
  ],
  dependsOn: ["pagination.results-info/page"],
  cases: () => onPaginated(cases),
});

/** @param onFirst whether the first page alone is enough */
async function judgeEcho(
  probe: Probe,
  collection: Collection,
  onFirst: boolean,
  differs: Differs,
): Promise<Finding> {
  let seen = onFirst;
  const finding = await forAllPages(probe, collection, (page, asked): Finding => {
    seen ||= page.info !== undefined && asked[0] > 1;
    return judge(page, asked, differs);
  });
  return seen || finding.kind !== "pass" ? finding : judgeSecond(probe, collection, differs);
}

/** For a collection of one item or none, which shows only the first page. */
async function judgeSecond(
  probe: Probe,
  collection: Collection,
  differs: Differs,
): Promise<Finding> {
  if (collection.operation === "readChangesFeed" && probe.target.writes) {
    await optional(probe.use(submission));
  }
  const second = await ask(probe, collection, queryOf(2, 1), { fresh: true });
  return isReadable(second) && second.info
    ? judge(second, [2, 1], differs)
    : tooFew(probe, collection, Math.min(collection.shown, 1), TWO_PAGES);
}

function judge(page: Page, asked: InBounds, differs: Differs): Finding {
  const { info, evidence } = page;
  if (!info) return Finding.notApplicable(phrase`no info, ${describePage(page)}`);
  const difference = differs(info, asked);
  if (!difference) return Finding.pass(evidence);
  const { expected, actual } = difference;
  return { kind: "fail", expected, actual: phrase`${describePage(page)}, ${actual}`, evidence };
}
