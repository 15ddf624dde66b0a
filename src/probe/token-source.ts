import type { Operation } from "../contract/operations.ts";
import type { Target } from "../profile/target.ts";
import { draftToken, type TokenDraft, type TokenForm, type TokenWish } from "../tokens/draft.ts";
import type { Finding } from "./finding.ts";

/** The good token to draft. */
export interface TokenRequest {
  readonly operation: Operation;
  readonly form: TokenForm;
  /** The organization of a bound token. */
  readonly organization: string | undefined;
  /** How it must differ from the good token for the operation. Used only where tokens are issued. */
  readonly wish?: TokenWish | undefined;
}

/** Why there is no such token, as a finding. */
export interface NoToken {
  readonly lacking: Extract<
    Finding,
    { kind: "not-provisioned" | "not-applicable" | "inconclusive" }
  >;
}

/**
 * The source of a run's good tokens: signed with the test issuer's key, or issued by an authorization
 * server.
 */
export interface TokenSource {
  draft(request: TokenRequest): Promise<TokenDraft | NoToken>;
}

/** A source that signs tokens with the test issuer's key. */
export function mintedTokens(target: Target): TokenSource {
  return {
    draft: ({ operation, form, organization }) =>
      Promise.resolve(draftToken(target, operation, form, organization)),
  };
}

/** The age of good tokens other than the controls', whose age is 0. See `Session.newAge`. */
export const GOOD_AGE = 1;
/** The age of tokens that the issuer has not signed. */
export const FORGED_AGE = 2;
const FIRST_AGE = 3;
/** The number of further ages that are distinct within one second. */
const AGES = 250;

/** Creates the further ages of a run, one after another. */
export function createAges(): () => number {
  let ages = 0;
  return () => FIRST_AGE + (ages++ % AGES);
}
