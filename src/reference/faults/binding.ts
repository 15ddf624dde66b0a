import { OPERATIONS } from "../../contract/operations.ts";
import { isUuid } from "../../contract/uuid.ts";
import { isObject } from "../../lib/json.ts";
import {
  bindingOf,
  elsewhere,
  grantsEveryScope,
  isBound,
  isWithinSkew,
  reject,
} from "../checks.ts";
import type { Call } from "../model.ts";
import { onlyOn, passing, skipped } from "../patches.ts";
import { good } from "../routes.ts";
import { accessibleIds, type Change, changeNamed, PRIMARY } from "../store.ts";
import { escaped } from "./comparisons.ts";
import { type FaultEntry, type Faults, ofEach, ownedBy, type When } from "./fault.ts";

/** Faults of check 6: which value is read as the claim, and how it is compared with the organization in the path. */
export const BINDING_FAULTS: Faults = ownedBy("receiver.binding", {
  "binding-writes-forgotten": taking({
    title: "Allows writes with a token that is bound to another organization",
    how: "The comparison was written only for reads.",
    when: (_binding, { operation }) => OPERATIONS[operation].writes,
  }),
  "binding-ignored-for-all-scopes": taking({
    title: "Lets a token that grants every scope act on every organization",
    how: "The code treats whoever may do everything as an administrator.",
    when: (_binding, { claims }) => grantsEveryScope(claims),
  }),
  "binding-ignored-for-authorization-code": taking({
    title: "Lets a token of the authorization code flow act on every organization",
    how: "The binding was built for backend services, and the other flow was added later.",
    when: (_binding, { claims }) => claims["grant_type"] === "authorization_code",
  }),
  "binding-unchecked-within-skew": taking({
    title: "Does not check the binding of a token that expired within the skew",
    how: "The error of the library says that `exp` has passed, and the caller, who tolerates a small skew, goes on without the remaining checks.",
    source: "CVE-2024-51744",
    when: (_binding, { claims, receiver }) => isWithinSkew(claims["exp"], receiver.steps.now()),
  }),
  "binding-falsy-ignored": taking({
    title: "Treats a binding claim that is empty or 0 as absent",
    how: "`if (claim)` tests whether the claim is truthy instead of whether it is present.",
    when: (binding) => !binding && binding !== null,
  }),
  "binding-falsy-or-null-ignored": taking({
    title: "Treats every binding claim that is empty, 0 or null as absent",
    how: "`if (claim && claim !== organization)` tests whether the claim is truthy before it compares.",
    when: (binding) => !binding,
  }),
  "binding-non-string-ignored": taking({
    title: "Treats a binding claim that is not a string as absent",
    how: "The library's typed getter returns nothing for a value of another type.",
    when: (binding) => binding !== null && typeof binding !== "string",
  }),
  "binding-equal-to-true": taking({
    title: "Takes a binding claim for the organization's id if it is `true`",
    how: "`==` of PHP converts both sides to booleans if one of them is one.",
    when: (binding) => binding === true,
  }),
  "binding-not-uuid-ignored": taking({
    title: "Treats a binding claim that is not a UUID as absent",
    how: "A claim that cannot be parsed is dropped, with a line in the log.",
    when: (binding) => typeof binding === "string" && !isUuid(binding),
  }),
  "binding-nil-ignored": taking({
    title: "Treats the nil UUID in the binding claim as absent",
    how: "The zero value of a UUID in the language means absent.",
    when: (binding) => binding === "00000000-0000-0000-0000-000000000000",
  }),
  "binding-wildcard": taking({
    title: "Treats `*` in the binding claim as every organization",
    how: "The code matches the claim as a pattern, or administrators' tokens were meant to have it.",
    when: (binding) => binding === "*",
  }),
  "binding-empty-list": taking({
    title: "Treats an empty list in the binding claim as every organization",
    how: "Lists were allowed later, and `every` is true for an empty list.",
    when: (binding) => Array.isArray(binding) && binding.length === 0,
  }),
  "binding-on-any-line": taking({
    title: "Searches the lines of the binding claim for the organization's id",
    how: "In Ruby `^` and `$` are the ends of a line, as they are elsewhere with the flag m.",
    when: (binding, { orgId = "" }) =>
      typeof binding === "string" && binding.includes("\n") && binding.split("\n").includes(orgId),
  }),
  "binding-by-prefix": taking({
    title: "Accepts the beginning of the organization's id in the binding claim",
    how: "`startsWith` was intended for hierarchical ids.",
    when: (binding, { orgId = "" }) => typeof binding === "string" && orgId.startsWith(binding),
  }),
  "binding-by-ending": taking({
    title: "Accepts the end of the organization's id in the binding claim",
    how: "Ids have a prefix in the database, and `endsWith` should make up for it.",
    when: (binding, { orgId = "" }) => isText(binding) && orgId.endsWith(binding),
  }),
  "binding-by-word": taking({
    title: "Searches the organization's id for the binding claim, between word boundaries",
    how: String.raw`The claim is put into a pattern with \b on both sides, and a hyphen ends a word.`,
    when: (binding, { orgId = "" }) =>
      isText(binding) && new RegExp(String.raw`\b${escaped(binding)}\b`).test(orgId),
  }),
  "binding-object-value": taking({
    title: "Accepts an object in the binding claim that has the organization's id in a member",
    how: "`in_array` of PHP searches what the claim was cast to, and a JSON object is an array there.",
    when: (binding, { orgId = "" }) => isObject(binding) && binding["0"] === orgId,
  }),
  "binding-nested-array": taking({
    title: "Accepts a list of lists in the binding claim that contains the organization",
    how: "Some tokens name several organizations, in groups, and the code flattens them.",
    when: (binding, { orgId = "" }) =>
      Array.isArray(binding) && binding.some(Array.isArray) && binding.flat().includes(orgId),
  }),
  "binding-line-end-ignored": taking({
    title: "Ignores a line end after the binding claim",
    how: "The pattern of a UUID ends in `$`, which also matches before a line end at the end of the text.",
    when: (binding, { orgId = "" }) => binding === `${orgId}\n`,
  }),
  "binding-trimmed": taking({
    title: "Ignores blanks around the binding claim",
    how: "The helper that reads the claim trims it, as one that reads settings does.",
    when: (binding, { orgId = "" }) => isText(binding) && binding.trim() === orgId,
  }),
  "binding-by-inclusion": taking({
    title: "Searches the binding claim for the organization's id",
    how: "`includes` is called on a string where a list was expected.",
    when: (binding, { orgId = "" }) => typeof binding === "string" && binding.includes(orgId),
  }),
  "binding-fixed-organization": taking({
    title: "Lets a token that is bound to one certain organization act on all",
    how: "The claim is compared with the organization in the deployment's configuration.",
    when: (binding) => binding === PRIMARY,
  }),
  "binding-header-as-claim": taking({
    title: "Reads X-Org-Id instead of the binding claim",
    how: "A gateway used to set the header, and clients can reach the service without the gateway.",
    when: (_binding, { headers, orgId }) => headers["x-org-id"] === orgId,
  }),
  "binding-header-as-target": taking({
    title: "Compares the binding claim with X-Org-Id if the header is present",
    how: "A tenant resolver of the framework reads the header before the path.",
    when: (binding, { headers }) => binding === headers["x-org-id"],
  }),
  "binding-query-as-claim": taking({
    title: "Reads `orgId` in the query instead of the binding claim",
    how: "Administrators needed a way to switch organizations in the address bar.",
    when: (_binding, { query, orgId }) => query["orgId"] === orgId,
  }),
  "binding-query-as-target": taking({
    title: "Compares the binding claim with `orgId` in the query if it is present",
    how: "Path and query parameters are merged, and the query's take precedence.",
    when: (binding, { query }) => binding === query["orgId"],
  }),
  ...ofEach(["id", "organizationId"] as const, (member) => ({
    [`binding-body-${member === "id" ? "id" : "organization"}-as-target`]: {
      title: `Compares the binding claim with \`${member}\` in the body if it is present`,
      how: "The guard uses the record in the body, and the handler takes the id from the path.",
      checkBinding: onlyOn("editOrganization", skipped),
      editOrganization: (original) => (call) => {
        const { [member]: named, ...body } = isObject(call.body) ? call.body : {};
        if (isBound(call) && bindingOf(call) !== (named ?? call.orgId)) throw elsewhere(call);
        if (named !== undefined) call.body = body;
        return original(call);
      },
    },
  })),
  "binding-bare-name-first": taking({
    title: "Reads a bare `org_id` instead of the namespaced claim",
    how: "The code already read the identity provider's own claim of that name.",
    when: (_binding, { claims, orgId }) => claims["org_id"] === orgId,
  }),
  "binding-any-namespace": taking({
    title: "Reads `org_id` in any namespace as the binding claim",
    how: "The code finds the claim by the end of its name, so that the namespace need not be configured.",
    when: (_binding, { claims, orgId }) =>
      Object.entries(claims).find(([name]) => name.endsWith("/org_id"))?.[1] === orgId,
  }),
  "binding-name-case": taking({
    title: "Reads the binding claim's name without regard to case, and the last of several",
    how: "The decoder matches members to fields without regard to case, as Go's does.",
    when: (_binding, { claims, orgId, receiver }) =>
      Object.entries(claims).findLast(
        ([name]) => name.toLowerCase() === receiver.bindingClaim.toLowerCase(),
      )?.[1] === orgId,
  }),
  "binding-repeated-first": {
    title: "Reads the first of two binding claims with the same name",
    how: "The parser keeps the first of repeated members.",
    verifySignature: (original) => async (call) => {
      await original(call);
      const payload = Buffer.from(call.token?.split(".")[1] ?? "", "base64url").toString();
      const { bindingClaim } = call.receiver;
      const first = payload.split(`${JSON.stringify(bindingClaim)}:`)[1];
      const value = /^"([^"]*)"/.exec(first ?? "")?.[1];
      if (value !== undefined) call.claims = { ...call.claims, [bindingClaim]: value };
    },
  },
  "bound-elsewhere-refused": {
    title: "Accepts tokens that are bound to one certain organization, and no other bound tokens",
    rule: "receiver.binding-accepted",
    how: "The claim is compared with the organization in the deployment's configuration.",
    checkBinding: (original) => (call) => {
      if (call.orgId !== undefined && isBound(call) && bindingOf(call) !== PRIMARY) {
        throw elsewhere(call);
      }
      return original(call);
    },
  },
  "unbound-unauthorized": {
    title: "Refuses an unbound token with 401",
    rule: "receiver.binding-accepted",
    how: "The claim is on the list of required claims.",
    checkRequiredClaims: (original) => (call) => {
      if (call.orgId !== undefined && !isBound(call)) {
        throw reject(call, "checkRequiredClaims", "The access token is bound to no organization.");
      }
      return original(call);
    },
  },
  "list-empty-ignored": listing({
    title: "Lists every organization if the binding claim is empty",
    how: "The list filters by the claim if it has a value, and an empty string counts as none.",
    when: (binding) => binding === "",
  }),
  "list-in-sql": listing({
    title: "Puts the binding claim into the statement of SQL that lists organizations",
    shows: "Lists every organization if the binding claim is a quotation of SQL",
    how: "The statement is made by concatenation, with quotes around the value.",
    when: (binding) => isText(binding) && binding.endsWith("' OR '1'='1"),
  }),
  "list-bound-nowhere": listing({
    title: "Lists every organization to a token that is bound to an unknown one",
    how: "The code looks up the claim's organization, and filters the list only if it finds one.",
    when: (binding, { receiver }) => isUuid(binding) && !receiver.store.organizations.has(binding),
  }),
  "list-shows-denied-to-bound": {
    title: "Lists the organization that a token is bound to, even if its subject may not view it",
    rule: "receiver.local-policy-list",
    how: "The code treats the claim as permission.",
    visibleOrganizations: (original) => (call) => {
      const bound = bindingOf(call);
      const { organizations } = call.receiver.store;
      return typeof bound === "string" && organizations.has(bound) ? [bound] : original(call);
    },
  },
  "binding-of-the-record": {
    title: "Compares the binding with the organization of a change, whichever the path names",
    how: "The change is loaded by its id, and its own organization decides who may read it.",
    checkBinding: (original) => (call) => (ownRecord(call) ? undefined : original(call)),
    readChange: (original) => (call) => {
      const data = ownRecord(call);
      return data ? good(call, { data }) : original(call);
    },
  },
});

/** The change that a call names, if it belongs to the organization that the token is bound to. */
function ownRecord(call: Call): Change | undefined {
  const { operation, changeId, receiver } = call;
  if (operation !== "readChange") return undefined;
  const bound = bindingOf(call);
  const feed = typeof bound === "string" ? receiver.store.feeds.get(bound) : undefined;
  return changeNamed(feed, changeId);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

type WhenBound = When<[binding: unknown, call: Call]>;

/** A fault with which check 6 also takes some bound tokens for other organizations. */
function taking({ when, ...fault }: WhenBound): FaultEntry {
  return {
    ...fault,
    checkBinding: passing((call) => isBound(call) && when(bindingOf(call), call)),
  };
}

/** A fault with which the list shows some bound tokens everything that their subject may see. */
function listing({ when, ...fault }: WhenBound): FaultEntry {
  return {
    ...fault,
    rule: "receiver.binding-list",
    visibleOrganizations: (original) => (call) =>
      isBound(call) && when(bindingOf(call), call)
        ? accessibleIds(call.receiver.store, call.claims["sub"])
        : original(call),
  };
}
