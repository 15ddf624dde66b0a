/** Who has to change something. */
export type Side = "deployment" | "profile" | "network";

/** What good requests need of a set-up, in the order in which a request comes to need it. */
export const SETUP_CHECKS = [
  "reachable",
  "tls",
  "redirect",
  "available",
  "answers",
  "token",
  "key",
  "issuer",
  "audience",
  "expiry",
  "subject",
  "primary",
  "clock",
] as const;

export type SetupCheck = (typeof SETUP_CHECKS)[number];

/** What is found wrong with a set-up: in the words of reports, and what was looked at for it. */
export interface SetupFault {
  readonly problem: string;
  readonly remedy: string;
  readonly check: SetupCheck;
  readonly side: Side;
  /** How the deployment itself explains the refusal, where it does. */
  readonly said?: string | undefined;
}
