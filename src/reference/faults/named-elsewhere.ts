import { isObject } from "../../lib/json.ts";
import { isBound } from "../checks.ts";
import type { Call, Handler } from "../model.ts";
import { onlyIf } from "../patches.ts";
import type { Patch } from "../steps.ts";
import { type Fault, showing } from "./fault.ts";

const how =
  "The guard takes the organization from the path, and the handler from wherever the framework finds a parameter of this name first.";
const source = "CWE-639";

/** The handler finds the organization itself. */
const foundLater: Patch = {
  findOrganization: (original) => (call: Call) => {
    call.organization = call.receiver.store.organizations.get(call.orgId ?? "");
    if (call.operation !== "submitChange") return original(call);
  },
};

/** Faults of receivers that check the organization in the path, and act on one that is named elsewhere. */
export const NAMED_ELSEWHERE_FAULTS: readonly Fault[] = [
  {
    name: "query-names-organization",
    title:
      "Shows the organization that the query names to a token that is bound to the one in the path",
    rule: "receiver.binding",
    how,
    source,
    viewOrganization: onlyIf(isBound, byQuery("org_id")),
  },
  {
    name: "query-names-denied",
    title:
      "Applies local policy to the organization in the path, and shows the one that the query names",
    rule: "receiver.local-policy",
    how,
    source,
    viewOrganization: onlyIf((call) => !isBound(call), byQuery("organizationId")),
  },
  {
    name: "header-names-organization",
    title: "Acts on the organization that X-Tenant-Id names, and checks the one in the path",
    rule: "receiver.binding",
    how: "A middleware for tenants chooses the database by the header, and the guard compares the path.",
    source,
    findOrganization: onlyIf(isBound, (original) => (call) => {
      const named = call.receiver.store.organizations.get(String(call.headers["x-tenant-id"]));
      if (!named) return original(call);
      call.organization = named;
    }),
  },
  {
    name: "body-names-organization",
    title:
      "Takes a change for the organization that the body names, and checks the one in the path",
    rule: "receiver.binding",
    how,
    source,
    submitChange: onlyIf(isBound, byBody),
    ...foundLater,
  },
];

function byQuery(name: string): (original: Handler) => Handler {
  return (original) => (call) => {
    const id = call.query[name];
    return original(typeof id === "string" ? showing(call, id) : call);
  };
}

function byBody(original: Handler): Handler {
  return (call) => {
    const { organizationId, ...body } = isObject(call.body) ? call.body : {};
    if (typeof organizationId !== "string") return original(call);
    return original({ ...showing(call, organizationId), body: own(body) });
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
