import { createHash } from "node:crypto";

import type { Operation } from "../contract/operations.ts";
import { type Scope, SCOPES } from "../contract/operations.ts";
import type { JsonObject } from "../lib/json.ts";
import type { Facts } from "../profile/facts.ts";
import type { IssuerKey } from "../profile/target.ts";
import type { Segments } from "./compact.ts";

/** A token before it is signed. A mutation changes one thing in it. */
export interface TokenDraft {
  readonly header: JsonObject;
  readonly claims: JsonObject;
  readonly key: IssuerKey;
  /** The token as an authorization server issued it, where the suite cannot sign. */
  readonly issued?: Segments | undefined;
  /** Set where its `sub` is not that of good tokens, although the case is not about the subject. */
  readonly ofAnotherSubject?: true | undefined;
}

/** What to ask for when tokens are issued. An absent member may be as in any good token. */
export interface TokenWish {
  /** Exactly these scopes of the contract. */
  readonly scopes?: readonly Scope[] | undefined;
  /** Bound to this organization; `null`: unbound. */
  readonly organization?: string | null | undefined;
  /** The denied subject instead of the profile's. */
  readonly denied?: true | undefined;
  /** A new token that was never used, where client credentials can give one. */
  readonly fresh?: true | undefined;
}

/** The form of a good token where the contract leaves it open, found before anything is judged. */
export interface TokenForm {
  /**
   * The `typ` header. `at+jwt` adds the claims `jti` and `client_id`, RFC 9068 §2.2. Where the
   * profile sets `typ` itself, this only says which of these forms it resembles; see `typsFor`.
   */
  readonly typ: "JWT" | "at+jwt" | undefined;
  /** Whether the token is bound to an organization. */
  readonly bound: boolean;
  /** The one required scope, or all four. */
  readonly scopes: "required" | "all";
  /** Seconds that the clock in use is ahead of this machine's clock. */
  readonly clockOffsetSeconds: number;
  /** Seconds that `Date` is ahead, whichever clock is in use; absent where it does not matter. */
  readonly dateOffsetSeconds?: number | undefined;
  /** The moment for which the token is drafted, in milliseconds since the epoch. Default: now. */
  readonly atMs?: number | undefined;
}

type Clocks = Pick<TokenForm, "clockOffsetSeconds" | "dateOffsetSeconds" | "atMs">;

/** Age and remaining lifetime of a good token. */
const AGE_SECONDS = 60;
export const LIFETIME_SECONDS = 600;
/**
 * Many deployments accept no token that was issued more than five minutes ago, or that lives longer than 15 minutes. So this is
 * the greatest further age of a good token, and what goes beyond it is told apart by a shorter lifetime.
 */
export const MOST_SECONDS_OLDER = 230;
/** How much earlier `exp` is then. No run draws so many tokens for so long that two of them are equal. */
export const SECONDS_SHORTER = 60;

/** The current time in whole seconds since the epoch, by the clock of the form. */
export function nowSeconds({
  clockOffsetSeconds,
  atMs = Date.now(),
}: Pick<TokenForm, "clockOffsetSeconds" | "atMs">): number {
  return Math.floor(atMs / 1000) + clockOffsetSeconds;
}

/**
 * The current time by the slower clock, in seconds since the epoch. What is past by it is past for
 * both sides.
 */
export function earliestNowSeconds(form: Clocks): number {
  return Math.min(...byEachClock(form));
}

/**
 * The current time by the faster clock, in seconds since the epoch. What is in the future by it is in
 * the future for both sides.
 */
export function latestNowSeconds(form: Clocks): number {
  return Math.max(...byEachClock(form));
}

function byEachClock({ clockOffsetSeconds, dateOffsetSeconds = 0, atMs }: Clocks): number[] {
  return [0, clockOffsetSeconds, dateOffsetSeconds].map((offset) =>
    nowSeconds({ clockOffsetSeconds: offset, atMs }),
  );
}

/**
 * An equally valid token with an earlier `iat`, and for great ages an earlier `exp`. An issued token stays as it is.
 * @param age from 0, which is the draft itself, to twice `MOST_SECONDS_OLDER`; each is another token
 */
export function aged(draft: TokenDraft, age: number): TokenDraft {
  const { claims, issued } = draft;
  // The suite cannot change an issued token.
  if (issued || age === 0) return draft;
  const isGreat = age > MOST_SECONDS_OLDER;
  const times = {
    iat: Number(claims["iat"]) - (isGreat ? age - MOST_SECONDS_OLDER : age),
    exp: Number(claims["exp"]) - (isGreat ? SECONDS_SHORTER : 0),
  };
  const { jti, ...others } = claims;
  const hasDrafted = jti !== undefined && jti === identified(others)["jti"];
  const older = { ...(hasDrafted ? others : claims), ...times };
  return { ...draft, claims: hasDrafted ? identified(older) : older };
}

/** The claims with a `jti` that only tokens with the same claims have, RFC 7519 section 4.1.7. */
function identified(claims: JsonObject): JsonObject {
  const digest = createHash("sha256").update(JSON.stringify(claims)).digest("hex");
  return { ...claims, jti: `conformance-${digest.slice(0, 18)}` };
}

/**
 * Drafts the good token for an operation: every claim of the contract's table "Token claims", and the
 * claims and header members that the profile adds.
 * @param organization the value of the binding claim where `form.bound`
 */
export function draftToken(
  target: Facts,
  operation: Operation,
  form: TokenForm,
  organization: string | undefined,
): TokenDraft {
  const now = nowSeconds(form);
  const { key, claims, header } = target.testIssuer;
  const good = {
    iss: target.testIssuer.url,
    sub: target.subject,
    aud: target.audience,
    iat: now - AGE_SECONDS,
    exp: now + LIFETIME_SECONDS,
    scope: form.scopes === "all" ? SCOPES.join(" ") : operation.scope,
    grant_type: "client_credentials",
    ...(form.typ === "at+jwt" && { client_id: target.subject }),
    ...(form.bound &&
      target.bindingClaim !== undefined &&
      organization !== undefined && { [target.bindingClaim]: organization }),
    ...claims,
  };
  return {
    key,
    header: { alg: key.alg, kid: key.kid, ...(form.typ && { typ: form.typ }), ...header },
    claims: form.typ === "at+jwt" && !Object.hasOwn(good, "jti") ? identified(good) : good,
  };
}
