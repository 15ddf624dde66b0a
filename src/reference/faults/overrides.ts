import { decodeJwt } from "jose";

import { type OperationId, OPERATIONS, type Scope } from "../../contract/operations.ts";
import { isObject } from "../../lib/json.ts";
import type { Call, UnmatchedRequest } from "../model.ts";
import { passing } from "../patches.ts";
import { type FaultEntry, type Faults, ownedBy } from "./fault.ts";

const VIEW = new RegExp(
  `${OPERATIONS.viewOrganization.path.replace("{orgId}", "([\\da-f-]+)")}(?:\\?.*)?$`,
);

/** Faults of receivers in which a header or a parameter overrides the method for the guard or for the handler alone. */
export const OVERRIDE_FAULTS: Faults = ownedBy("receiver.scope", {
  "override-get-edits": misread("editOrganization", "org:read", {
    title: "Edits for a token that may only read, if the PATCH claims to be GET",
    isMeant: (call) => claimsToBe(call, "GET"),
  }),
  "override-get-submits": misread("submitChange", "org.changes:read", {
    title: "Takes a change from a token that may only read the feed, if the POST claims to be GET",
    isMeant: (call) => claimsToBe(call, "GET"),
  }),
  "override-options-feed": misread("readChangesFeed", "org:read", {
    title: "Shows the feed to a token without the scope, if the GET claims to be OPTIONS",
    isMeant: (call) => claimsToBe(call, "OPTIONS"),
  }),
  "override-get-edits-elsewhere": {
    title: "Does not check the binding of a PATCH that claims to be GET",
    rule: "receiver.binding",
    how: "The guard of writes goes by the method that the header names, and the router by that of the request.",
    checkBinding: passing(
      (call) => call.operation === "editOrganization" && claimsToBe(call, "GET"),
    ),
  },
  "override-post-edits": posted(
    "X-HTTP-Method-Override",
    ({ headers }) => headers["x-http-method-override"] === "PATCH",
  ),
  "override-query-edits": posted("the query", ({ url }) => /_method=patch$/i.test(url)),
  "override-body-edits": posted(
    "the body",
    ({ body }) => isObject(body) && body["_method"] === "PATCH",
  ),
  "override-query-get-edits": misread("editOrganization", "org:read", {
    title: "Edits for a token that may only read, if the query of the PATCH says that it is GET",
    isMeant: ({ query }) => /^get$/i.test(String(query["_method"])),
  }),
  "override-options-edits": misread("editOrganization", "org:read", {
    title: "Edits for a token that may only read, if the PATCH claims to be OPTIONS",
    isMeant: (call) => claimsToBe(call, "OPTIONS"),
  }),
  "override-post-feed": misread("readChangesFeed", "org.changes:write", {
    title: "Shows the feed to a token that may only submit, if the GET claims to be POST",
    isMeant: (call) => claimsToBe(call, "POST"),
  }),
});

function claimsToBe({ headers }: Pick<Call, "headers">, method: string): boolean {
  return headers["x-http-method-override"] === method;
}

function misread(
  operation: OperationId,
  scope: Scope,
  { title, isMeant }: { readonly title: string; readonly isMeant: (call: Call) => boolean },
): FaultEntry {
  return {
    title,
    how: "The guard looks up the scope by the method that the header names, and the router goes by that of the request.",
    source: "CWE-650",
    checkScope: passing(
      (call) =>
        call.operation === operation &&
        isMeant(call) &&
        String(call.claims["scope"]).split(" ").includes(scope),
    ),
  };
}

/** A POST to an organization that is taken for a PATCH after the guards, which know no scope for POST there. */
function posted(where: string, isMeant: (unmatched: UnmatchedRequest) => boolean): FaultEntry {
  return {
    title: `Edits for a token that may only read, if a POST says in ${where} that it is PATCH`,
    how: "The middleware that overrides the method comes after the guards, which require no scope for a POST there.",
    source: "CWE-650",
    unknownRoute: (original) => (unmatched, receiver) => {
      const { organizations } = receiver.store;
      const organization = organizations.get(VIEW.exec(unmatched.url)?.[1] ?? "");
      const isOverridden = unmatched.method === "POST" && isMeant(unmatched);
      const bound = bindingIn(unmatched, receiver.bindingClaim);
      if (!isOverridden || !organization || bound !== organization.id) {
        return original(unmatched, receiver);
      }
      organizations.set(organization.id, { ...organization, ...(unmatched.body as object) });
      return { status: 200, body: { data: organization } };
    },
  };
}

/** The organization that the token of a request is bound to. */
function bindingIn({ headers }: UnmatchedRequest, claim: string): unknown {
  try {
    return decodeJwt(String(headers["authorization"]).slice("Bearer ".length))[claim];
  } catch {
    return undefined;
  }
}
