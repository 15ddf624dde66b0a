import { isUuid } from "../../src/contract/uuid.ts";
import { canonicalJson, isObject } from "../../src/lib/json.ts";
import { type CaseWith, judgedWith, onOperation } from "../../src/probe/cases.ts";
import { Finding, ofAll } from "../../src/probe/finding.ts";
import { countFact, phrase } from "../../src/probe/phrase.ts";
import type { Fixture, Probe } from "../../src/probe/probe.ts";
import { unlessGuessed } from "../../src/probe/read/items.ts";
import {
  type Listing,
  readList,
  readListWith,
  readShownList,
  recognises,
} from "../../src/probe/read/listing.ts";
import { organizationIds } from "../../src/probe/read/shapes.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { boundUnlisted } from "../shared/kind.ts";

const operation = "listOrganizations";

const cases = onOperation<CaseWith<Listing>>(operation, [
  {
    id: "ids",
    title: "the ids of what is listed",
    judge: ofList(async (probe, listing) => {
      const shown = await readShownList(probe, listing);
      return unlessGuessed(everyId(shown, await recognises(probe)), operation, shown);
    }),
  },
  {
    id: "bound",
    title: "the ids of what is listed to a bound token",
    control: { bound: true },
    needs: ["claimsNamespace"],
    judge: boundIds,
  },
  {
    id: "once",
    title: "records of the list that are the same",
    level: "SHOULD",
    judge: ofList(async (probe, listing) =>
      unlessGuessed(await listedOnce(probe, listing), operation, listing),
    ),
  },
  ...(["primary", "other"] as const).map((place): Omit<CaseWith<Listing>, "operation"> => ({
    id: place,
    title: `the ${place} organization, looked for in the list for an unbound token`,
    needs: [`organizations.${place}`],
    level: "SHOULD",
    judge: ofList(async (probe, listing) =>
      unlessGuessed(await listedAt(probe, listing, place), operation, listing),
    ),
  })),
]);

/** Judges the list of an unbound token, or of a bound one if no other may list. */
function ofList(judge: CaseWith<Listing>["judge"]): CaseWith<Listing>["judge"] {
  return (probe, listing) => {
    if (listing.items) return judge(probe, listing);
    return Finding.inconclusive(phrase`no list is recognised in the answer`, listing.evidence);
  };
}

export const rule: Rule = defineRule({
  id: "resources.list",
  title: "Every listed organization has a UUID id, and existing ones are listed",
  level: "MUST",
  verifies: [
    "endpoints.list-organizations",
    "service.list-and-view",
    "organization.id",
    "binding.absent",
    "rfc9562.text-form",
  ],
  dependsOn: ["receiver.isolation"],
  phase: "state",
  cases: () => judgedWith(cases, (probe) => probe.use(list)),
});

const list: Fixture<Listing> = { name: "list", scope: "rule", setup: readList };

function everyId(
  { items = [], evidence }: Listing,
  recognised: (item: unknown) => boolean,
  hasId: (item: unknown) => boolean = isOrganization,
): Finding {
  const without = items.filter((item) => !hasId(item));
  if (items.length === 0) return Finding.inconclusive(phrase`the list is empty`, evidence);
  if (without.length === 0)
    return Finding.pass(evidence, phrase`${countFact(items.length, "item")} checked`);
  // If no item has such an id, the items may not be organizations.
  if (without.length === items.length && !without.some(recognised)) {
    return Finding.inconclusive(phrase`no organization can be recognised in the list`, evidence);
  }
  return {
    kind: "fail",
    expected: phrase`every organization carries an id that is a UUID`,
    actual: phrase`none in ${without.length} of ${countFact(items.length, "item")}`,
    evidence,
  };
}

/** The list for a bound token may be made in another way than that for an unbound one. */
async function boundIds(probe: Probe, unbound: Listing): Promise<Finding> {
  const unlisted = await boundUnlisted(probe, { operation });
  if (unlisted) return unlisted;
  const own = await readListWith(probe, true);
  if (!own.items || own.items.length === 0) {
    return Finding.notApplicable(phrase`nothing is listed to a bound token`);
  }
  // Where organizations are recognised in the one list, the items of the other are organizations too.
  const known = unbound.items?.some((item) => organizationIds(item).length > 0) ?? false;
  const recognised = await recognises(probe);
  const organization = (await probe.organization("primary")).toLowerCase();
  const finding = everyId(
    own,
    (item) => known || recognised(item),
    // What an organization with another id names further in may be what an edit of the run wrote.
    (item) => {
      const ids = organizationIds(item);
      const hasOtherId = isObject(item) && item["id"] !== undefined && !isUuid(item["id"]);
      return ids.includes(organization) || (ids.length > 0 && !hasOtherId);
    },
  );
  return unlessGuessed(finding, operation, own);
}

/**
 * Two records with the same id may be about two things, such as two roles of the caller. Two that are the same in all
 * members say nothing that one of them does not. Where an organization is added between two pages, the last one of the
 * first page is on the second one too.
 */
async function listedOnce(probe: Probe, listing: Listing): Promise<Finding> {
  const { items = [], pages, evidence, bound } = listing;
  const organizations = items.filter(isOrganization);
  if (organizations.length === 0)
    return Finding.inconclusive(phrase`no organization is listed`, evidence);
  const twice = repeatedIn(items);
  if (twice === 0)
    return Finding.pass(
      evidence,
      phrase`${countFact(organizations.length, "organization")} compared`,
    );
  if (pages.every((page) => repeatedIn(page) === 0)) {
    const again = await readListWith(probe, bound);
    if (inOrder(again) !== inOrder(listing)) {
      const value = phrase`the list changed while its pages were read`;
      return Finding.observed(value, ofAll([evidence, again.evidence]));
    }
  }
  return {
    kind: "fail",
    expected: phrase`no organization is listed twice`,
    actual: phrase`${twice} of ${countFact(organizations.length, "organization")} listed twice`,
    evidence,
  };
}

function isOrganization(item: unknown): boolean {
  return organizationIds(item).length > 0;
}

/** How many organizations are the same as another one. */
function repeatedIn(items: readonly unknown[]): number {
  const organizations = items.filter(isOrganization);
  return organizations.length - new Set(organizations.map(canonicalJson)).size;
}

/** The organizations of each page, as a text to compare. */
function inOrder({ pages }: Listing): string {
  return JSON.stringify(pages.map((page) => page.map(organizationIds)));
}

async function listedAt(
  probe: Probe,
  listing: Listing,
  place: "primary" | "other",
): Promise<Finding> {
  const { items = [], evidence, whole, bound } = listing;
  if (bound) return Finding.notApplicable(phrase`no unbound token may list`);
  const organization = await probe.organization(place);
  const known = Object.values(await probe.organizations()).map((id) => id.toLowerCase());
  const ids = items.map((item) => organizationIds(item));
  // An organization may name another one further in: what an edit of the run wrote, for example.
  const shown = ids.map((of) => of.find((id) => known.includes(id)));
  if (shown.includes(organization.toLowerCase())) return Finding.pass(evidence);
  if (ids.flat().length === 0 && items.length > 0) {
    return Finding.inconclusive(phrase`no organization can be recognised in the list`, evidence);
  }
  return whole
    ? {
        kind: "fail",
        expected: phrase`the organization ${organization} is listed`,
        actual: phrase`it is not among ${countFact(items.length, "listed organization")}`,
        evidence,
      }
    : Finding.observed(phrase`not among ${countFact(items.length, "checked item")}`, evidence);
}
