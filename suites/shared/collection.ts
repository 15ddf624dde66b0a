import type { CaseWith } from "../../src/probe/cases.ts";
import { endCase, Finding } from "../../src/probe/finding.ts";
import {
  ask,
  DEFAULT_PAGE_SIZE,
  describePage,
  INT32_MAX,
  isReadable,
  type Page,
  readContent,
  type Source,
} from "../../src/probe/pagination/page.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Fixture, Probe } from "../../src/probe/probe.ts";
import { unlessGuessed } from "../../src/probe/read/items.ts";
import type { RuleCase } from "../../src/probe/rule.ts";
import type { Facts } from "../../src/profile/facts.ts";
import { doesNotApply } from "./kind.ts";

/** The two collections that a deployment may paginate. */
export const COLLECTIONS = ["listOrganizations", "readChangesFeed"] as const;

export type CollectionId = (typeof COLLECTIONS)[number];

/** A collection that is paginated, and what is known of it. */
export interface Collection extends Source {
  readonly operation: CollectionId;
  /** The answer to the request without parameters. */
  readonly plain: Page;
  /** The number of items in the control's answer. */
  readonly shown: number;
  /** The assumed number of items: the number that the deployment states, or a large one. */
  readonly size: number;
  /** Whether it is a guess which arrays hold the items; see `unlessGuessed`. */
  readonly guessed: boolean;
  /** Why it is known to be paginated, as a clause. */
  readonly because: string;
}

/** Why a collection is not known to be paginated, as a clause. */
interface NotPaginated {
  readonly whyNot: string;
}

/** A case that judges a paginated collection. */
export type CollectionJudge = CaseWith<Collection>;

/** The assumed size of a collection that shows a full page and states no total. */
const MANY = 1_000_000;
/** The operations whose good requests may add a change to the feed. */
const WRITES = ["submitChange", "editOrganization"] as const;

/**
 * Each case for each collection, `<id>@<operation>`, grouped by collection.
 * @param operations default: the list of organizations and the feed
 */
export function onCollections<C extends { readonly id: string }>(
  cases: readonly C[],
  operations: readonly CollectionId[] = COLLECTIONS,
): (C & { readonly operation: CollectionId })[] {
  return operations.flatMap((operation) =>
    cases.map((one) => ({ ...one, id: `${one.id}@${operation}`, operation })),
  );
}

/** One collection for cases that need only one: the list, or the feed where the list has no pages. */
export function oneCollection({ operations }: Facts): CollectionId[] {
  const able = COLLECTIONS.find((id) => operations[id] && operations[id].paginated !== false);
  return [able ?? COLLECTIONS[0]];
}

/**
 * A collection that is known to be paginated: the profile or the document says so, its answers carry
 * PaginatedResultsInfo, or `pageSize=1` shortens its answer. A profile that says that it is not is
 * believed.
 * @throws CaseEnd (not applicable) where nothing shows that it is paginated
 */
export async function paginated(probe: Probe, operation: CollectionId): Promise<Collection> {
  const found = await surveyed(probe, operation);
  return "whyNot" in found ? doesNotApply(phrase`${found.whyNot}`) : found;
}

/** Cases about each collection, which end as not applicable where nothing shows that it is paginated. */
export function onPaginated(
  cases: readonly CollectionJudge[],
  operations?: readonly CollectionId[],
): RuleCase[] {
  return onCollections(cases, operations).map(({ judge, ...one }) => ({
    ...one,
    judge: async (probe) => judge(probe, await paginated(probe, one.operation)),
  }));
}

/** Like `onPaginated`, by answers that all show the accepted writes of the run. */
export function onSettled(
  cases: readonly CollectionJudge[],
  operations?: readonly CollectionId[],
): RuleCase[] {
  return onCollections(cases, operations).map(({ judge, ...one }) => ({
    ...one,
    judge: (probe) =>
      probe.judgeSettled(async (reader) => {
        const collection = await paginated(reader, one.operation);
        return unlessGuessed(await judge(reader, collection), one.operation, collection);
      }),
  }));
}

/** Like `paginated`, but returns the reason where the collection is not known to be paginated. */
export async function surveyed(
  probe: Probe,
  operation: CollectionId,
): Promise<Collection | NotPaginated> {
  if (probe.target.operations[operation]?.paginated === false) {
    return { whyNot: "the profile says that it is not paginated" };
  }
  // The case rests on the control, which is then repeated, even where everything else is known.
  await probe.control(operation);
  return probe.use(survey(operation));
}

function survey(operation: CollectionId): Fixture<Collection | NotPaginated> {
  return {
    name: `pagination of ${operation}`,
    scope: "run",
    async setup(probe): Promise<Collection | NotPaginated> {
      const control = await probe.control(operation);
      const profile = probe.target.operations[operation];
      // Counts the items of the control's answer, because it came before any probe that may write.
      const before = readContent(control.reply.json(), profile, undefined);
      const source = { operation, itemsAt: undefined };
      const first = await look(probe, source, before.items?.length ?? 0);
      const { plain, single, shown, because } = first.because
        ? first
        : await lookLater(probe, first);
      if (because === undefined) return { whyNot: "nothing shows that it is paginated" };
      const told = before.info?.totalItems ?? (shown < DEFAULT_PAGE_SIZE ? shown : MANY);
      const pages = [plain, single];
      const pointers = pages.flatMap(({ pointer }) => pointer ?? []);
      const guessed = pages.some((page) => page.guessed) || new Set(pointers).size > 1;
      return {
        operation,
        itemsAt: guessed ? undefined : pointers[0],
        guessed,
        plain,
        shown,
        size: Math.min(INT32_MAX, Math.max(shown, told)),
        because,
      };
    },
  };
}

/**
 * Answers without parameters and to `pageSize=1`, and what they show.
 * @param shown the number of items that were shown before
 */
async function look(
  probe: Probe,
  source: Source & Pick<Collection, "operation">,
  shown: number,
  options: { readonly fresh?: boolean } = {},
) {
  const plain = await ask(probe, source, "", options);
  if (!isReadable(plain)) return endCase(Finding.inconclusive(describePage(plain)));
  const single = await ask(probe, source, "pageSize=1", options);
  const because = probe.target.operations[source.operation]?.paginated
    ? "the profile or the document declares it"
    : [plain, single].some(({ info }) => info?.page !== undefined && info.pageSize !== undefined)
      ? "its answers carry PaginatedResultsInfo"
      : (await shortens(probe, source, single, shown))
        ? "pageSize=1 shortens its answer"
        : undefined;
  return { source, plain, single, shown, because };
}

/**
 * Looks again, if there were too few changes for `pageSize=1` to shorten the feed, when the run's good writes are in it. A
 * run without cases that write makes none for this.
 */
async function lookLater(probe: Probe, first: Awaited<ReturnType<typeof look>>) {
  const { source, shown } = first;
  const writes = WRITES.filter((id) => probe.planned.has(id));
  if (source.operation !== "readChangesFeed" || shown > 1 || writes.length === 0) return first;
  for (const write of writes) await probe.tryControl(write);
  const { items } = await ask(probe, source, "", { fresh: true });
  return look(probe, source, items?.length ?? 0, { fresh: true });
}

/**
 * Whether the query is what shortens the answer: without it, the answer has its former length.
 * @param shown the number of items that were shown before
 */
async function shortens(
  probe: Probe,
  source: Source,
  single: Page,
  shown: number,
): Promise<boolean> {
  if (!isReadable(single) || !single.items || single.items.length >= shown) return false;
  const again = await ask(probe, source, "", { fresh: true });
  return (again.items?.length ?? 0) > single.items.length;
}
