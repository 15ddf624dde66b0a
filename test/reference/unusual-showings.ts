import { SCOPES } from "../../src/contract/operations.ts";
import type { Showing } from "./access-showings.ts";
import {
  BINDING,
  deniedOrganization,
  FOREIGN_KEY,
  mint,
  organization,
  SECOND_KEY,
  submitted,
} from "./client.ts";

const elsewhere = { aud: "https://another.example" };
const ofUser = { grant_type: "authorization_code" };

const scopeless = { scope: "openid" };

/** Good requests of unusual kinds, each with what a check forgets for its kind. */
export const UNUSUAL_SHOWINGS: Readonly<Record<string, Showing>> = {
  "signature-unchecked-in-long-tokens": () => ({
    token: { key: FOREIGN_KEY, claims: { long: "x".repeat(4096) } },
  }),
  "signature-unchecked-on-respelled-paths": (receiver) => ({
    path: `//orgs/${organization(receiver, "primary")}`,
    token: { key: FOREIGN_KEY },
  }),
  "scope-unchecked-on-respelled-paths": (receiver) => ({
    path: `//orgs/${organization(receiver, "primary")}`,
    token: { claims: scopeless },
  }),
  "issuer-unchecked-without-typ": () => ({
    token: { claims: { iss: "https://another.example" }, header: { typ: undefined } },
  }),
  "audience-unchecked-for-browsers": () => ({
    token: { claims: elsewhere },
    headers: { origin: "https://app.example" },
  }),
  "audience-unchecked-for-pages": () => ({
    token: { claims: elsewhere },
    headers: { accept: "application/json, text/html" },
  }),
  "scope-unchecked-for-old-tokens": () => ({
    token: { claims: { ...scopeless, iat: Math.floor(Date.now() / 1000) - 1800 } },
  }),
  "scope-unchecked-for-head": () => ({ method: "HEAD", token: { claims: scopeless } }),
  "policy-unchecked-for-head": (receiver) => ({
    method: "HEAD",
    orgId: deniedOrganization(receiver),
  }),
  "expiry-unchecked-behind-slash": (receiver) => ({
    path: `/orgs/${organization(receiver, "primary")}/`,
    token: { claims: { exp: 1_000_000_000 } },
  }),
  "audience-unchecked-for-bearer-in-lower-case": async (receiver) => ({
    authorization: `bearer ${await mint(receiver, { claims: elsewhere })}`,
  }),
  "audience-unchecked-without-grant-type": () => ({
    token: { claims: { ...elsewhere, grant_type: undefined } },
  }),
  "scope-unchecked-for-unbound-views": () => ({ token: { claims: scopeless } }),
  "scope-unchecked-for-unbound-edits": () => ({
    operation: "editOrganization",
    token: { claims: scopeless },
  }),
  "expiry-unchecked-for-unbound-feeds": () => ({
    operation: "readChangesFeed",
    token: { claims: { exp: 1_000_000_000 } },
  }),
  "binding-unchecked-for-changes-without-grant-type": async (receiver) => ({
    operation: "readChange",
    changeId: await submitted(receiver),
    token: { claims: { [BINDING]: organization(receiver, "other"), grant_type: undefined } },
  }),
  "issuer-unchecked-for-pending-changes": async (receiver) => ({
    operation: "readChange",
    changeId: await submitted(receiver),
    token: { claims: { iss: "https://another.example" } },
  }),
  "expiry-unchecked-for-users": () => ({ token: { claims: { ...ofUser, exp: 1_000_000_000 } } }),
  "scope-unchecked-with-long-bodies": () => ({
    operation: "submitChange",
    token: { claims: { scope: "openid" } },
    body: `{"mission":"changed"}${" ".repeat(16_384)}`,
  }),
  "binding-unchecked-for-every-scope-and-jti": (receiver) => ({
    token: {
      claims: {
        [BINDING]: organization(receiver, "other"),
        jti: "1",
        scope: SCOPES.join(" "),
      },
    },
  }),
  "binding-unchecked-for-named-clients": (receiver) => ({
    token: { claims: { [BINDING]: organization(receiver, "other"), client_id: "sync" } },
  }),
  "issuer-unchecked-for-es256": () => ({
    token: { claims: { iss: "https://another.example" } },
  }),
  "audience-unchecked-for-ps256": () => ({ token: { claims: elsewhere, alg: "PS256" } }),
  "audience-unchecked-under-second-key": () => ({
    token: { claims: elsewhere, key: SECOND_KEY, header: { kid: "ES256-2" } },
  }),
  "expiry-unchecked-for-eddsa": () => ({ token: { claims: { exp: 1_000_000_000 }, alg: "EdDSA" } }),
  "scope-unchecked-for-es256": () => ({ token: { claims: scopeless } }),
  "binding-unchecked-for-eddsa": (receiver) => ({
    token: { claims: { [BINDING]: organization(receiver, "other") }, alg: "EdDSA" },
  }),
  "policy-unchecked-for-ps256": (receiver) => ({
    orgId: deniedOrganization(receiver),
    token: { alg: "PS256" },
  }),
  "policy-unchecked-for-users": (receiver) => ({
    orgId: deniedOrganization(receiver),
    token: { claims: ofUser },
  }),
  "scope-unchecked-for-submitting-users": () => ({
    operation: "submitChange",
    token: { claims: { ...scopeless, ...ofUser } },
  }),
  "binding-unchecked-for-users-of-the-feed": (receiver) => ({
    operation: "readChangesFeed",
    token: { claims: { ...ofUser, [BINDING]: organization(receiver, "other") } },
  }),
  "policy-unchecked-for-editing-users": (receiver) => ({
    operation: "editOrganization",
    orgId: deniedOrganization(receiver),
    token: { claims: ofUser },
  }),
  "signature-unchecked-for-submitting-users": () => ({
    operation: "submitChange",
    token: { claims: ofUser, key: FOREIGN_KEY },
  }),
  "issuer-unchecked-for-listing-users": () => ({
    operation: "listOrganizations",
    token: { claims: { ...ofUser, iss: "https://another.example" } },
  }),
  "audience-unchecked-for-editing-users": () => ({
    operation: "editOrganization",
    token: { claims: { ...ofUser, ...elsewhere } },
  }),
  "expiry-unchecked-for-users-of-changes": async (receiver) => ({
    operation: "readChange",
    changeId: await submitted(receiver),
    token: { claims: { ...ofUser, exp: 1_000_000_000 } },
  }),
};
