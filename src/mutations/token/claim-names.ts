import type { InvalidMutation } from "../mutation.ts";

/** Claims that checks 2 to 5 look at, under names that only a reader without regard for case takes for theirs. */

/** In the order of the checks. */
export const RESPELLED_CLAIMS = ["iss", "aud", "exp", "scope"] as const;
export type RespelledClaim = (typeof RESPELLED_CLAIMS)[number];

const CHECKS = { iss: "issuer", aud: "audience", exp: "expiry", scope: "scope" } as const;

/** The claim's name is in capitals: the claim itself is absent. */
export function inCapitals(claim: RespelledClaim): InvalidMutation {
  return {
    name: `${claim}-in-capitals`,
    check: CHECKS[claim],
    what: `\`${claim}\` is written in capitals`,
    why: "the name of a claim is compared to the letter",
    source: "contract, Token claims; RFC 7519 §7.3",
    claims: ({ claims }) => ({ [claim]: undefined, [claim.toUpperCase()]: claims[claim] }),
  };
}
