import { OPERATION_IDS, OPERATIONS, SCOPES, type OperationId } from "../../contract/operations.ts";
import { reject } from "../call.ts";
import { isBound } from "../checks.ts";
import { accessibleIds } from "../store.ts";
import { onlyOn, skipped, type Fault } from "./fault.ts";

const ORGANIZATION_ROUTES = OPERATION_IDS.filter((id) => OPERATIONS[id].organization);
const SCOPE_FORGOTTEN_ON: readonly OperationId[] = [
  "editOrganization",
  "submitChange",
  "readChange",
];

/** Faults of checks 5 to 7: what a good token may do. */
export const AUTHORIZATION_FAULTS: readonly Fault[] = [
  {
    name: "scope-unchecked",
    title: "Any good token may do everything",
    rule: "receiver.scope",
    how: "Authentication is taken for authorization: the middleware validates the token, nobody asks for its scope.",
    step: "checkScope",
    patch: skipped,
  },
  ...SCOPE_FORGOTTEN_ON.map((operation): Fault => ({
    name: `scope-unchecked-on-${operation}`,
    title: `${operation} needs no scope`,
    rule: "receiver.scope",
    how: "Scopes are declared route by route, and this route was added without one.",
    step: "checkScope",
    patch: onlyOn(operation, skipped),
  })),
  {
    name: "scope-by-substring",
    title: "`scope` need only contain the scope's letters",
    rule: "receiver.scope",
    how: "`includes` is called on the string, not on the list that it stands for.",
    source: "CVE-2026-32716",
    step: "checkScope",
    patch: (original) => (call) => {
      const { scope } = call.claims;
      const required = OPERATIONS[call.operation].scope;
      return typeof scope === "string" && scope.includes(required) ? undefined : original(call);
    },
  },
  {
    name: "scope-only-first",
    title: "Only the first scope of the list counts",
    rule: "receiver.scope-sufficient",
    how: "The claim is compared as one value, and the first word of it was a later mend.",
    step: "checkScope",
    patch: (original) => (call) => {
      const { scope } = call.claims;
      const first = typeof scope === "string" ? scope.split(" ", 1)[0] : undefined;
      if (first === OPERATIONS[call.operation].scope) return;
      if (first !== undefined) throw reject(call, "checkScope", "The scope is not sufficient.");
      return original(call);
    },
  },
  {
    name: "scope-needs-all",
    title: "Every scope of the service is wanted for any operation",
    rule: "receiver.scope-sufficient",
    how: "One guard with all scopes stands before the whole router.",
    step: "checkScope",
    patch: (original) => (call) => {
      const { scope } = call.claims;
      const granted = typeof scope === "string" ? scope.split(" ") : [];
      if (SCOPES.every((wanted) => granted.includes(wanted))) return original(call);
      throw reject(call, "checkScope", "The scope is not sufficient.");
    },
  },
  {
    name: "binding-unchecked",
    title: "A bound token acts on every organization",
    rule: "receiver.binding",
    how: "The claim is namespaced, the library knows nothing of it, and nobody reads it.",
    step: "checkBinding",
    patch: skipped,
  },
  ...ORGANIZATION_ROUTES.map((operation): Fault => ({
    name: `binding-unchecked-on-${operation}`,
    title: `${operation} serves a token that is bound to another organization`,
    rule: "receiver.binding",
    how: "The comparison stands in each handler, and one of them lacks it.",
    step: "checkBinding",
    patch: onlyOn(operation, skipped),
  })),
  {
    name: "binding-null-ignored",
    title: "A binding claim that is null counts as absent",
    rule: "receiver.binding",
    how: "The claim's value is asked for where its presence was meant: `if (claim != null)`.",
    step: "checkBinding",
    patch: (original) => (call) => {
      const claim = call.claims[call.receiver.bindingClaim];
      return claim === null ? undefined : original(call);
    },
  },
  {
    name: "bound-refused",
    title: "A bound token is refused on its own organization",
    rule: "receiver.binding-accepted",
    how: "The claim is compared with an internal key of the organization, not with the id in the path.",
    step: "checkBinding",
    patch: (original) => (call) => {
      if (call.orgId === undefined || !isBound(call)) return original(call);
      throw reject(call, "checkBinding", "The access token is for another organization.");
    },
  },
  {
    name: "list-ignores-binding",
    title: "A bound token lists every organization of its subject",
    rule: "receiver.binding-list",
    how: "The guard compares the claim with the path's id, and the list has none.",
    step: "visibleOrganizations",
    patch: () => (call) => accessibleIds(call.receiver.store, call.claims["sub"]),
  },
  {
    name: "list-shows-denied",
    title: "The list shows organizations that the subject may not view",
    rule: "receiver.local-policy-list",
    how: "Policy guards the routes of one organization; the list is a plain query.",
    step: "visibleOrganizations",
    patch: (original) => (call) =>
      isBound(call) ? original(call) : [...call.receiver.store.organizations.keys()],
  },
  {
    name: "policy-unchecked",
    title: "A good token overrides local policy",
    rule: "receiver.local-policy",
    how: "The scope is taken for the permission, and the receiver's own rules are not asked.",
    step: "applyPolicy",
    patch: skipped,
  },
  ...ORGANIZATION_ROUTES.map((operation): Fault => ({
    name: `policy-unchecked-on-${operation}`,
    title: `${operation} does not apply local policy`,
    rule: "receiver.local-policy",
    how: "The rules stand in each handler, and one of them lacks them.",
    step: "applyPolicy",
    patch: onlyOn(operation, skipped),
  })),
  {
    name: "policy-404",
    title: "Local policy hides the organization with 404",
    rule: "receiver.local-policy",
    how: "Rows that the subject may not see are filtered out in the query, so that nothing is found.",
    step: "rejectionStatus",
    patch: (original) => (check) => (check === "applyPolicy" ? 404 : original(check)),
  },
  {
    name: "policy-401",
    title: "Local policy answers 401",
    rule: "receiver.local-policy",
    how: "Every refusal goes through one exception, and that one is Unauthorized.",
    step: "rejectionStatus",
    patch: (original) => (check) => (check === "applyPolicy" ? 401 : original(check)),
  },
];
