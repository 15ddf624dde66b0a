import { OPERATIONS, SCOPES } from "../../contract/operations.ts";
import { isObject } from "../../lib/json.ts";
import { isBound } from "../checks.ts";
import type { Call } from "../model.ts";
import { reject } from "../reject.ts";
import { accessibleIds, mayAccess, PRIMARY } from "../store.ts";
import { onlyOn, skipped, type Fault } from "./fault.ts";

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Faults of check 6: what is taken for the claim, and how it is compared with the organization of the path. */
export const BINDING_FAULTS: readonly Fault[] = [
  passing(
    "binding-writes-forgotten",
    "Opens writes to a token that is bound to another organization",
    "The comparison was written for what a token may see.",
    (call) => OPERATIONS[call.operation].writes,
  ),
  passing(
    "binding-ignored-for-all-scopes",
    "Lets a token that grants every scope act on every organization",
    "Whoever may do everything is taken for an administrator.",
    ({ claims }) => SCOPES.every((scope) => String(claims["scope"]).split(" ").includes(scope)),
  ),
  passing(
    "binding-ignored-for-authorization-code",
    "Lets a token of the authorization code flow act on every organization",
    "The binding was built for backend services, and the other flow came later.",
    ({ claims }) => claims["grant_type"] === "authorization_code",
  ),
  passing(
    "binding-falsy-ignored",
    "Takes a binding claim that is empty or 0 for absent",
    "`if (claim)` asks whether the claim is true where it was meant to ask whether it is there.",
    (call) => isBound(call) && !claimOf(call) && claimOf(call) !== null,
  ),
  passing(
    "binding-falsy-or-null-ignored",
    "Takes every binding claim that is empty, 0 or null for absent",
    "`if (claim && claim !== organization)` asks whether the claim is true before it compares.",
    (call) => isBound(call) && !claimOf(call),
  ),
  passing(
    "binding-non-string-ignored",
    "Takes a binding claim that is no string for absent",
    "The library's typed getter answers nothing for a value of another type.",
    (call) => isBound(call) && claimOf(call) !== null && typeof claimOf(call) !== "string",
  ),
  passing(
    "binding-not-uuid-ignored",
    "Takes a binding claim that is no UUID for absent",
    "The claim is parsed, and what cannot be parsed is dropped with a line in the log.",
    (call) => typeof claimOf(call) === "string" && !UUID.test(String(claimOf(call))),
  ),
  passing(
    "binding-nil-ignored",
    "Takes the nil UUID in the binding claim for absent",
    "The language's zero value of a UUID stands for none.",
    (call) => claimOf(call) === "00000000-0000-0000-0000-000000000000",
  ),
  passing(
    "binding-wildcard",
    "Takes `*` in the binding claim for every organization",
    "The claim goes through a matcher of patterns, or tokens of administrators were to have it.",
    (call) => claimOf(call) === "*",
  ),
  passing(
    "binding-empty-list",
    "Takes an empty list in the binding claim for every organization",
    "Lists were allowed for later, and `every` holds of an empty one.",
    (call) => Array.isArray(claimOf(call)) && (claimOf(call) as unknown[]).length === 0,
  ),
  passing(
    "binding-by-prefix",
    "Takes the beginning of the organization's id in the binding claim",
    "`startsWith` was meant for ids below one another.",
    ({ orgId, ...call }) => orgId?.startsWith(text(call)) ?? false,
  ),
  passing(
    "binding-by-inclusion",
    "Looks for the organization's id anywhere in the binding claim",
    "`includes` is called on a string that was meant to be a list.",
    ({ orgId = "", ...call }) => text(call).includes(orgId),
  ),
  passing(
    "binding-fixed-organization",
    "Lets a token that is bound to one certain organization act on all",
    "The claim is compared with the organization that the deployment was configured for.",
    (call) => claimOf(call) === PRIMARY,
  ),
  passing(
    "binding-header-as-claim",
    "Reads X-Org-Id in place of the binding claim",
    "A gateway used to set the header, and the service can be reached beside the gateway.",
    ({ headers, orgId }) => headers["x-org-id"] === orgId,
  ),
  passing(
    "binding-header-as-target",
    "Compares the binding claim with X-Org-Id where there is one",
    "A tenant resolver of the framework looks at the header before the path.",
    (call) => text(call) === call.headers["x-org-id"],
  ),
  passing(
    "binding-query-as-claim",
    "Reads `orgId` of the query in place of the binding claim",
    "Administrators were to be able to switch organizations in the address bar.",
    ({ query, orgId }) => query["orgId"] === orgId,
  ),
  passing(
    "binding-query-as-target",
    "Compares the binding claim with `orgId` of the query where there is one",
    "Parameters of path and query are merged, and the query's come last.",
    (call) => text(call) === call.query["orgId"],
  ),
  ...(["id", "organizationId"] as const).map((member): Fault => ({
    name: `binding-body-${member === "id" ? "id" : "organization"}-as-target`,
    title: `Compares the binding claim with \`${member}\` in the body where there is one`,
    rule: "receiver.binding",
    how: "The guard knows the record that is sent, and the handler takes the id from the path.",
    step: "checkBinding",
    patch: onlyOn("editOrganization", skipped),
    more: [
      {
        step: "editOrganization",
        patch: (original) => (call) => {
          const { [member]: named, ...body } = isObject(call.body) ? call.body : {};
          if (isBound(call) && claimOf(call) !== (named ?? call.orgId)) throw elsewhere(call);
          if (named !== undefined) call.body = body;
          return original(call);
        },
      },
    ],
  })),
  passing(
    "binding-bare-name-first",
    "Reads a bare `org_id` in place of the namespaced claim",
    "The identity provider's own claim of that name was read before the contract's.",
    ({ claims, orgId }) => claims["org_id"] === orgId,
  ),
  passing(
    "binding-any-namespace",
    "Reads `org_id` in any namespace as the binding claim",
    "The claim is looked for by the end of its name, so that the namespace need not be configured.",
    ({ claims, orgId }) => Object.entries(claims).find(endsInOrgId)?.[1] === orgId,
  ),
  passing(
    "binding-name-case",
    "Reads the binding claim's name without regard to case, and the last one of several",
    "The decoder matches members to fields without regard to case, as Go's does.",
    ({ claims, orgId, receiver }) =>
      Object.entries(claims).findLast(
        ([name]) => name.toLowerCase() === receiver.bindingClaim.toLowerCase(),
      )?.[1] === orgId,
  ),
  {
    name: "binding-repeated-first",
    title: "Reads the first of a binding claim that stands twice",
    rule: "receiver.binding",
    how: "The parser keeps the first of repeated members.",
    step: "verifySignature",
    patch: (original) => async (call) => {
      await original(call);
      const payload = Buffer.from(call.token?.split(".")[1] ?? "", "base64url").toString();
      const { bindingClaim } = call.receiver;
      const first = payload.split(`${JSON.stringify(bindingClaim)}:`)[1];
      const value = /^"([^"]*)"/.exec(first ?? "")?.[1];
      if (value !== undefined) call.claims = { ...call.claims, [bindingClaim]: value };
    },
  },
  {
    name: "bound-elsewhere-refused",
    title: "Takes tokens that are bound to one certain organization, and to no other",
    rule: "receiver.binding-accepted",
    how: "The claim is compared with the organization that the deployment was configured for.",
    step: "checkBinding",
    patch: (original) => (call) => {
      if (call.orgId !== undefined && isBound(call) && claimOf(call) !== PRIMARY) {
        throw elsewhere(call);
      }
      return original(call);
    },
  },
  {
    name: "unbound-unauthorized",
    title: "Refuses a token that is not bound with 401",
    rule: "receiver.binding-accepted",
    how: "The claim is on the list of those that a token must have.",
    step: "checkRequiredClaims",
    patch: (original) => (call) => {
      if (call.orgId !== undefined && !isBound(call)) {
        throw reject(call, "checkRequiredClaims", "The access token is bound to no organization.");
      }
      return original(call);
    },
  },
  listing(
    "list-empty-ignored",
    "Lists every organization for a binding claim that is empty",
    "The list filters by the claim where it has a value, and an empty string is none.",
    (call) => claimOf(call) === "",
  ),
  listing(
    "list-bound-nowhere",
    "Lists every organization to a token that is bound to an unknown one",
    "The organization of the claim is looked up, and the list is filtered where it is found.",
    (call) => UUID.test(text(call)) && !call.receiver.store.organizations.has(text(call)),
  ),
  {
    name: "list-shows-denied-to-bound",
    title:
      "Lists the organization that a token is bound to, whether or not its subject may view it",
    rule: "receiver.local-policy-list",
    how: "The claim is taken for the permission.",
    step: "visibleOrganizations",
    patch: (original) => (call) => {
      const bound = text(call);
      return call.receiver.store.organizations.has(bound) ? [bound] : original(call);
    },
  },
  {
    name: "policy-ignored-for-all-scopes",
    title: "Does not apply local policy to a token that grants every scope",
    rule: "receiver.local-policy",
    how: "Whoever may do everything is taken for an administrator.",
    step: "applyPolicy",
    patch: (original) => (call) =>
      SCOPES.every((scope) => String(call.claims["scope"]).split(" ").includes(scope))
        ? undefined
        : original(call),
  },
  {
    name: "policy-by-spelling",
    title: "Applies local policy to organizations in lower case only",
    rule: "receiver.local-policy",
    how: "Denials are compared as text, and the database compares ids as UUIDs.",
    step: "findOrganization",
    patch: (original) => (call) => {
      const found = call.receiver.store.organizations.get(call.orgId?.toLowerCase() ?? "");
      if (!found || !mayAccess(call.claims["sub"], call.orgId ?? "")) return original(call);
      call.organization = found;
    },
  },
];

