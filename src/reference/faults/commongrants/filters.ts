import { Refusal } from "../../refusal.ts";
import { type Faults, ownedBy } from "../fault.ts";

/** Faults in the list by an identifier. */
export const FILTER_FAULTS: Faults = ownedBy("commongrants.filters", {
  "cg-filters-ignored": {
    title: "Ignores the identifier by which the list is asked for",
    how: "Parameters that are not declared are dropped.",
    isIdentified: () => () => true,
  },
  "cg-filter-registry-ignored": {
    title: "Finds an identifier in any registry",
    how: "The index is of the values alone.",
    isIdentified:
      (original) =>
      (organization, { id }) =>
        original(organization, { registry: undefined, id }),
  },
  "cg-filter-id-ignored": {
    title: "Lists every organization that has an identifier in the registry",
    how: "The filter is of the registry, and the value is an afterthought.",
    isIdentified:
      (original) =>
      (organization, { registry }) =>
        original(organization, { registry, id: undefined }),
  },
  "cg-filter-by-part": {
    title: "Lists every organization whose identifier begins alike",
    how: "The search is the one of the web page.",
    isIdentified: (original) => (organization, wanted) =>
      original(organization, wanted) ||
      (typeof wanted.id === "string" &&
        JSON.stringify(organization?.["identifiers"] ?? "").includes(wanted.id.slice(0, 6))),
  },
  "cg-filter-finds-nothing": {
    title: "Finds no organization by its identifier",
    how: "The registry is compared with its URL.",
    isIdentified:
      (original) =>
      (organization, { registry, id }) =>
        original(organization, {
          registry:
            typeof registry === "string" ? `https://registries.example/${registry}` : registry,
          id,
        }),
  },
  "cg-filters-refused": {
    title: "Refuses the identifier by which the list is asked for",
    how: "The parser of queries is strict, and knows the pages alone.",
    listOrganizations: (original) => (call) => {
      if (call.query["registry"] !== undefined)
        throw new Refusal(400, "The query parameters are not valid.");
      return original(call);
    },
  },
});
