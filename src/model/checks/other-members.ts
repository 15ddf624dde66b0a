import { CLAIMS } from "../../contract/claims.ts";
import { open, type Outcome, passes } from "../outcome.ts";
import { type Check, ofToken } from "../question.ts";

const FLOWS: readonly unknown[] = ["client_credentials", "authorization_code"];
const OF_CONTRACT = new Set([...CLAIMS.map(({ name }) => name), "nbf"]);
const OF_HEADER = new Set(["alg", "kid", "typ", "cty", "crit", "b64"]);

/** `grant_type` is a SHOULD with two values (Token claims). */
export const grantType: Check = ofToken(({ claims }): Outcome | undefined => {
  if (!claims) return undefined;
  const { grant_type: flow } = claims;
  if (flow === undefined) return passes("claims.grant-type", "SHOULD");
  return FLOWS.includes(flow)
    ? passes("claims.grant-type")
    : open("odd claim", "claims.grant-type", { name: "grant_type", value: flow });
});

/** The receiver ignores claims and header parameters that it does not understand (RFC 7519 §4, RFC 7515 §4). */
export const unknownMembers: Check = ofToken(({ header = {}, claims = {} }, { known }): Outcome => {
  const own = new Set([...OF_CONTRACT, ...known.ownClaims, known.bindingClaim]);
  if (Object.keys(claims).some((name) => !own.has(name))) {
    return passes("rfc7519.unknown-claims", "SHOULD");
  }
  return Object.keys(header).some((name) => !OF_HEADER.has(name))
    ? passes("rfc7515.unknown-header", "SHOULD")
    : passes("rfc7519.unknown-claims");
});