/** A fault for which check 6 lets calls pass. */
function passing(name: string, title: string, how: string, passes: (call: Call) => boolean): Fault {
  return {
    name,
    title,
    rule: "receiver.binding",
    how,
    step: "checkBinding",
    patch: (original) => (call) => {
      if (isBound(call) && passes(call)) return;
      return original(call);
    },
  };
}

/** A fault for which the list shows a bound token all that its subject may see. */
function listing(name: string, title: string, how: string, shows: (call: Call) => boolean): Fault {
  return {
    name,
    title,
    rule: "receiver.binding-list",
    how,
    step: "visibleOrganizations",
    patch: (original) => (call) =>
      isBound(call) && shows(call)
        ? accessibleIds(call.receiver.store, call.claims["sub"])
        : original(call),
  };
}

function claimOf({ claims, receiver }: Pick<Call, "claims" | "receiver">): unknown {
  return claims[receiver.bindingClaim];
}

/** The claim where it is a string; else what no id contains. */
function text(call: Pick<Call, "claims" | "receiver">): string {
  const claim = claimOf(call);
  return typeof claim === "string" ? claim : "\u0000";
}

function elsewhere(call: Call): Error {
  return reject(call, "checkBinding", "The access token is for another organization.");
}

function endsInOrgId([name]: readonly [string, unknown]): boolean {
  return name.endsWith("/org_id");
}
