import { isSameUuid } from "../../../src/contract/uuid.ts";
import type { Mutation } from "../../../src/mutations/mutation.ts";
import { deniedSubject } from "../../../src/mutations/token/policy.ts";
import { endCase, Finding, optional } from "../../../src/probe/finding.ts";
import {
  ask,
  counted,
  describePage,
  isReadable,
  type Page,
} from "../../../src/probe/pagination/page.ts";
import { lengthOf } from "../../../src/probe/pagination/reading.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Fixture, Probe } from "../../../src/probe/probe.ts";
import type { RuleCase } from "../../../src/probe/rule.ts";
import {
  type Collection,
  type CollectionId,
  type CollectionJudge,
  COLLECTIONS,
  onSettled,
} from "../../shared/collection.ts";
import { TWO_PAGES } from "./too-few.ts";
import { steadyWalk, type Walk } from "./walk.ts";

/** Only what the subject may see is asked for, so it need not be refused. */
const { refused: _, ...anySubject } = deniedSubject;
const ofDeniedSubject: Mutation = {
  ...anySubject,
  what: "the token is of a subject that may not act on an organization",
};

/** A case about a collection as the denied subject sees it, which several rules judge by one walk. */
type DeniedJudge = Omit<CollectionJudge, "judge" | "needs" | "control" | "title"> & {
  /** The title, with what is judged: "the list". */
  readonly title: (what: string) => string;
  /** Without so many items, nothing can be concluded. */
  readonly needed: number;
  readonly judge: (walk: Walk, probe: Probe, collection: Collection) => Promise<Finding> | Finding;
};

const WHAT: Readonly<Record<CollectionId, string>> = {
  listOrganizations: "the list",
  readChangesFeed: "a feed",
};

/** Cases about the list and about a feed. */
export function forDenied(cases: readonly DeniedJudge[]): RuleCase[] {
  return COLLECTIONS.flatMap((operation) =>
    onSettled(
      cases.map(({ judge, needed, title, ...one }): CollectionJudge => ({
        ...one,
        title: title(WHAT[operation]),
        needs: ["denied"],
        control: { bound: false },
        judge: async (probe, collection) => {
          const own = await seenByDenied(probe, collection, needed);
          return judge(await steadyWalk(probe, own, needed), probe, own);
        },
      })),
      [operation],
    ),
  );
}

/**
 * The collection as the denied subject sees it.
 * @throws CaseEnd (not applicable) where it is shown none, or fewer items than are needed: what it may see is left to local policy
 */
async function seenByDenied(
  probe: Probe,
  collection: Collection,
  needed: number,
): Promise<Collection> {
  const { operation } = collection;
  const what = WHAT[operation];
  const { denied, subject } = probe.target;
  if (denied?.subject === subject) {
    endCase(Finding.notApplicable(phrase`the subject that is denied is the profile's own`));
  }
  if ("refusal" in (await probe.tryControl(operation, { bound: false }))) {
    endCase(Finding.notApplicable(phrase`${what} accepts no unbound token`));
  }
  const { organization, plain } = await probe.use(firstPage(collection));
  const items = plain && isReadable(plain) ? plain.items?.length : undefined;
  if (plain && items !== undefined && items >= needed) {
    return { ...collection, as: ofDeniedSubject, organization, plain, shown: items };
  }
  const shown = items === undefined ? plain && describePage(plain) : phrase`${counted(items)}`;
  return endCase(
    Finding.notApplicable(phrase`what ${what} shows the denied subject: ${shown ?? "nothing"}`),
  );
}

interface FirstPage {
  /** `undefined` for the list. */
  readonly organization: string | undefined;
  /** The answer without a query; `undefined` where there is none. */
  readonly plain: Page | undefined;
}

/** What the denied subject is shown first: by the list, or by the longest feed of an organization on which it may act. */
function firstPage(collection: Collection): Fixture<FirstPage> {
  return {
    name: `${collection.operation} for the denied subject`,
    scope: "run",
    async setup(probe): Promise<FirstPage> {
      let longest: FirstPage = { organization: undefined, plain: undefined };
      for (const organization of await placesFor(probe, collection.operation)) {
        const own: Collection = { ...collection, as: ofDeniedSubject, organization };
        const plain = await optional(ask(probe, own, "", { fresh: true }));
        if (lengthOf(plain) > lengthOf(longest.plain) || !longest.plain) {
          longest = { organization, plain };
        }
        if (lengthOf(plain) >= TWO_PAGES) break;
      }
      return longest;
    },
  };
}

/** The organizations whose feed the denied subject may be shown. The list is of no organization. */
async function placesFor(
  probe: Probe,
  operation: CollectionId,
): Promise<readonly (string | undefined)[]> {
  if (operation === "listOrganizations") return [undefined];
  const { primary, other } = await probe.organizations();
  const { organization: deniedId = "" } = probe.target.denied ?? {};
  return [other, primary].filter((id) => id !== undefined && !isSameUuid(id, deniedId));
}
