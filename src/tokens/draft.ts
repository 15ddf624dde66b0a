import type { Operation } from "../contract/operations.ts";
import { type Scope, SCOPES } from "../contract/operations.ts";
import type { JsonObject } from "../lib/json.ts";
import type { IssuerKey, Target } from "../profile/target.ts";
import type { Segments } from "./compact.ts";

/** A token before it is signed: what a mutation changes one thing of. */
export interface TokenDraft {
  readonly header: JsonObject;
  readonly claims: JsonObject;
  readonly key: IssuerKey;
  /** The token as somebody else has issued it, where the suite cannot sign. */
  readonly issued?: Segments | undefined;
}

/** What a token is asked for with, where it is issued; what is absent may be as in any good token. */
export interface TokenWish {
  /** These scopes of the contract and no other. */
  readonly scopes?: readonly Scope[] | undefined;
  /** Bound to this organization; `null`: not bound. */
  readonly organization?: string | null | undefined;
  /** The denied subject, in place of the profile's. */
  readonly denied?: true | undefined;
  /** One that nobody has seen, where client credentials give it. */
  readonly fresh?: true | undefined;
}

/**
 * What a good token looks like where the contract leaves it open.
 * Found out for each operation before anything is judged.
 */
export interface TokenForm {
  /**
   * The `typ` header; `at+jwt` brings the claims `jti` and `client_id` with it, RFC 9068 §2.2. Where the
   * profile says which `typ` good tokens carry, this only says which of these it is like; see `typsFor`.
   */
  readonly typ: "JWT" | "at+jwt" | undefined;
  /** Whether the token is bound to an organization. */
  readonly bound: boolean;
  /** The one required scope, or all four. */
  readonly scopes: "required" | "all";
  /** Seconds that the clock in use is ahead of this machine's. */
  readonly clockOffsetSeconds: number;
  /** Seconds that the deployment's `Date` is ahead, whichever clock is in use; absent where it need not be minded. */
  readonly dateOffsetSeconds?: number | undefined;
}

type Clocks = Pick<TokenForm, "clockOffsetSeconds" | "dateOffsetSeconds">;

/** Seconds from `iat` to now, and from now to `exp`, in a good token. */
const AGE_SECONDS = 60;
const LIFETIME_SECONDS = 600;

/** Now, in whole seconds since the epoch, by the clock that the form names. */
export function nowSeconds(form: Pick<TokenForm, "clockOffsetSeconds">): number {
  return Math.floor(Date.now() / 1000) + form.clockOffsetSeconds;
}

/** Now by whichever clock is behind, this machine's or the deployment's: what is past by it is past by both. */
export function nowByBehind(form: Clocks): number {
  return Math.min(...byEachClock(form));
}

/** Now by whichever clock is ahead: what is yet to come by it is so by both. */
export function nowByAhead(form: Clocks): number {
  return Math.max(...byEachClock(form));
}

function byEachClock({ clockOffsetSeconds, dateOffsetSeconds = 0 }: Clocks): number[] {
  return [0, clockOffsetSeconds, dateOffsetSeconds].map((offset) =>
    nowSeconds({ clockOffsetSeconds: offset }),
  );
}

/** The same token, issued so many seconds earlier: another one, byte for byte, and no worse. */
export function aged(draft: TokenDraft, seconds: number): TokenDraft {
  const { claims, issued } = draft;
  // What others have issued is as old as it is.
  if (issued) return draft;
  return { ...draft, claims: { ...claims, iat: Number(claims["iat"]) - seconds } };
}

/**
 * Drafts the good token for an operation: every claim of the contract's table "Token claims", and what
 * the profile adds to claims and header.
 */
export function draftToken(
  target: Target,
  operation: Operation,
  form: TokenForm,
  organization: string | undefined,
): TokenDraft {
  const now = nowSeconds(form);
  const { key, claims, header } = target.testIssuer;
  return {
    key,
    header: { alg: key.alg, kid: key.kid, ...(form.typ && { typ: form.typ }), ...header },
    claims: {
      iss: target.testIssuer.url,
      sub: target.subject,
      aud: target.audience,
      iat: now - AGE_SECONDS,
      exp: now + LIFETIME_SECONDS,
      scope: form.scopes === "all" ? SCOPES.join(" ") : operation.scope,
      grant_type: "client_credentials",
      ...(form.typ === "at+jwt" && {
        jti: `conformance-${now}`,
        client_id: target.subject,
      }),
      ...(form.bound &&
        target.bindingClaim !== undefined &&
        organization !== undefined && { [target.bindingClaim]: organization }),
      ...claims,
    },
  };
}
