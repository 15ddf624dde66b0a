/** Where something has to be changed. */
export type Responsible = "deployment" | "profile" | "network";

/** What good requests need of a set-up, in the order in which a request needs it, each with what has to be right. */
export const SETUP_CHECKS = {
  reachable: "the base URL",
  tls: "TLS",
  redirect: "the base URL",
  available: "an answer",
  answers: "the base URL",
  token: "a good token",
  key: "the key",
  issuer: "the issuer",
  audience: "the audience",
  expiry: "the clock",
  subject: "the subject",
  primary: "the organization",
  clock: "the clock",
} as const;

export type SetupCheck = keyof typeof SETUP_CHECKS;

/** A fault of a set-up, in the words of reports, with the check that found it. */
export interface SetupFault {
  readonly problem: string;
  readonly remedy: string;
  readonly check: SetupCheck;
  readonly side: Responsible;
  /** The deployment's own explanation of the refusal, where it gives one. */
  readonly said?: string | undefined;
}
