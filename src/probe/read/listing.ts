import { isSameUuid } from "../../contract/uuid.ts";
import { isObject } from "../../lib/json.ts";
import { endCase, type Evidence, Finding, optional } from "../finding.ts";
import { isWhole, withFurtherPages } from "../pagination/further-pages.ts";
import type { Fixture, Probe } from "../probe.ts";
import { describeReply, reception } from "../reception.ts";
import { reading } from "../write/unique-marker.ts";
import { findItems, locateItems } from "./items.ts";
import { findPaginationInfo, organizationIds, organizationOf } from "./shapes.ts";

const operation = "listOrganizations";

/** What was read of the list: all of a short one, the first and last pages of a long one. */
export interface Listing {
  /** `undefined` where no list is recognised. */
  readonly items: readonly unknown[] | undefined;
  /** The items of each page that was read; empty where no list is recognised. */
  readonly pages: readonly (readonly unknown[])[];
  readonly guessed: boolean;
  /** Whether these are all items. */
  readonly whole: boolean;
  /** Whether the list refuses unbound tokens. */
  readonly bound: boolean;
  readonly evidence: Evidence;
}

/**
 * Reads the list with an unbound token, or with a bound one where the list refuses unbound tokens.
 * @throws CaseEnd where the list is not accepted
 */
export async function readList(probe: Probe): Promise<Listing> {
  const unbound = await probe.tryControl(operation, { bound: false });
  return readListWith(probe, "refusal" in unbound);
}

/** Ids of the organizations in the list, in lower case; empty where there is no readable list. */
export const shownOrganizations: Fixture<readonly string[]> = {
  name: "shown organizations",
  scope: "run",
  async setup(probe): Promise<readonly string[]> {
    if (!probe.target.operations[operation]) return [];
    const listing = await optional(readList(probe));
    return (listing?.items ?? []).flatMap(organizationIds);
  },
};

/** The last listed organization that the profile does not name. */
export async function unnamedOrganization(probe: Probe): Promise<string | undefined> {
  const listed = await probe.use(shownOrganizations);
  const { primary, other } = await probe.organizations();
  return listed.findLast((id) => !isSameUuid(id, primary) && !isSameUuid(id, other));
}

/** Reads the list, with a bound token where it is empty for an unbound one. */
export async function readShownList(probe: Probe, listing: Listing): Promise<Listing> {
  if (listing.bound || listing.items?.length !== 0) return listing;
  const control = await probe.tryControl(operation, { bound: true });
  if ("refusal" in control) return listing;
  const own = await optional(readListWith(probe, true));
  return own?.items?.length ? own : listing;
}

/** Reads the list with a token of one kind. Throws CaseEnd where the list is not accepted. */
export async function readListWith(probe: Probe, bound: boolean): Promise<Listing> {
  const profile = probe.target.operations[operation] ?? {};
  const options = { operation, bound } as const;
  const { reply, evidence } = await probe.attempt(reading, options);
  if (reception(reply) !== "accepted") {
    endCase(Finding.inconclusive(describeReply(reply), evidence));
  }
  const pages = await withFurtherPages(probe, reply, profile, options);
  const located = pages.map((page) => locateItems(page.json(), profile));
  const length = located.reduce((sum, page) => sum + (page?.items.length ?? 0), 0);
  const isList = located[0] !== undefined;
  const info = findPaginationInfo(reply.json(), profile);
  for (const page of pages) page.keep();
  const itemsOfPages = (): (readonly unknown[])[] =>
    isList ? pages.map((page) => findItems(page.json(), profile) ?? []) : [];
  return {
    // Getters, because a fixture may keep this for long, and a parsed list takes many times the
    // memory of its text.
    get items() {
      return isList ? itemsOfPages().flat() : undefined;
    },
    get pages() {
      return itemsOfPages();
    },
    guessed: located.some((page) => page?.guessed),
    bound,
    whole: isWhole(pages, length, info),
    evidence: { ...evidence, probes: pages.map(({ exchange }) => exchange.id) },
  };
}

/**
 * A predicate that recognises an organization without an id: it mentions the UUID of a known
 * organization, or shares a member with the view of the primary one.
 */
export async function recognises(probe: Probe): Promise<(item: unknown) => boolean> {
  const { primary, other } = await probe.organizations();
  const known = [primary, other].flatMap((id) => (id === undefined ? [] : [id.toLowerCase()]));
  const profile = probe.target.operations.viewOrganization;
  const view = profile && (await probe.tryControl("viewOrganization"));
  const shown =
    view && "control" in view
      ? organizationOf(view.control.reply.json(), profile, primary)
      : undefined;
  const told = isObject(shown)
    ? Object.entries(shown).filter(([, value]) => typeof value === "string" && value.length > 2)
    : [];
  return (item) => {
    const text = JSON.stringify(item).toLowerCase();
    return (
      known.some((id) => text.includes(id)) ||
      (isObject(item) && told.some(([name, value]) => item[name] === value))
    );
  };
}
