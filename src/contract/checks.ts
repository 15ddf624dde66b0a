/** The receiver checks, in the order of the contract, clause "Receiver checks". */
export const RECEIVER_CHECKS = [
  "signature",
  "issuer",
  "audience",
  "expiry",
  "scope",
  "binding",
  "policy",
] as const;

export type ReceiverCheck = (typeof RECEIVER_CHECKS)[number];

/** The number that the contract gives a check: 1 to 7. */
export function checkNumber(check: ReceiverCheck): number {
  return RECEIVER_CHECKS.indexOf(check) + 1;
}

/**
 * The largest difference between two clocks, in seconds, that counts as a small clock skew, which a
 * receiver may allow for. RFC 7519 section 4.1.4: usually no more than a few minutes.
 */
export const SMALL_SKEW_SECONDS = 300;
