import { OPERATIONS, SCOPES } from "../../contract/operations.ts";
import { isObject } from "../../lib/json.ts";
import { onlyOn, skipped } from "../check-patches.ts";
import { isBound } from "../checks.ts";
import type { Call } from "../model.ts";
import { reject } from "../reject.ts";
import { type Change, changeNamed, mayAccess, PRIMARY } from "../store.ts";
import { claimOf, elsewhere, listing, passing, text } from "./binding-parts.ts";
import type { Fault } from "./fault.ts";

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Faults of check 6: which value is read as the claim, and how it is compared with the organization in the path. */
export const BINDING_FAULTS: readonly Fault[] = [
  passing(
    "binding-writes-forgotten",
    "Allows writes with a token that is bound to another organization",
    "The comparison was written only for reads.",
    (call) => OPERATIONS[call.operation].writes,
  ),
  passing(
    "binding-ignored-for-all-scopes",
    "Lets a token that grants every scope act on every organization",
    "The code treats whoever may do everything as an administrator.",
    ({ claims }) => SCOPES.every((scope) => String(claims["scope"]).split(" ").includes(scope)),
  ),
  passing(
    "binding-ignored-for-authorization-code",
    "Lets a token of the authorization code flow act on every organization",
    "The binding was built for backend services, and the other flow was added later.",
    ({ claims }) => claims["grant_type"] === "authorization_code",
  ),
  passing(
    "binding-falsy-ignored",
    "Treats a binding claim that is empty or 0 as absent",
    "`if (claim)` tests whether the claim is truthy instead of whether it is present.",
    (call) => isBound(call) && !claimOf(call) && claimOf(call) !== null,
  ),
  passing(
    "binding-falsy-or-null-ignored",
    "Treats every binding claim that is empty, 0 or null as absent",
    "`if (claim && claim !== organization)` tests whether the claim is truthy before it compares.",
    (call) => isBound(call) && !claimOf(call),
  ),
  passing(
    "binding-non-string-ignored",
    "Treats a binding claim that is not a string as absent",
    "The library's typed getter returns nothing for a value of another type.",
    (call) => isBound(call) && claimOf(call) !== null && typeof claimOf(call) !== "string",
  ),
  passing(
    "binding-equal-to-true",
    "Takes a binding claim for the organization's id if it is `true`",
    "`==` of PHP converts both sides to booleans if one of them is one.",
    (call) => claimOf(call) === true,
  ),
  passing(
    "binding-not-uuid-ignored",
    "Treats a binding claim that is not a UUID as absent",
    "A claim that cannot be parsed is dropped, with a line in the log.",
    (call) => typeof claimOf(call) === "string" && !UUID.test(String(claimOf(call))),
  ),
  passing(
    "binding-nil-ignored",
    "Treats the nil UUID in the binding claim as absent",
    "The zero value of a UUID in the language means absent.",
    (call) => claimOf(call) === "00000000-0000-0000-0000-000000000000",
  ),
  passing(
    "binding-wildcard",
    "Treats `*` in the binding claim as every organization",
    "The code matches the claim as a pattern, or administrators' tokens were meant to have it.",
    (call) => claimOf(call) === "*",
  ),
  passing(
    "binding-empty-list",
    "Treats an empty list in the binding claim as every organization",
    "Lists were allowed later, and `every` is true for an empty list.",
    (call) => Array.isArray(claimOf(call)) && (claimOf(call) as unknown[]).length === 0,
  ),
  passing(
    "binding-on-any-line",
    "Searches the lines of the binding claim for the organization's id",
    "In Ruby `^` and `$` are the ends of a line, as they are elsewhere with the flag m.",
    ({ orgId, ...call }) =>
      text(call).includes("\n") &&
      text(call)
        .split("\n")
        .includes(orgId ?? ""),
  ),
  passing(
    "binding-by-prefix",
    "Accepts the beginning of the organization's id in the binding claim",
    "`startsWith` was intended for hierarchical ids.",
    ({ orgId, ...call }) => orgId?.startsWith(text(call)) ?? false,
  ),
  passing(
    "binding-by-inclusion",
    "Searches the binding claim for the organization's id",
    "`includes` is called on a string where a list was expected.",
    ({ orgId = "", ...call }) => text(call).includes(orgId),
  ),
  passing(
    "binding-fixed-organization",
    "Lets a token that is bound to one certain organization act on all",
    "The claim is compared with the organization in the deployment's configuration.",
    (call) => claimOf(call) === PRIMARY,
  ),
  passing(
    "binding-header-as-claim",
    "Reads X-Org-Id instead of the binding claim",
    "A gateway used to set the header, and clients can reach the service without the gateway.",
    ({ headers, orgId }) => headers["x-org-id"] === orgId,
  ),
  passing(
    "binding-header-as-target",
    "Compares the binding claim with X-Org-Id if the header is present",
    "A tenant resolver of the framework reads the header before the path.",
    (call) => text(call) === call.headers["x-org-id"],
  ),
  passing(
    "binding-query-as-claim",
    "Reads `orgId` in the query instead of the binding claim",
    "Administrators needed a way to switch organizations in the address bar.",
    ({ query, orgId }) => query["orgId"] === orgId,
  ),
  passing(
    "binding-query-as-target",
    "Compares the binding claim with `orgId` in the query if it is present",
    "Path and query parameters are merged, and the query's take precedence.",
    (call) => text(call) === call.query["orgId"],
  ),
  ...(["id", "organizationId"] as const).map((member): Fault => ({
    name: `binding-body-${member === "id" ? "id" : "organization"}-as-target`,
    title: `Compares the binding claim with \`${member}\` in the body if it is present`,
    rule: "receiver.binding",
    how: "The guard uses the record in the body, and the handler takes the id from the path.",
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
    "Reads a bare `org_id` instead of the namespaced claim",
    "The code already read the identity provider's own claim of that name.",
    ({ claims, orgId }) => claims["org_id"] === orgId,
  ),
  passing(
    "binding-any-namespace",
    "Reads `org_id` in any namespace as the binding claim",
    "The code finds the claim by the end of its name, so that the namespace need not be configured.",
    ({ claims, orgId }) => Object.entries(claims).find(endsInOrgId)?.[1] === orgId,
  ),
  passing(
    "binding-name-case",
    "Reads the binding claim's name without regard to case, and the last of several",
    "The decoder matches members to fields without regard to case, as Go's does.",
    ({ claims, orgId, receiver }) =>
      Object.entries(claims).findLast(
        ([name]) => name.toLowerCase() === receiver.bindingClaim.toLowerCase(),
      )?.[1] === orgId,
  ),
  {
    name: "binding-repeated-first",
    title: "Reads the first of two binding claims with the same name",
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
    title: "Accepts tokens that are bound to one certain organization, and no other bound tokens",
    rule: "receiver.binding-accepted",
    how: "The claim is compared with the organization in the deployment's configuration.",
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
    title: "Refuses an unbound token with 401",
    rule: "receiver.binding-accepted",
    how: "The claim is on the list of required claims.",
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
    "Lists every organization if the binding claim is empty",
    "The list filters by the claim if it has a value, and an empty string counts as none.",
    (call) => claimOf(call) === "",
  ),
  listing(
    "list-bound-nowhere",
    "Lists every organization to a token that is bound to an unknown one",
    "The code looks up the claim's organization, and filters the list only if it finds one.",
    (call) => UUID.test(text(call)) && !call.receiver.store.organizations.has(text(call)),
  ),
  {
    name: "list-shows-denied-to-bound",
    title: "Lists the organization that a token is bound to, even if its subject may not view it",
    rule: "receiver.local-policy-list",
    how: "The code treats the claim as permission.",
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
    how: "The code treats whoever may do everything as an administrator.",
    step: "applyPolicy",
    patch: (original) => (call) =>
      SCOPES.every((scope) => String(call.claims["scope"]).split(" ").includes(scope))
        ? undefined
        : original(call),
  },
  {
    name: "policy-by-azp",
    title: "Applies local policy to `azp` if the token has it, in place of `sub`",
    rule: "receiver.local-policy",
    how: "Grants are kept for clients, and the code reads the client from the claim that another service's tokens have.",
    step: "applyPolicy",
    patch: (original) => (call) => {
      const { azp } = call.claims;
      return original(azp === undefined ? call : { ...call, claims: { ...call.claims, sub: azp } });
    },
  },
  {
    name: "binding-of-the-record",
    title: "Compares the binding with the organization of a change, whichever the path names",
    rule: "receiver.binding",
    how: "The change is loaded by its id, and its own organization decides who may read it.",
    step: "checkBinding",
    patch: (original) => (call) => (ownRecord(call) ? undefined : original(call)),
    more: [
      {
        step: "readChange",
        patch: (original) => (call) => {
          const data = ownRecord(call);
          return data ? { status: 200, body: call.receiver.steps.shape({ data }) } : original(call);
        },
      },
    ],
  },
  {
    name: "policy-by-spelling",
    title: "Applies local policy only to organization ids in lower case",
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

/** The change that a call names, if it belongs to the organization that the token is bound to. */
function ownRecord({ operation, changeId, claims, receiver }: Call): Change | undefined {
  if (operation !== "readChange") return undefined;
  const bound = claims[receiver.bindingClaim];
  const feed = typeof bound === "string" ? receiver.store.feeds.get(bound) : undefined;
  return changeNamed(feed, changeId);
}

function endsInOrgId([name]: readonly [string, unknown]): boolean {
  return name.endsWith("/org_id");
}
