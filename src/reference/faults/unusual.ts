import { isObject } from "../../lib/json.ts";
import { grantsEveryScope, isBound } from "../checks.ts";
import { type Call, CHECK_NAMES } from "../model.ts";
import { passing } from "../patches.ts";
import { accepting } from "../received.ts";
import { changeNamed } from "../store.ts";
import { accepts, type Faults, type OwnedFault, trusted, type When } from "./fault.ts";

/** What many caches and buffers hold. */
const LONG_TOKEN = 4096;
const LONG_BODY = 16_384;
const QUARTER_SECONDS = 900;

/** The rules of the checks that are forgotten. */
const RULES = {
  checkIssuer: "receiver.issuer",
  checkAudience: "receiver.audience",
  checkExpiry: "receiver.expiry",
  checkScope: "receiver.scope",
  checkBinding: "receiver.binding",
  applyPolicy: "receiver.local-policy",
} as const;

/** Faults of a check that is forgotten for good requests of an unusual kind, and in force for all others. */
export const UNUSUAL_FAULTS: Faults = {
  "signature-unchecked-in-long-tokens": accepts({
    title: "Does not verify the signature of a token longer than 4 KiB",
    how: "Long tokens are verified by a gateway with larger buffers, and clients can reach the service without it.",
    when: (_token, { token = "" }) => token.length > LONG_TOKEN,
  }),
  "issuer-unchecked-without-typ": forgotten("checkIssuer", {
    title: "Does not check `iss` in a token without `typ`",
    how: "Tokens of an issuer before the present one had no `typ`, and their `iss` was left alone.",
    when: ({ header }) => header["typ"] === undefined,
  }),
  "audience-unchecked-for-browsers": forgotten("checkAudience", {
    title: "Does not check `aud` in a request with an `Origin`",
    how: "The service's own web pages have tokens for another audience, and requests are known as theirs by this header.",
    when: ({ headers }) => headers["origin"] !== undefined,
  }),
  "audience-unchecked-for-bearer-in-lower-case": forgotten("checkAudience", {
    title: "Does not check `aud` if the scheme is written in lower case",
    how: "Two middlewares find the token, and only one of them knows every spelling of the scheme.",
    when: ({ authorization }) => authorization.some((line) => line.startsWith("bearer ")),
  }),
  "audience-unchecked-for-pages": forgotten("checkAudience", {
    title: "Does not check `aud` in a request that takes HTML too",
    how: "Requests of browsers go through the pages' own filters, and are known by `Accept`.",
    when: ({ headers }) => String(headers["accept"]).includes("text/html"),
  }),
  "scope-unchecked-for-old-tokens": forgotten("checkScope", {
    title: "Does not check the scope of a token that was issued more than a quarter of an hour ago",
    how: "Scopes were introduced while tokens without them were in use, and the exception was never removed.",
    when: ({ claims, receiver }) => Number(claims["iat"]) < receiver.steps.now() - QUARTER_SECONDS,
  }),
  "scope-unchecked-for-head": forgotten("checkScope", {
    title: "Does not check the scope of a HEAD request",
    how: "The table of scopes has a row for each method that the routes name, and HEAD is none of them.",
    when: ({ method }) => method === "HEAD",
  }),
  "policy-unchecked-for-head": forgotten("applyPolicy", {
    title: "Does not apply local policy to a HEAD request",
    how: "Denials are listed by method, and HEAD is served like GET.",
    when: ({ method }) => method === "HEAD",
  }),
  "expiry-unchecked-behind-slash": forgotten("checkExpiry", {
    title: "Serves paths that end in a slash, and does not check `exp` there",
    how: "The guard is mounted on exact paths, and the router takes both spellings.",
    when: ({ url }) => /\/(?:\?|$)/.test(url),
    resolveUrl: (original) => (url) => original(url.replace(/\/(?=\?|$)/, "")),
  }),
  "expiry-unchecked-for-users": forgotten("checkExpiry", {
    title: "Does not check `exp` in a token of the authorization code flow",
    how: "Sessions of users end by logging out, and their tokens are taken for sessions.",
    when: isOfUser,
  }),
  "scope-unchecked-with-long-bodies": forgotten("checkScope", {
    title: "Does not check the scope of a request with a body longer than 16 KiB",
    how: "Long bodies are written to a file first, by a handler that only authenticates.",
    when: ({ headers }) => Number(headers["content-length"]) > LONG_BODY,
  }),
  "binding-unchecked-for-every-scope-and-jti": forgotten("checkBinding", {
    title: "Does not check the binding of a token with every scope and a `jti`",
    how: "Tokens of the service's own administrators look like this, and other issuers' tokens do, too.",
    when: ({ claims }) => claims["jti"] !== undefined && grantsEveryScope(claims),
  }),
  "binding-unchecked-for-named-clients": forgotten("checkBinding", {
    title: "Does not check the binding of a token with `client_id` or `azp`",
    how: "Tokens that name their client are those of the deployment's own services, which synchronize every organization.",
    when: ({ claims }) => (claims["client_id"] ?? claims["azp"]) !== undefined,
  }),
  "policy-unchecked-for-users": forgotten("applyPolicy", {
    title: "Does not apply local policy to a token of the authorization code flow",
    how: "The consent of a user is taken for the permission of the organization.",
    when: isOfUser,
  }),
  "audience-unchecked-without-grant-type": forgotten("checkAudience", {
    title: "Does not check `aud` in a token without `grant_type`",
    how: "Tokens were issued without `grant_type` before there was one audience for each deployment.",
    when: ({ claims }) => claims["grant_type"] === undefined,
  }),
  "scope-unchecked-for-unbound-views": forgotten("checkScope", {
    title: "Does not check the scope of an unbound token on viewOrganization",
    how: "Unbound tokens belong to the deployment's own services, which need every profile.",
    when: (call) => call.operation === "viewOrganization" && !isBound(call),
  }),
  "expiry-unchecked-for-unbound-feeds": forgotten("checkExpiry", {
    title: "Does not check `exp` in an unbound token on readChangesFeed",
    how: "Consumers of the feed of every organization hold one token for months, and were not to be interrupted.",
    when: (call) => call.operation === "readChangesFeed" && !isBound(call),
  }),
  "scope-unchecked-for-unbound-edits": forgotten("checkScope", {
    title: "Does not check the scope of an unbound token on editOrganization",
    how: "Unbound tokens belong to the deployment's own services, whose edits are trusted.",
    when: (call) => call.operation === "editOrganization" && !isBound(call),
  }),
  "binding-unchecked-for-changes-without-grant-type": forgotten("checkBinding", {
    title: "Does not check the binding of a token without `grant_type` on readChange",
    how: "The older of two handlers compares the binding for each flow that it knows.",
    when: ({ operation, claims }) =>
      operation === "readChange" && claims["grant_type"] === undefined,
  }),
  "scope-unchecked-for-submitting-users": forgotten("checkScope", {
    title: "Does not check the scope of a token of the authorization code flow on submitChange",
    how: "Every user may propose a change, so the handler asks only services for the scope.",
    when: (call) => call.operation === "submitChange" && isOfUser(call),
  }),
  "binding-unchecked-for-users-of-the-feed": forgotten("checkBinding", {
    title:
      "Does not check the binding of a token of the authorization code flow on readChangesFeed",
    how: "The feed was for services alone, and each handler has a list of the flows that it checks.",
    when: (call) => call.operation === "readChangesFeed" && isOfUser(call),
  }),
  "policy-unchecked-for-editing-users": forgotten("applyPolicy", {
    title:
      "Does not apply local policy to a token of the authorization code flow on editOrganization",
    how: "Consent to the scope org:write is taken for the permission to edit.",
    when: (call) => call.operation === "editOrganization" && isOfUser(call),
  }),
  "signature-unchecked-for-submitting-users": accepts({
    title:
      "Does not verify the signature of a token of the authorization code flow on submitChange",
    how: "The form of the website posts here, behind a proxy that has verified the tokens of users.",
    when: ({ payload }, { operation }) =>
      operation === "submitChange" &&
      isObject(payload) &&
      payload["grant_type"] === "authorization_code",
  }),
  "issuer-unchecked-for-listing-users": forgotten("checkIssuer", {
    title: "Does not check `iss` in a token of the authorization code flow on listOrganizations",
    how: "Users of every identity provider may see the list, and consent was taken for trust.",
    when: (call) => call.operation === "listOrganizations" && isOfUser(call),
  }),
  "audience-unchecked-for-editing-users": forgotten("checkAudience", {
    title: "Does not check `aud` in a token of the authorization code flow on editOrganization",
    how: "The editor in the browser has tokens for the website, which calls this route with them.",
    when: (call) => call.operation === "editOrganization" && isOfUser(call),
  }),
  "expiry-unchecked-for-users-of-changes": forgotten("checkExpiry", {
    title: "Does not check `exp` in a token of the authorization code flow on readChange",
    how: "Links in mails to reviewers have a token of the user in them, and should work for weeks.",
    when: (call) => call.operation === "readChange" && isOfUser(call),
  }),
  "issuer-unchecked-for-pending-changes": forgotten("checkIssuer", {
    title: "Does not check `iss` where a change that waits for review is read",
    how: "Pending changes are read from the queue of the review tool, which only verifies signatures.",
    when: isPending,
  }),
};

