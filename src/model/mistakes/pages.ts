import { ITEM_MISTAKES } from "./pages/items.ts";
import { NUMBER_MISTAKES } from "./pages/numbers.ts";
import type { PageMistake } from "./pages/page.ts";

/** Wrong pages (PaginatedResultsInfo, PaginatedQueryParams). The plainer ones of each member come first. */
export const PAGE_MISTAKES: readonly PageMistake[] = [...ITEM_MISTAKES, ...NUMBER_MISTAKES];
