import { isBound } from "../checks.ts";
import { good, listOrganizations } from "../routes.ts";
import { accessibleIds, OTHER, PRIMARY, type Organization } from "../store.ts";
import { type Faults, ownedBy, showing } from "./fault.ts";

export const ORGANIZATION_FAULTS: Faults = ownedBy("resources.list", {
  "list-item-without-id": {
    title: "Lists some organizations without an id",
    how: "Records of an older import have their id in another column.",
    listOrganizations: () => (call) =>
      listOrganizations(call, ({ id, ...rest }) => (rowOf(id) % 3 ? { id, ...rest } : rest)),
  },
  "list-ids-numeric": {
    title: "Lists row numbers as ids",
    shows: "Lists organizations without an id that is a UUID",
    how: "The list serializes the table's own key. The UUID is in another column, which only the view uses.",
    listOrganizations: () => (call) =>
      listOrganizations(call, (organization) => ({ ...organization, id: rowOf(organization.id) })),
  },
  "list-misses-organization": {
    title: "Omits an organization from the list that can be viewed",
    how: "The list joins a table that does not have a row for every organization.",
    visibleOrganizations: (original) => (call) =>
      original(call).filter((id) => id !== OTHER || isBound(call)),
  },
  "list-misses-first-organization": {
    title: "Omits the first organization from the list",
    how: "The offset of the query counts rows from 1.",
    visibleOrganizations: (original) => (call) =>
      isBound(call) ? original(call) : original(call).slice(1),
  },
  "list-repeats-organization": {
    title: "Lists an organization once for each of its roles",
    how: "The query joins the table of roles, and does not make its rows distinct.",
    visibleOrganizations: (original) => (call) => {
      const ids = [...original(call)];
      return ids.flatMap((id) => (id === OTHER ? [id, id] : [id]));
    },
  },
  ...ownedBy("resources.view", {
    "view-shows-first": {
      title: "Shows the first organization, whichever was requested",
      how: "A query builder loses the condition, and the first row of the table is used.",
      viewOrganization: (original) => (call) => original(showing(call, PRIMARY)),
    },
    "view-shows-another": {
      title: "Shows another organization than the requested one",
      how: "The cache key is the route without the id, and another request came first.",
      viewOrganization: (original) => (call) => original(showing(call, OTHER)),
    },
    "view-by-token": {
      title: "Shows an unbound token the first organization that its subject may act on",
      how: "The organization is taken from the token, as on the routes of the web site, not from the path.",
      viewOrganization: (original) => (call) => {
        if (isBound(call)) return original(call);
        return original(showing(call, accessibleIds(call.receiver.store, call.claims["sub"])[0]));
      },
    },
    "view-without-id": {
      title: "Omits the id from the view",
      how: "The client asked for the id, so the author assumed that it knows it.",
      viewOrganization: () => (call) => {
        const { id: _, ...rest } = call.organization as Organization;
        return good(call, { data: rest });
      },
    },
    "view-id-numeric": {
      title: "Shows the row number as id in the view",
      shows: "Shows an id in the view that is no UUID",
      how: "The path is looked up by UUID, and the record is serialized with its own key.",
      viewOrganization: () => (call) => good(call, { data: { ...call.organization, id: 7 } }),
    },
  }),
});

function rowOf(id: string): number {
  return Number.parseInt(id.slice(-6), 16);
}