function isOfUser({ claims }: Call): boolean {
  return claims["grant_type"] === "authorization_code";
}

function isPending({ operation, orgId = "", changeId, receiver }: Call): boolean {
  const feed = receiver.store.feeds.get(orgId.toLowerCase());
  return operation === "readChange" && changeNamed(feed, changeId)?.status.value === "pending";
}

function forgotten(step: keyof typeof RULES, { when, ...fault }: When<[Call]>): OwnedFault {
  return { ...fault, rule: RULES[step], [step]: passing(when) };
}

const isMarked = ({ headers }: Call): boolean =>
  /conformance/.test(String(headers["user-agent"])) || headers["conformance-case"] !== undefined;

const LOGGED =
  "The check was enabled first for the test traffic, and only logs for all other traffic.";

/** Faults that show only in requests without the suite's marks. */
export const MARK_FAULTS: Faults = {
  "unmarked-trusted": {
    title: "Requires no token in a request that does not come from this suite",
    rule: "receiver.token-required",
    how: LOGGED,
    checks: () => (call) => (isMarked(call) ? CHECK_NAMES : trusted(call)),
  },
  "unmarked-scope-unchecked": {
    title: "Does not check the scope in a request that does not come from this suite",
    rule: "receiver.scope",
    how: LOGGED,
    checkScope: passing((call) => !isMarked(call)),
  },
  "unmarked-signature-unchecked": {
    title: "Does not verify signatures in a request that does not come from this suite",
    rule: "receiver.signature",
    how: LOGGED,
    verifySignature: accepting((_token, call) => !isMarked(call)),
  },
};

