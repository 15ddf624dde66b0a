import type { Reply } from "../http/exchange.ts";
import type { SetupFault } from "./fault.ts";

/**
 * Deployments that accept a token only from the client that it was issued to. The contract has bearer tokens, which
 * whoever holds them may send.
 */

/** How much of an answer is searched: error pages are short. */
const SEARCHED = 4000;
/** A challenge of RFC 9449 §7.1, or the words of an answer to a good token without a proof. */
const DEMANDS_PROOF = /\bDPoP\b/i;
/** The words of nginx, and names that RFC 8705 uses. */
const DEMANDS_CERTIFICATE =
  /\b(?:m(?:utual[ -])?TLS|(?:client|SSL) certificate|certificate-bound|x5t#S256)\b/i;

/**
 * The fault where the answer to a good token says that the client must prove that the token is its own; `undefined`
 * where it does not.
 * @param said how the good token was refused
 */
export function senderConstrained(reply: Reply, said: string): SetupFault | undefined {
  const challenge = reply.headers["www-authenticate"] ?? "";
  const words = `${challenge} ${reply.body.slice(0, SEARCHED)}`;
  // A deployment that accepts both kinds of tokens has a challenge for each.
  if (DEMANDS_PROOF.test(words) && !/\bBearer\b/i.test(challenge)) {
    return {
      check: "token",
      side: "deployment",
      problem: `${said}, and the answer demands DPoP (RFC 9449), a proof with each request.`,
      remedy:
        "The contract has bearer tokens: accept tokens of the test issuer with the scheme Bearer and without a proof.",
    };
  }
  if (DEMANDS_CERTIFICATE.test(words)) {
    return {
      check: "token",
      side: "deployment",
      problem: `${said}, and the answer demands a client certificate (RFC 8705).`,
      remedy:
        "Name one in the profile, request.cert and request.key; if tokens must be bound to it, put its `cnf` claim into testIssuer.claims.",
    };
  }
  return undefined;
}
