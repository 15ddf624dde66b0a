import type { MutationContext } from "../mutations/mutation.ts";
import type { Target } from "../profile/target.ts";
import { draftToken, type TokenDraft, type TokenWish } from "../tokens/draft.ts";
import type { FindingOf } from "./finding.ts";

/** The good token to draft. */
export interface TokenRequest extends Pick<MutationContext, "operation" | "form" | "organization"> {
  /** How it must differ from the good token for the operation. Used only where tokens are issued. */
  readonly wish?: TokenWish | undefined;
}

/** Why there is no such token, as a finding. */
export interface NoToken {
  readonly lacking: FindingOf<"not-provisioned" | "not-applicable" | "inconclusive">;
}

/** The source of good tokens: signed with the test issuer's key, or issued by a server. */
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

/** The age of good tokens other than the controls', whose age is 0. See `Session.newAge` and `aged`. */
export const GOOD_AGE = 1;
/** The age of tokens that the issuer has not signed. */
export const FORGED_AGE = 2;
const FIRST_AGE = 3;
/** The further ages that a run uses where it is slow; they start again when `SAME_SECOND_MS` are over. */
const AGES = 225;
/** A fast run needs more ages before the time of tokens has moved on. See `aged` for the greatest one. */
const MOST_AGES = 450;
/** A token is drafted at most so much later than its age was drawn. */
const SAME_SECOND_MS = 3000;
/** Creates the further ages of a run, from `FIRST_AGE` on, by a clock in milliseconds. */
export function createAges(now: () => number = () => performance.now()): () => number {
  let ages = 0;
  let since = now();
  return () => {
    if (ages >= MOST_AGES || (ages >= AGES && now() - since > SAME_SECOND_MS)) {
      ages = 0;
      since = now();
    }
    return FIRST_AGE + ages++;
  };
}
