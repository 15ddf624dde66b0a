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
