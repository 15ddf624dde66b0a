import { SCOPES } from "../../../src/contract/operations.ts";
import { isSameUuid } from "../../../src/contract/uuid.ts";
import { addQuery } from "../../../src/lib/uri.ts";
import type { Mutation } from "../../../src/mutations/mutation.ts";
import { lowerCaseScheme } from "../../../src/mutations/token/presentation.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import { freshJti, grantTypeAbsent } from "../../shared/mutations/valid-variations.ts";

/**
 * Ways in which a good request may be unusual and stay good. A receiver may check such requests on another path of its
 * code, and forget a check there.
 */

/** Makes the token longer than 4 KiB, the limit of many caches and buffers. All headers stay below 8 KiB, that of servers. */
const LONG_CLAIM = 3300;
/** How much earlier an old token was issued. Many deployments refuse a token that is older than an hour. */
const OLD_SECONDS = 1800;
/** The client in a token that names one. */
const CLIENT = "conformance";

/** A token of the other flow than the usual good token's. */
export const consent: Mutation = {
  name: "consent",
  what: "`grant_type` is authorization_code",
  token: { claims: { grant_type: "authorization_code" } },
};

/** Of the token, and of how it is sent. No two change the same part. The last one is refused most often. */
export const unusualTokens: readonly Mutation[] = [
  { name: "typ-absent", what: "the header has no `typ`", token: { header: { typ: undefined } } },
  {
    name: "long",
    what: "an unknown claim makes the token longer than 4 KiB",
    token: { claims: { "https://conformance.example/long": "x".repeat(LONG_CLAIM) } },
  },
  {
    name: "every-scope",
    what: "`scope` has every scope",
    token: { claims: { scope: SCOPES.join(" ") } },
  },
  consent,
  { ...freshJti, what: "there is a claim `jti`" },
  {
    name: "old",
    what: "it was issued half an hour ago",
    token: { claims: ({ claims }) => ({ iat: Number(claims["iat"]) - OLD_SECONDS }) },
  },
  lowerCaseScheme,
  {
    name: "browser-headers",
    what: "it has headers that browsers and proxies add",
    request: (spec) => ({
      ...spec,
      // JSON comes first, so that no deployment answers with a page or a login.
      standing: { ...spec.standing, accept: "application/json, text/html;q=0.9, */*;q=0.5" },
      headers: [
        ...spec.headers,
        ["accept-language", "en-GB,en;q=0.8"],
        ["cookie", "consent=1"],
        ["origin", "https://app.example"],
        ["x-forwarded-for", "198.51.100.7"],
        ["x-requested-with", "XMLHttpRequest"],
      ],
    }),
  },
  {
    name: "second-subject",
    what: "`sub` is the second subject, `denied.subject` of the profile",
    token: { claims: (_draft, { target }) => ({ sub: target.denied?.subject }) },
    inapplicable: ({ denied, subject, organizations: { other } }: Facts) =>
      denied === undefined ||
      other === undefined ||
      denied.subject === subject ||
      isSameUuid(denied.organization, other)
        ? "no other subject may act on the other organization"
        : undefined,
  },
  {
    name: "client",
    what: "there are claims `client_id` and `azp`",
    // What the profile gives every good token stays.
    token: {
      claims: ({ claims }) => ({
        client_id: claims["client_id"] ?? CLIENT,
        azp: claims["azp"] ?? CLIENT,
      }),
    },
  },
  // Where two keys would fit, many receivers refuse this, so it is last; the others are then sent without it.
  { name: "kid-absent", what: "the header has no `kid`", token: { header: { kid: undefined } } },
];

/** More of them, in a request of their own: the first contradicts a part above, and the second is often refused. */
export const moreUnusual: readonly Mutation[] = [
  grantTypeAbsent,
  {
    name: "query",
    what: "the URL has a query that the contract does not have",
    request: (spec) => ({
      ...spec,
      path: addQuery(spec.path, "view=full"),
    }),
  },
];
