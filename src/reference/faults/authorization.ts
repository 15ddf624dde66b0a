import { OPERATION_IDS, OPERATIONS } from "../../contract/operations.ts";
import { bindingOf, elsewhere, grantsEveryScope, isBound } from "../checks.ts";
import type { Call, Check } from "../model.ts";
import { cachedBy, onlyOn, passing, skipped } from "../patches.ts";
import { Refusal } from "../refusal.ts";
import { accessibleIds, EMAIL, mayAccess, SUBJECT } from "../store.ts";
import { onEach } from "./copies.ts";
import { type Faults, ownedBy } from "./fault.ts";

const ORGANIZATION_ROUTES = OPERATION_IDS.filter((id) => OPERATIONS[id].organization);

/** Faults of checks 6 and 7: the organizations on which a good token may act. */
export const AUTHORIZATION_FAULTS: Faults = ownedBy("receiver.local-policy", {
  "binding-unchecked": {
    title: "Lets a bound token act on every organization",
    rule: "receiver.binding",
    how: "The library does not know the namespaced claim, and no other code reads it.",
    checkBinding: skipped,
  },
  ...onEach(ORGANIZATION_ROUTES, "binding-unchecked", {
    title: "Does not check the binding",
    rule: "receiver.binding",
    how: "Each handler makes the comparison itself, and one of them lacks it.",
    checkBinding: skipped,
  }),
  "bound-refused": {
    title: "Refuses a bound token on its own organization",
    rule: "receiver.binding-accepted",
    how: "The claim is compared with an internal key of the organization, not with the id in the path.",
    checkBinding: (original) => (call) => {
      if (call.orgId === undefined || !isBound(call)) return original(call);
      throw elsewhere(call);
    },
  },
  "list-ignores-binding": {
    title: "Lists every organization of the subject to a bound token",
    shows: "Lists further organizations to a bound token",
    rule: "receiver.binding-list",
    how: "The guard compares the claim with the id in the path, and the list has no such id.",
    visibleOrganizations: () => (call) => accessibleIds(call.receiver.store, call.claims["sub"]),
  },
  "list-shows-denied": {
    title: "Lists organizations that the subject may not view",
    shows: "Lists an organization that the subject may not view",
    rule: "receiver.local-policy-list",
    how: "Local policy guards the routes of one organization. The list is a plain query.",
    visibleOrganizations: (original) => (call) =>
      isBound(call) ? original(call) : [...call.receiver.store.organizations.keys()],
  },
  "list-cached-without-subject": {
    title: "Lists for every subject what the first one may see that asked with the same binding",
    shows: "Lists an organization that the subject may not view",
    rule: "receiver.local-policy-list",
    how: "The list is cached, and the key is the URL and the binding claim of the token.",
    visibleOrganizations: cachedBy((call) => `${call.url} ${String(bindingOf(call))}`),
  },
  "policy-unchecked": {
    title: "Does not apply local policy to a good token",
    how: "The code treats the scope as permission, and does not apply the receiver's own rules.",
    applyPolicy: skipped,
  },
  ...onEach(ORGANIZATION_ROUTES, "policy-unchecked", {
    title: "Does not apply local policy",
    how: "Each handler applies the rules itself, and one of them does not.",
    applyPolicy: skipped,
  }),
  "policy-404": {
    title: "Answers 404 where local policy forbids",
    how: "The query filters out rows that the subject may not see, so it finds nothing.",
    rejectionStatus: (original) => (check) => (check === "applyPolicy" ? 404 : original(check)),
  },
  "policy-404-on-readChange": {
    title: "Answers 404 where local policy forbids, on readChange",
    how: "Changes are found through the organizations of the subject, so those of others do not exist.",
    applyPolicy: onlyOn("readChange", () => ({ claims, orgId = "" }) => {
      if (!mayAccess(claims["sub"], orgId)) throw new Refusal(404, "There is no such change.");
    }),
  },
  "policy-by-subject-in-any-case": {
    title: "Applies local policy without regard to the case of `sub`",
    how: "The table of subjects has a collation that ignores case.",
    applyPolicy: judging(({ claims: { sub } }) =>
      typeof sub === "string" ? sub.toLowerCase() : sub,
    ),
  },
  "policy-by-x-forwarded-user": {
    title: "Applies local policy to the user that X-Forwarded-User names, if there is one",
    how: "A gateway names the user of the token in this header only where it knows one, and removes none that the client sent.",
    applyPolicy: judging(({ claims: { sub }, headers }) => headers["x-forwarded-user"] ?? sub),
  },
  "policy-401": {
    title: "Answers 401 where local policy forbids",
    how: "All refusals use one exception, Unauthorized.",
    rejectionStatus: (original) => (check) => (check === "applyPolicy" ? 401 : original(check)),
  },
  "policy-ignored-for-all-scopes": {
    title: "Does not apply local policy to a token that grants every scope",
    how: "The code treats whoever may do everything as an administrator.",
    applyPolicy: passing(({ claims }) => grantsEveryScope(claims)),
  },
  "policy-by-azp": {
    title: "Applies local policy to `azp` if the token has it, in place of `sub`",
    how: "Grants are kept for clients, and the code reads the client from the claim that another service's tokens have.",
    applyPolicy: judging(({ claims: { azp, sub } }) => (azp === undefined ? sub : azp)),
  },
  "policy-by-upn": {
    title:
      "Applies local policy to the person that `upn` names, if the token has it, in place of `sub`",
    how: "Accounts are found by their address, as in the directory that the code was first written for.",
    variants: ["email-required"],
    applyPolicy: judging(({ claims: { upn, sub } }) => (upn === EMAIL ? SUBJECT : sub)),
  },
  "policy-ignored-for-administrators": {
    title: "Does not apply local policy to a token whose `roles` has `admin`",
    observed: "200",
    how: "Administrators of the identity provider may do everything here too.",
    applyPolicy: passing(
      ({ claims: { roles } }) => Array.isArray(roles) && roles.includes("admin"),
    ),
  },
  "policy-by-spelling": {
    title: "Applies local policy only to organization ids in lower case",
    how: "Denials are compared as text, and the database compares ids as UUIDs.",
    findOrganization: (original) => (call) => {
      const found = call.receiver.store.organizations.get(call.orgId?.toLowerCase() ?? "");
      if (!found || !mayAccess(call.claims["sub"], call.orgId ?? "")) return original(call);
      call.organization = found;
    },
  },
});

/** Local policy that is about another subject than the token's. */
function judging(subjectOf: (call: Call) => unknown): (original: Check) => Check {
  return (original) => (call) =>
    original({ ...call, claims: { ...call.claims, sub: subjectOf(call) } });
}
