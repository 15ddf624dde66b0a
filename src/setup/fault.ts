/** Where something has to be changed. */
export type Responsible = "deployment" | "profile" | "network";

/** What good requests need of a set-up, in the order in which a request needs it. */
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

/** A fault of a set-up, in the words of reports, with the check that found it. */
export interface SetupFault {
  readonly problem: string;
  readonly remedy: string;
  readonly check: SetupCheck;
  readonly side: Responsible;
  /** The deployment's own explanation of the refusal, where it gives one. */
  readonly said?: string | undefined;
}
