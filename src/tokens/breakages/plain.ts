import { SCOPES } from "../../contract/operations.ts";
import type { Breakage, ChangeContext } from "../change.ts";
import { nowSeconds } from "../draft.ts";

/** The plainest way to fail each of the checks 2 to 6. */

const HOUR_SECONDS = 3600;

export const untrustedIssuer: Breakage = {
  name: "untrusted",
  check: 2,
  what: "`iss` names an authorization server that nobody trusts",
  why: "iss must be a known, trusted authorization server",
  source: "contract, Receiver checks 2; RFC 7519 §4.1.1",
  claims: { iss: "https://untrusted-issuer.example" },
};

export const otherAudience: Breakage = {
  name: "other",
  check: 3,
  what: "`aud` is the base URL of another deployment",
  why: "aud must equal the receiver's own base URL",
  source: "contract, Receiver checks 3; RFC 7519 §4.1.3",
  claims: { aud: "https://another-deployment.example/common-grants" },
};

/** An hour ago by whichever clock is behind, this machine's or the deployment's. */
function hourAgo({ form }: ChangeContext): number {
  return Math.min(nowSeconds(form), nowSeconds({ clockOffsetSeconds: 0 })) - HOUR_SECONDS;
}

export const expired: Breakage = {
  name: "hour-ago",
  check: 4,
  what: "`exp` passed an hour ago",
  why: "expired tokens are rejected, and an hour is no small clock skew",
  source: "contract, Receiver checks 4; RFC 7519 §4.1.4",
  claims: (_draft, context) => ({ exp: hourAgo(context) }),
};

export const lifetimePast: Breakage = {
  name: "lifetime-past",
  check: 4,
  what: "the whole lifetime, `iat` to `exp`, ended an hour ago",
  why: expired.why,
  source: expired.source,
  claims: (_draft, context) => ({
    iat: hourAgo(context) - HOUR_SECONDS,
    exp: hourAgo(context),
  }),
};

export const otherScopes: Breakage = {
  name: "all-others",
  check: 5,
  what: "`scope` grants every scope but the required one",
  why: "scope must cover the operation, and scopes are granted independently",
  source: "contract, Receiver checks 5; Scopes",
  claims: (_draft, { operation }) => ({
    scope: SCOPES.filter((scope) => scope !== operation.scope).join(" "),
  }),
};

export const boundElsewhere: Breakage = {
  name: "other-organization",
  check: 6,
  what: "the token is bound to another organization",
  why: "a bound token may act only on the organization that it names",
  source: "contract, Receiver checks 6; Binding a token to an organization",
  needs: ["claimsNamespace"],
  claims: (_draft, { target, otherOrganization }) => ({
    [target.bindingClaim ?? ""]: otherOrganization,
  }),
};

export const boundNowhere: Breakage = {
  name: "no-organization",
  check: 6,
  what: "the token is bound to an organization that does not exist",
  why: boundElsewhere.why,
  source: boundElsewhere.source,
  needs: ["claimsNamespace"],
  claims: (_draft, { target, uuid }) => ({ [target.bindingClaim ?? ""]: uuid("bound nowhere") }),
};