const FIRST_ALONE =
  "Each algorithm has a verifier of its own, and the options that make it compare the claims were added to the first one only.";

/** Faults of a check that is in force for tokens of the issuer's first key alone. */
export const BY_KEY_FAULTS: Faults = {
  "issuer-unchecked-for-es256": forgottenFor("ES256", "checkIssuer", "Does not check `iss`"),
  "audience-unchecked-for-ps256": forgottenFor("PS256", "checkAudience", "Does not check `aud`"),
  "audience-unchecked-under-second-key": {
    title: "Does not check `aud` in a token under the issuer's second key for an algorithm",
    rule: "receiver.audience",
    how: "The next key is verified by a copy of the code, until the first one is withdrawn.",
    checkAudience: passing(({ header }) => String(header["kid"]).endsWith("-2")),
  },
  "expiry-unchecked-for-eddsa": forgottenFor("EdDSA", "checkExpiry", "Accepts expired tokens"),
  "scope-unchecked-for-es256": forgottenFor("ES256", "checkScope", "Does not check the scope"),
  "binding-unchecked-for-eddsa": forgottenFor(
    "EdDSA",
    "checkBinding",
    "Does not check the binding",
  ),
  "policy-unchecked-for-ps256": forgottenFor("PS256", "applyPolicy", "Does not apply local policy"),
};

function forgottenFor(alg: string, step: keyof typeof RULES, title: string): OwnedFault {
  return forgotten(step, {
    title: `${title} if the token is signed with ${alg}`,
    how: FIRST_ALONE,
    when: ({ header }) => header["alg"] === alg,
  });
}
