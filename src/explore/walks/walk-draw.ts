import type { Facts } from "../../profile/facts.ts";
import { type Arbitrary, type Fc, SMALLER } from "../values.ts";

/** One walk through a collection as data. */
export interface WalkDraw {
  readonly operation: "listOrganizations" | "readChangesFeed";
  /** Whether the good token is bound to the organization. */
  readonly bound: boolean;
  /** Whose feed is read. */
  readonly of: "primary" | "other";
  /** The sizes of pages, of which the smallest collection has several. */
  readonly sizes: readonly number[];
  /** In which order the pages are read; 0 is theirs. See `inOrderOf`. */
  readonly order: number;
  /** Whether a change is submitted after the first page. Then nothing is judged. */
  readonly grows: boolean;
}

const LARGEST = 2_147_483_647;
/** Sizes at which programs change what they do. */
const EDGES = [1, 2, 15, 16, 20, 25, 32, 49, 50, 63, 64, 99, 100, 101, 127, 128, 1000, LARGEST];
const ORDERS = 16;

/** The arbitrary of fast-check for one deployment; `undefined` where it has no collection with pages. */
export function walksFor(fc: Fc, facts: Facts): Arbitrary<WalkDraw> | undefined {
  const { operations, bindingClaim, organizations, writes } = facts;
  const able = (["readChangesFeed", "listOrganizations"] as const).filter(
    (id) => operations[id] && operations[id].paginated !== false,
  );
  if (able.length === 0) return undefined;
  const size = fc.oneof(
    SMALLER,
    { weight: 5, arbitrary: fc.integer({ min: 1, max: 6 }) },
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 30 }) },
    { weight: 2, arbitrary: fc.constantFrom(...EDGES) },
  );
  const never = fc.constant(false);
  const drawn = fc.record<WalkDraw>({
    operation: fc.constantFrom(...able),
    bound: bindingClaim === undefined ? never : fc.boolean(),
    of:
      organizations.other === undefined
        ? fc.constant("primary")
        : fc.constantFrom("primary", "primary", "primary", "other"),
    sizes: fc.oneof(
      SMALLER,
      { weight: 2, arbitrary: fc.array(size, { minLength: 1, maxLength: 1 }) },
      { weight: 3, arbitrary: fc.uniqueArray(size, { minLength: 2, maxLength: 2 }) },
    ),
    order: fc.oneof(
      SMALLER,
      { weight: 1, arbitrary: fc.constant(0) },
      { weight: 3, arbitrary: fc.nat(ORDERS - 1) },
    ),
    grows: writes && operations.submitChange ? fc.nat(7).map((n) => n === 7) : never,
  });
  return drawn.map((draw) => {
    const isFeed = draw.operation === "readChangesFeed";
    const grows = draw.grows && isFeed && draw.of === "primary";
    return { ...draw, grows, of: isFeed ? draw.of : "primary" };
  });
}

/** Pages in the order in which a walk reads them: as they are, the last one first, or mixed. */
export function inOrderOf<T>(pages: readonly T[], order: number): T[] {
  if (order === 0) return [...pages];
  if (order === 1) return pages.toReversed();
  // Multiplying by a number that is prime to all of them mixes them, the same way for the same number.
  const place = (at: number): number => ((at + 1) * (order * 6 + 1)) % 101;
  return pages
    .map((page, at) => ({ page, at }))
    .toSorted((a, b) => place(a.at) - place(b.at))
    .map(({ page }) => page);
}

/** A walk as a phrase. */
export function walkInWords({ operation, bound, of, sizes, order, grows }: WalkDraw): string {
  const collection = operation === "listOrganizations" ? "the list" : "the feed";
  const whose = of === "other" ? " of another organization" : "";
  const token = bound ? ", with a bound token" : "";
  const read = ["one after another", "from the last one to the first"][order] ?? "in mixed order";
  const growing = grows ? ", while a change is submitted after the first one" : "";
  return `pages of ${sizes.join(" and of ")} of ${collection}${whose}, read ${read}${token}${growing}`;
}
