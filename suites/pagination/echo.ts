import { Finding, optional } from "../../src/probe/finding.ts";
import {
  largerSize,
  lawFinding,
  otherNumber,
  type Violation,
} from "../../src/probe/pagination/laws.ts";
import {
  ask,
  type Asked,
  describePage,
  isReadable,
  type Page,
  queryOf,
} from "../../src/probe/pagination/page.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { type Collection, type CollectionJudge, onPaginated } from "../shared/collection.ts";
import { submission } from "../shared/submission.ts";
import { forAllPages } from "./pages/in-bounds.ts";
import { tooFew, TWO_PAGES } from "./pages/too-few.ts";

/** What one number of the info should be. */
type Law = (page: Page, asked: Asked) => Violation | undefined;

const cases: readonly CollectionJudge[] = [
  {
    id: "page",
    title: "page in the info is the requested page",
    judge: (probe, collection) => judgeEcho(probe, collection, false, otherNumber),
  },
  {
    id: "page-size",
    title: "`pageSize` in the info is not more than the requested one",
    judge: (probe, collection) => judgeEcho(probe, collection, true, largerSize),
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
  law: Law,
): Promise<Finding> {
  let seen = onFirst;
  const finding = await forAllPages(probe, collection, (page, asked): Finding => {
    seen ||= page.info !== undefined && asked[0] > 1;
    return judge(page, asked, law);
  });
  return seen || finding.kind !== "pass" ? finding : judgeSecond(probe, collection, law);
}

/** For a collection of one item or none, which shows only the first page. */
async function judgeSecond(probe: Probe, collection: Collection, law: Law): Promise<Finding> {
  if (collection.operation === "readChangesFeed" && probe.target.writes) {
    await optional(probe.use(submission));
  }
  const second = await ask(probe, collection, queryOf(2, 1), { fresh: true });
  return isReadable(second) && second.info
    ? judge(second, [2, 1], law)
    : tooFew(probe, collection, Math.min(collection.shown, 1), TWO_PAGES);
}

function judge(page: Page, asked: Asked, law: Law): Finding {
  if (!page.info) return Finding.notApplicable(phrase`no info, ${describePage(page)}`);
  return lawFinding(law(page, asked), page);
}
