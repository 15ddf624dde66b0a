import type { Operation } from "../contract/operations.ts";
import type { Target } from "../profile/target.ts";
import { draftToken, type TokenDraft, type TokenForm, type TokenWish } from "../tokens/draft.ts";
import type { Finding } from "./finding.ts";

/** Which good token is wanted. */
export interface TokenRequest {
  readonly operation: Operation;
  readonly form: TokenForm;
  /** The organization that a bound one names. */
  readonly organization: string | undefined;
  /** In what it is to differ from the good one for the operation; only where tokens are issued. */
  readonly wish?: TokenWish | undefined;
}

/** Why there is no such token, as a case finds it. */
export interface NoToken {
  readonly lacking: Extract<Finding, { kind: "not-provisioned" | "inconclusive" }>;
}

/** Where the good tokens of a run come from: minted with the test issuer's key, or issued by others. */
export interface TokenSource {
  draft(request: TokenRequest): Promise<TokenDraft | NoToken>;
}

/** Mints them. */
export function mintedTokens(target: Target): TokenSource {
  return {
    draft: ({ operation, form, organization }) =>
      Promise.resolve(draftToken(target, operation, form, organization)),
  };
}
