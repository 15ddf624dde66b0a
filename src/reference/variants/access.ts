import type { OperationId } from "../../contract/operations.ts";
import { bindingOf, isBound, reject } from "../checks.ts";
import type { Call, CheckName, Handler } from "../model.ts";
import { passing } from "../patches.ts";
import { Refusal } from "../refusal.ts";
import { DENIED, serialUuid, type Store, SUBJECT } from "../store.ts";
import type { Variants } from "./variant.ts";

const STATUSES: Partial<Record<CheckName, number>> = {
  verifySignature: 400,
  checkIssuer: 401,
  checkAudience: 406,
  checkExpiry: 410,
  checkScope: 403,
  checkBinding: 404,
};

/** The number of requests for the list between two organizations that others add. */
const OTHERS_PAUSE = 25;

/** Freedoms in how a receiver refuses requests, and in which paths it treats as the same. */
export const ACCESS_VARIANTS: Variants = {
  "list-grows": {
    title: "The newest organization is listed first, and others add some while the list is read",
    visibleOrganizations(original) {
      let calls = 0;
      return (call) => {
        calls += 1;
        if (calls % OTHERS_PAUSE === 0) addOrganization(call.receiver.store);
        return original(call).toReversed();
      };
    },
  },
  "statuses-all-403": answeringAll(403),
  "statuses-all-400": answeringAll(400),
  "statuses-all-404": answeringAll(404),
  "statuses-all-different": {
    title: "Every check except scope and policy has its own status",
    uses: ["statuses"],
    rejectionStatus: (original) => (check) => STATUSES[check] ?? original(check),
  },
  "hides-organizations": {
    title: "An organization that the token is not bound to is answered with 404",
    uses: ["statuses"],
    rejectionStatus: (original) => (check) => (check === "checkBinding" ? 404 : original(check)),
  },
  "unbound-refused": {
    title: "Local policy refuses unbound tokens",
    uses: ["binding"],
    applyPolicy: (original) => (call) => {
      if (isBound(call)) return original(call);
      throw reject(call, "applyPolicy", "Tokens must be bound to an organization.");
    },
  },
  "list-refuses-bound": {
    title: "The list refuses bound tokens",
    uses: ["binding"],
    checkBinding: (original) => (call) => {
      if (call.orgId !== undefined || !isBound(call)) return original(call);
      throw reject(call, "checkBinding", "The access token is for one organization.");
    },
  },
  "unbound-list-empty": {
    title: "The list shows nothing to unbound tokens",
    uses: ["binding"],
    warned: ["resources.list"],
    visibleOrganizations: (original) => (call) => (isBound(call) ? original(call) : []),
  },
  "binding-leniently-read": {
    title: "The binding claim may be in upper case, a URN, or an array with the one organization",
    checkBinding: passing((call) => {
      const claim = bindingOf(call);
      const [value, ...more] = Array.isArray(claim) ? (claim as unknown[]) : [claim];
      if (typeof value !== "string" || more.length > 0) return false;
      return value.toLowerCase().replace(/^urn:uuid:/, "") === call.orgId?.toLowerCase();
    }),
  },
  "null-binding-absent": {
    title: "A binding claim that is null counts as absent",
    checkBinding: passing((call) => bindingOf(call) === null),
    visibleOrganizations: (original) => (call) => {
      const { [call.receiver.bindingClaim]: _binding, ...claims } = call.claims;
      return original(bindingOf(call) === null ? { ...call, claims } : call);
    },
  },
  "unknown-bindings-refused": {
    title:
      "A token bound to an organization that does not exist is refused like a refusal by local policy",
    uses: ["binding"],
    checkBinding: (original) => (call) => {
      const { organizations } = call.receiver.store;
      if (!isBound(call) || organizations.has(String(bindingOf(call)))) return original(call);
      throw new Refusal(403, "The access token is for no organization.");
    },
    // The list does not show the denied organization; only the receiver's answers show that it exists.
    describe: (profile) => ({ ...profile, denied: { subject: SUBJECT, organization: DENIED } }),
  },
  "method-override-honoured": {
    title:
      "A PATCH or POST whose header says that it is GET is a GET for every check and for its answer",
    checkScope: (original) => (call) =>
      original({ ...call, operation: overriddenOperation(call) ?? call.operation }),
    editOrganization: overridden,
    submitChange: overridden,
  },
  "tidies-paths": {
    title: "Paths are parsed as URLs, in any case, with or without a trailing slash",
    resolveUrl: () => (url) => {
      const { pathname, search } = new URL(url, "http://localhost");
      return (
        pathname
          .toLowerCase()
          .replaceAll(/\/{2,}/g, "/")
          .replace(/\/$/, "") + search
      );
    },
  },
};

function answeringAll(status: number): Variants[string] {
  return {
    title: `Checks 1 to 6 answer ${status}`,
    uses: ["statuses"],
    // The contract requires 403 for check 7.
    rejectionStatus: (original) => (check) => (check === "applyPolicy" ? original(check) : status),
  };
}

function overridden(original: Handler): Handler {
  return (call) => {
    const operation = overriddenOperation(call);
    return operation ? call.receiver.steps[operation](call) : original(call);
  };
}

/** The read that a write says it is. */
function overriddenOperation({ operation, headers }: Call): OperationId | undefined {
  if (headers["x-http-method-override"] !== "GET") return undefined;
  if (operation === "editOrganization") return "viewOrganization";
  return operation === "submitChange" ? "readChangesFeed" : undefined;
}

function addOrganization({ organizations, accessible }: Store): void {
  const id = serialUuid("0ddc0de5", organizations.size);
  organizations.set(id, { id, name: `Organization ${organizations.size + 1}` });
  accessible.clear();
}
