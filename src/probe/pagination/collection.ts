import type { Target } from "../../profile/target.ts";
import type { Control } from "../controls.ts";
import type { Finding } from "../finding.ts";
import { unlessGuessed } from "../items.ts";
import type { Probe } from "../probe.ts";
import type { RuleCase } from "../rule.ts";
import { ask, DEFAULT_PAGE_SIZE, describePage, GREATEST, isReadable, type Source } from "./ask.ts";
import { type Page, readContent } from "./page.ts";

/** The two collections that a deployment may serve in pages. */
export const COLLECTIONS = ["listOrganizations", "readChangesFeed"] as const;

export type CollectionId = (typeof COLLECTIONS)[number];

/** A collection that is paginated, and what is known of it. */
export interface Collection extends Source {
  readonly operation: CollectionId;
  /** The answer to the request without parameters. */
  readonly plain: Page;
  /** Items that the control's answer shows. */
  readonly shown: number;
  /** Items that there are for all that is known: as many as are told, or many. */
  readonly size: number;
  /** True where it is a guess which arrays hold the items; see `onItems`. */
  readonly guessed: boolean;
  /** How it is known to be paginated. */
  readonly because: string;
}

/** A case about one of the collections. */
export interface CollectionCase extends RuleCase {
  readonly operation: CollectionId;
}

/** For the size of a collection that shows a full page and does not tell how many more there are. */
const MANY = 1_000_000;

/** Each of the cases on each of the collections, `<id>@<operation>`. */
export function onCollections<C extends { readonly id: string }>(
  cases: readonly C[],
  operations: readonly CollectionId[] = COLLECTIONS,
): (C & CollectionCase)[] {
  return operations.flatMap((operation) =>
    cases.map((one) => ({ ...one, id: `${one.id}@${operation}`, operation })),
  );
}

/** Where one collection is enough: the list, or the feed where the list has no pages. */
export function oneCollection({ operations }: Target): CollectionId[] {
  const able = COLLECTIONS.find((id) => operations[id] && operations[id].paginated !== false);
  return [able ?? COLLECTIONS[0]];
}

/**
 * Judges a collection where it is paginated: because the profile or the document says so, because
 * its answers carry PaginatedResultsInfo, or because `pageSize=1` shortens its answer. A profile
 * that says that it is not is believed.
 * @returns `inapplicable` where nothing shows that it is
 */
export async function onPages(
  probe: Probe,
  operation: CollectionId,
  judge: (collection: Collection) => Promise<Finding> | Finding,
): Promise<Finding> {
  const found = await collectionOf(probe, operation);
  return "finding" in found ? found.finding : judge(found.collection);
}

/** As `onPages`, for what is about the items: where it is a guess which they are, nothing is violated. */
export function onItems(
  probe: Probe,
  operation: CollectionId,
  judge: (collection: Collection) => Promise<Finding> | Finding,
): Promise<Finding> {
  return onPages(probe, operation, async (collection) => {
    return unlessGuessed(await judge(collection), operation, collection);
  });
}

/** What `onPages` judges, found out once in a run. */
export async function collectionOf(
  probe: Probe,
  operation: CollectionId,
): Promise<{ collection: Collection } | { finding: Finding }> {
  if (probe.target.operations[operation]?.paginated === false) {
    return inapplicable("the profile says that it is not paginated");
  }
  // Even where all else is known already, the case leans on the control, which is repeated then.
  const found = await probe.tryControl(operation);
  if ("refusal" in found) return { finding: found.refusal.finding };
  const { control } = found;
  const find = (shared: Probe): ReturnType<typeof survey> => survey(shared, operation, control);
  return probe.once(`pagination of ${operation}`, find, "run");
}

async function survey(
  probe: Probe,
  operation: CollectionId,
  control: Control,
): Promise<{ collection: Collection } | { finding: Finding }> {
  const profile = probe.target.operations[operation];
  const source = { operation, itemsAt: undefined };
  const asked = await ask(probe, source, "");
  if ("finding" in asked) return asked;
  const plain = asked.page;
  if (!isReadable(plain)) return undecided(describePage(plain));
  const single = await ask(probe, source, "pageSize=1");
  if ("finding" in single) return single;
  const because = profile?.paginated
    ? "it is declared to be"
    : [plain, single.page].some(carriesInfo)
      ? "its answers carry PaginatedResultsInfo"
      : (await shortens(probe, source, single.page, plain))
        ? "pageSize=1 shortens its answer"
        : undefined;
  if (because === undefined) return inapplicable("nothing shows that it is paginated");
  // The control came before the probes. How many items there are while these write is chance.
  const before = readContent(control.reply.json(), profile, undefined);
  const shown = before.items?.length ?? 0;
  const told = before.info?.totalItems ?? (shown < DEFAULT_PAGE_SIZE ? shown : MANY);
  const pages = [plain, single.page];
  const pointers = pages.map(({ pointer }) => pointer).filter((pointer) => pointer !== undefined);
  const guessed = pages.some((page) => page.guessed) || new Set(pointers).size > 1;
  return {
    collection: {
      operation,
      itemsAt: guessed ? undefined : pointers[0],
      guessed,
      plain,
      shown,
      size: Math.min(GREATEST, Math.max(shown, told)),
      because,
    },
  };
}

function carriesInfo({ info }: Page): boolean {
  return info?.page !== undefined && info.pageSize !== undefined;
}

/** Whether it is the query that makes the answer shorter: without it, it is as long as before. */
async function shortens(probe: Probe, source: Source, single: Page, plain: Page): Promise<boolean> {
  if (!isReadable(single) || !single.items || !plain.items) return false;
  if (single.items.length >= plain.items.length) return false;
  const again = await ask(probe, source, "", { fresh: true });
  return "page" in again && (again.page.items?.length ?? 0) > single.items.length;
}

function undecided(reason: string): { finding: Finding } {
  return { finding: { kind: "undecided", reason } };
}

function inapplicable(reason: string): { finding: Finding } {
  return { finding: { kind: "inapplicable", reason } };
}
