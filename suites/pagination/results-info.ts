import { validateModel } from "../../src/contract/models.ts";
import { judgedBy } from "../../src/probe/cases.ts";
import { Finding } from "../../src/probe/finding.ts";
import { ask, describePage, isReadable, type Page } from "../../src/probe/pagination/page.ts";
import { type Fact, listFact, phrase } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { INFO_MEMBERS } from "../../src/probe/read/shapes.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import {
  type Collection,
  type CollectionId,
  type CollectionJudge,
  onCollections,
  onPaginated,
  surveyed,
} from "../shared/collection.ts";
import { boundUnlisted } from "../shared/kind.ts";
import { forAllPages } from "./pages/in-bounds.ts";

const cases: readonly CollectionJudge[] = [
  {
    id: "default",
    title: "the info in the answer to a request without parameters",
    judge: (probe, collection) => judgeInfo(probe, collection, collection.plain),
  },
  {
    id: "page",
    title: "the info of requested pages",
    judge: (probe, collection) =>
      forAllPages(probe, collection, (page) => judgeInfo(probe, collection, page)),
  },
  {
    id: "closed",
    title: "the info has no other members, if it is an object of its own",
    judge: (probe, collection) =>
      collection.plain.info?.alone === false
        ? Finding.notApplicable(phrase`its members stand beside the items`)
        : forAllPages(probe, collection, judgeOthers),
  },
];

const bound: CollectionJudge = {
  id: "bound",
  title: "the info in the list for a bound token",
  control: { bound: true },
  needs: ["claimsNamespace"],
  async judge(probe, collection) {
    const unlisted = await boundUnlisted(probe, collection);
    if (unlisted) return unlisted;
    const page = await ask(probe, collection, "", { fresh: true, bound: true });
    return isReadable(page)
      ? judgeInfo(probe, collection, page)
      : Finding.inconclusive(describePage(page), page.evidence);
  },
};

/** A sum over no rows is null in SQL, and totals are optional, but not null. */
const empty: CollectionJudge = {
  id: "empty",
  title: "the info in a list that is empty, for a token that is bound to an unknown organization",
  needs: ["claimsNamespace", "testIssuer"],
  async judge(probe, collection) {
    const unlisted = await boundUnlisted(probe, collection);
    if (unlisted) return unlisted;
    const token = { fresh: true, bound: true, organization: probe.uuid("listed nowhere") };
    const page = await ask(probe, collection, "", token);
    return isReadable(page) && page.items?.length === 0
      ? judgeInfo(probe, collection, page)
      : Finding.notApplicable(phrase`no empty list: ${describePage(page)}`);
  },
};

export const rule: Rule = defineRule({
  id: "pagination.results-info",
  title: "Each answer of a paginated route carries a valid PaginatedResultsInfo",
  level: "MUST",
  verifies: [
    "models.info.included",
    "service.common-pagination",
    "models.info.page",
    "models.info.page-size",
    "models.info.total-items",
    "models.info.total-pages",
    "models.info.closed",
    "endpoints.pagination.info",
    "limits.info",
  ],
  cases: () => [
    ...onPaginated(cases),
    ...onPaginated([bound, empty], ["listOrganizations"]),
    ...judgedBy(
      onCollections([
        { id: "paginated", title: "Whether the route is paginated", level: "OBSERVE" as const },
      ]),
      (probe: Probe, { operation }) => observe(probe, operation),
    ),
  ],
});

async function observe(probe: Probe, operation: CollectionId): Promise<Finding> {
  const found = await surveyed(probe, operation);
  const value =
    "whyNot" in found
      ? phrase`not paginated: ${found.whyNot}`
      : phrase`paginated: ${found.because}`;
  return Finding.observed(value);
}

function judgeInfo(probe: Probe, { operation }: Collection, page: Page): Finding {
  const { info, evidence } = page;
  const pointer = probe.target.operations[operation]?.pagination;
  const expected = phrase`PaginatedResultsInfo${pointer === undefined ? "" : ` at ${pointer}`} with the integers \`page\` and \`pageSize\``;
  if (!info) {
    if (pointer === undefined || page.infoAt === undefined) {
      const lacks = page.isJson ? "no such object" : "the body is not JSON";
      const actual = phrase`${describePage(page)}, and ${lacks}`;
      return { kind: "fail", expected, actual, evidence };
    }
    const elsewhere = page.infoAt || "the root of the answer";
    const reason = phrase`there is nothing at ${pointer}, where the profile points, but something at ${elsewhere}: correct \`operations.${operation}.pagination\``;
    return Finding.inconclusive(reason, evidence);
  }
  const own = Object.entries(info.object).filter(([name]) => isMember(name));
  const errors = validateModel("PaginatedResultsInfo", Object.fromEntries(own));
  return errors.length === 0
    ? Finding.pass(evidence)
    : {
        kind: "fail",
        expected,
        actual: phrase`${describePage(page)}: ${listed(errors)}`,
        evidence,
      };
}

function judgeOthers(page: Page): Finding {
  const { info, evidence } = page;
  if (!info) return Finding.notApplicable(phrase`no info, ${describePage(page)}`);
  const others = Object.entries(info.object).filter(([name]) => !isMember(name));
  if (!info.alone || others.length === 0) return Finding.pass(evidence);
  const errors = validateModel(
    "PaginatedResultsInfo",
    Object.fromEntries([["page", 1], ["pageSize", 1], ...others]),
  );
  return {
    kind: "fail",
    expected: phrase`no members but ${INFO_MEMBERS.join(", ")}`,
    actual: phrase`${describePage(page)}: ${listed(errors)}`,
    evidence,
  };
}

function isMember(name: string): boolean {
  return INFO_MEMBERS.some((member) => member === name);
}

function listed(errors: ReturnType<typeof validateModel>): Fact {
  return listFact(
    errors.map(({ pointer, message }) => phrase`${pointer} ${message}`),
    "; ",
  );
}
