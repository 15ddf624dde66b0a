import { OPERATIONS } from "../../src/contract/operations.ts";
import { RULES } from "../../suites/index.ts";
import {
  type Answer,
  type Behaviour,
  type Call,
  OTHER,
  PRIMARY,
  refusal,
  runTiny,
  type TinyOptions,
  type TinyRun,
} from "../engine/tiny.ts";

/** A tiny receiver with pages, and how it may differ. */
export interface Paged {
  readonly list?: () => readonly unknown[];
  /** @param submitted how many submissions there have been */
  readonly feed?: (submitted: number) => readonly unknown[];
  /** The whole answer, made from a page. */
  readonly envelope?: (page: Shown) => unknown;
  /** Replaces a page, or the refusal of values out of bounds. */
  readonly instead?: (query: URLSearchParams, call: Call) => Answer | undefined;
}

export interface Shown {
  readonly items: readonly unknown[];
  readonly info: Readonly<Record<"page" | "pageSize" | "totalItems" | "totalPages", number>>;
}

export const LIST: readonly { id: string }[] = [PRIMARY, OTHER, ...Array.from({ length: 22 })].map(
  (id, index) => ({ id: typeof id === "string" ? id : uuid(index) }),
);

export const CHANGES: readonly { id: string }[] = Array.from({ length: 5 }, (_, index) => ({
  id: `c${index + 1}`,
}));

/** A version 4 UUID for a number. */
export function uuid(number: number): string {
  return `00000000-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
}

/** Runs rules about pagination against a tiny receiver with pages. */
export function runPaged(
  rule: string,
  paged: Paged = {},
  options: TinyOptions = {},
): Promise<TinyRun> {
  const patterns = [`pagination.${rule}`];
  return runTiny(RULES, { behaviour: pages(paged), patterns, patienceMs: 0, ...options });
}

/** The queries that rules sent for a collection, in order. */
export function queriesOf({ calls }: TinyRun, path: "/orgs" | "/changes"): string[] {
  return calls
    .filter(
      (call) => call.caseId.startsWith("pagination.") && call.path.split("?", 1)[0]?.endsWith(path),
    )
    .map((call) => call.path.split("?")[1] ?? "");
}

function pages(paged: Paged): Behaviour {
  const { list = () => LIST, feed = () => CHANGES } = paged;
  const envelope = paged.envelope ?? (({ items, info }) => ({ items, paginationInfo: info }));
  let submitted = 0;
  return (call) => {
    if (call.method === OPERATIONS.submitChange.method) submitted++;
    const [path = "", query = ""] = call.path.split("?");
    if (call.method !== OPERATIONS.listOrganizations.method) return undefined;
    if (path !== "/orgs" && !path.endsWith("/changes")) return undefined;
    const asked = new URLSearchParams(query);
    const instead = paged.instead?.(asked, call);
    if (instead) return instead;
    const [page, pageSize] = [read(asked, "page", 1), read(asked, "pageSize", 100)];
    const others = [...asked.keys()].filter((name) => name !== "page" && name !== "pageSize");
    if (page === undefined || pageSize === undefined || others.length > 0) return refusal(400);
    const bound = call.claims?.["https://example.com/org_id"];
    const isStrange = ![undefined, PRIMARY, OTHER].includes(bound as string | undefined);
    const listed = isStrange ? [] : list();
    const all = path === "/orgs" ? listed : feed(submitted);
    const items = all.slice((page - 1) * pageSize, page * pageSize);
    const totalPages = Math.ceil(all.length / pageSize);
    const info = { page, pageSize, totalItems: all.length, totalPages };
    return { status: 200, body: envelope({ items, info }) };
  };
}

function read(query: URLSearchParams, name: string, fallback: number): number | undefined {
  const values = query.getAll(name);
  if (values.length === 0) return fallback;
  const value = values.length === 1 && /^[1-9]\d*$/.test(values[0] ?? "") ? Number(values[0]) : 0;
  return value >= 1 && value <= 2_147_483_647 ? value : undefined;
}
