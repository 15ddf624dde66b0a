import { isObject } from "../../lib/json.ts";
import { isBound } from "../checks.ts";
import type { Call, Handler } from "../model.ts";
import { onlyIf } from "../patches.ts";
import type { Patch } from "../steps.ts";
import { type FaultEntry, type Faults, ofEach, ownedBy, showing } from "./fault.ts";

const how =
  "The guard takes the organization from the path, and the handler from wherever the framework finds a parameter of this name first.";
const source = "CWE-639";

/** Faults of receivers that check the organization in the path, and act on one that is named elsewhere. */
const FAULTS: Readonly<Record<string, Omit<FaultEntry, "how"> & { readonly how?: string }>> = {
  "query-names-organization": {
    title:
      "Shows the organization that the query names to a token that is bound to the one in the path",
    viewOrganization: shownBy(({ query }) => query["org_id"]),
  },
  "query-names-organization-on-readChange": {
    title:
      "Shows a change of the organization that the query names to a token that is bound to the one in the path",
    readChange: shownBy(({ query }) => query["orgId"]),
  },
  "query-names-denied": {
    title:
      "Applies local policy to the organization in the path, and shows the one that the query names",
    rule: "receiver.local-policy",
    viewOrganization: shownBy(
      ({ query }) => query["organizationId"],
      (call) => !isBound(call),
    ),
  },
  "header-names-organization": {
    title: "Acts on the organization that X-Tenant-Id names, and checks the one in the path",
    how: "A middleware for tenants chooses the database by the header, and the guard compares the path.",
    findOrganization: onlyIf(isBound, (original) => (call) => {
      const named = call.receiver.store.organizations.get(String(call.headers["x-tenant-id"]));
      if (!named) return original(call);
      call.organization = named;
    }),
  },
  "body-names-organization": {
    title:
      "Takes a change for the organization that the body names, and checks the one in the path",
    ...takenFor("organizationId", (id) => id),
  },
  "nested-body-names-organization": {
    title:
      "Takes a change for the organization in an object of the body, and checks the one in the path",
    how: "Clients send the whole organization beside the change, and the code that stores the change looks it up by its id.",
    ...takenFor("organization", (named) => isObject(named) && named["id"]),
  },
  "known-organization-in-body-is-edited": {
    title: "Edits the organization that the body names, if token and path name one that exists",
    how: "The guard loads the organization of the path, and the handler maps the whole request to a command in which the body comes last.",
    editOrganization: inBody("organization_id", isBound),
  },
  "known-organization-in-body-gets-changes": {
    title:
      "Takes a change for the organization in an object of the body, if token and path name one that exists",
    how: "The guard loads the organization of the path, and the change is stored with the organization of its own document.",
    submitChange: inBody("organization", isBound),
  },
  "unbound-edit-by-body": {
    title: "Edits the organization that the body names, if the token is bound to none",
    rule: "resources.edit",
    how: "The organization comes from the token, and where that names none, from the first place in the request that does.",
    editOrganization: inBody("orgId", isUnbound),
  },
  "unbound-change-by-body": {
    title: "Takes a change for the organization that the body names, if the token is bound to none",
    rule: "resources.submit",
    how: "The organization comes from the token, and where that names none, from the first place in the request that does.",
    submitChange: inBody("tenantId", isUnbound),
  },
  "cookie-names-organization": {
    title: "Shows the organization that a cookie names, and checks the one in the path",
    how: "The application of the same service keeps the organization that was chosen last in a cookie.",
    viewOrganization: shownBy(
      ({ headers }) => /organization_id=([\da-f-]+)/.exec(String(headers["cookie"]))?.[1],
    ),
  },
  "brackets-name-organization": {
    title:
      "Shows the organization that `organization[id]` in the query names, and checks the one in the path",
    how: "The framework makes an object of such parameters, and the handler prefers it to the path.",
    viewOrganization: shownBy(({ query }) => query["organization[id]"]),
  },
  "parameter-names-organization": {
    title:
      "Shows the organization that a parameter of the path names, and checks the one in the path itself",
    how: "The container takes parameters after a semicolon out of the path, and the handler finds them under the same name.",
    viewOrganization: shownBy(({ url }) => /;orgId=([\da-f-]+)/.exec(url)?.[1]),
    resolveUrl: () => (url) => url.replaceAll(/;[^/?]*/g, ""),
  },
  "original-url-names-organization": {
    title:
      "Shows the organization in the path of X-Original-URL, and checks the one of the request",
    how: "The gateway rewrites paths and names the first one in this header, which the service believes. The guard is in the gateway.",
    source: "CWE-639; CVE-2018-14773",
    viewOrganization: shownBy(
      ({ headers }) => /\/orgs\/([\da-f-]+)/.exec(String(headers["x-original-url"]))?.[1],
    ),
  },
};

export const NAMED_ELSEWHERE_FAULTS: Faults = ownedBy(
  "receiver.binding",
  ofEach(Object.entries(FAULTS), ([name, fault]) => ({ [name]: { how, source, ...fault } })),
);

/** Shows the organization that `find` finds in the request. */
function shownBy(
  find: (call: Call) => unknown,
  condition: (call: Call) => boolean = isBound,
): (original: Handler) => Handler {
  return onlyIf(condition, (original) => (call) => {
    const id = find(call);
    return original(typeof id === "string" ? showing(call, id) : call);
  });
}

/** The handler of a write takes the organization from a member of the body, or from the `id` of an object there. */
function inBody(
  member: string,
  condition: (call: Call) => boolean,
): (original: Handler) => Handler {
  return onlyIf(condition, (original) => (call) => {
    const { [member]: named, ...body } = isObject(call.body) ? call.body : {};
    const id = isObject(named) ? named["id"] : named;
    if (typeof id !== "string") return original(call);
    return original({ ...showing(call, id), body: own(body) });
  });
}

function isUnbound(call: Call): boolean {
  return !isBound(call);
}

/** The handler of submissions finds the organization itself: by a member of the body, in which `find` finds an id. */
function takenFor(member: string, find: (named: unknown) => unknown): Patch {
  return {
    findOrganization: (original) => (call) => {
      call.organization = call.receiver.store.organizations.get(call.orgId ?? "");
      if (call.operation !== "submitChange") return original(call);
    },
    submitChange: onlyIf(isBound, (original) => (call) => {
      const { [member]: named, ...body } = isObject(call.body) ? call.body : {};
      const id = find(named);
      if (typeof id !== "string") return original(call);
      return original({ ...showing(call, id), body: own(body) });
    }),
  };
}

/** The members that the receiver knows. */
function own({ name, mission, socials }: Readonly<Record<string, unknown>>): object {
  return {
    ...(name !== undefined && { name }),
    mission,
    ...(socials !== undefined && { socials }),
  };
}
