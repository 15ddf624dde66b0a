import { SCOPES } from "../../src/contract/operations.ts";
import type { Showing } from "./access-showings.ts";
import { BINDING, deniedOrganization, FOREIGN_KEY, mint, organization } from "./client.ts";

const elsewhere = { aud: "https://another.example" };
const ofUser = { grant_type: "authorization_code" };

/** Good requests of unusual kinds, each with what a check forgets for its kind. */
export const UNUSUAL_SHOWINGS: Readonly<Record<string, Showing>> = {
  "signature-unchecked-in-long-tokens": () => ({
    token: { key: FOREIGN_KEY, claims: { long: "x".repeat(4096) } },
  }),
  "issuer-unchecked-without-typ": () => ({
    token: { claims: { iss: "https://another.example" }, header: { typ: undefined } },
  }),
  "audience-unchecked-for-browsers": () => ({
    token: { claims: elsewhere },
    headers: { origin: "https://app.example" },
  }),
  "audience-unchecked-for-bearer-in-lower-case": async (receiver) => ({
    authorization: `bearer ${await mint(receiver, { claims: elsewhere })}`,
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
  "policy-unchecked-for-users": (receiver) => ({
    orgId: deniedOrganization(receiver),
    token: { claims: ofUser },
  }),
};
