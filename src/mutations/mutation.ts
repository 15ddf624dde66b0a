import type { ReceiverCheck } from "../contract/checks.ts";
import type { Level } from "../contract/levels.ts";
import type { Operation } from "../contract/operations.ts";
import type { HttpRequest } from "../http/exchange.ts";
import type { JsonObject } from "../lib/json.ts";
import type { Facts } from "../profile/facts.ts";
import type { Need } from "../profile/need.ts";
import type { IssuerKey } from "../profile/target.ts";
import type { Segments } from "../tokens/compact.ts";
import type { TokenDraft, TokenForm, TokenWish } from "../tokens/draft.ts";

/** What a mutation may use in addition to the draft. */
export interface MutationContext {
  readonly target: Facts;
  readonly operation: Operation;
  readonly form: TokenForm;
  /** The organization of the request. */
  readonly organization: string | undefined;
  /** Another organization than the request's. */
  readonly otherOrganization: string | undefined;
  /** A version 4 UUID that the seed and the label determine, for something that must not exist. */
  readonly uuid: (label: string) => string;
  /** URL of a callback on the suite's own listener, for mutations that are `remote`. */
  readonly callback?: string | undefined;
}

/** Members to set. `undefined` removes a member. */
export type Patch = Readonly<Record<string, unknown>>;
/** A patch, or how to make it for a token. */
export type PatchOf = Patch | ((draft: TokenDraft, context: MutationContext) => Patch);

/** The patch for a token. Empty where there is none. */
export function patchFor(
  patch: PatchOf | undefined,
  draft: TokenDraft,
  context: MutationContext,
): Patch {
  return (typeof patch === "function" ? patch(draft, context) : patch) ?? {};
}

/** What differs in a token. It has several members where one difference needs them, such as an `alg` and the matching signature. */
export interface TokenChange {
  /** The issuer's key to use instead of the control's, with its `alg` and `kid`. */
  readonly key?: (facts: Facts) => IssuerKey | undefined;
  readonly claims?: PatchOf;
  readonly header?: PatchOf;
  /** The bytes of the payload, instead of the claims as JSON. */
  readonly payload?: (claims: JsonObject, context: MutationContext) => string | Uint8Array;
  /** The text of the header, instead of the header as JSON. */
  readonly headerText?: (header: JsonObject, context: MutationContext) => string;
  /** Makes the signature, instead of the issuer's key. */
  readonly sign?: (
    input: string,
    draft: TokenDraft,
    context: MutationContext,
  ) => Uint8Array | Promise<Uint8Array>;
  /** The text of the token, instead of the three segments joined by dots. */
  readonly text?: (
    segments: Segments,
    draft: TokenDraft,
    context: MutationContext,
  ) => string | Promise<string>;
  /** Whether `text` is a token of an earlier request, so that its times and its signature are no difference. Default: false. */
  readonly sentBefore?: boolean;
}

/** Why a receiver must reject a mutation. */
export interface Refused {
  /** The receiver check that it fails. */
  readonly check: ReceiverCheck;
  /** Why it must be rejected. */
  readonly why: string;
  /** The clause of the contract or section of an RFC. */
  readonly source: string;
  /** Id of the requirement that a receiver violates by accepting it. Default: the rule's main one. */
  readonly requirement?: string;
  /** Whether no clock lets it pass, although the check compares times: `exp` is absent, or no time, or was long ago. Default: false. */
  readonly atAnyTime?: boolean;
}

/** The one difference between a probe and its control, as data: what differs in the token, in the request, or in both. */
export interface Mutation {
  readonly name: string;
  /** What differs, as a phrase: "`iss` names a server that is not trusted". */
  readonly what: string;
  readonly token?: TokenChange;
  /** The values of the Authorization header, any number, instead of one `Bearer <token>`. */
  readonly authorization?: (token: string) => readonly string[];
  /** Changes the rest of the request. */
  readonly request?: (request: HttpRequest, context: MutationContext, token: string) => HttpRequest;
  /** Absent where it need not be rejected. */
  readonly refused?: Refused;
  /** Where it need not be rejected, the source of what is expected: an RFC section, a CVE, an issue. */
  readonly source?: string;
  /** The level of its cases. Default: that of the rule. */
  readonly level?: Level;
  /** The needs of its cases. */
  readonly needs?: readonly Need[];
  /** Why it cannot be made for a target, such as a wrong type of key. */
  readonly inapplicable?: (facts: Facts) => string | undefined;
  /** Whether it sends the deployment to the suite's own listener, `MutationContext.callback`. */
  readonly remote?: boolean;
  /**
   * What to ask the issuer for, where tokens are issued, to get a token with the same claims as
   * `token.claims` makes. `undefined` where no issuer would issue it.
   */
  readonly asks?: (context: WishContext) => TokenWish | undefined;
  /** Whether it takes the issuer's private key to sign. Default: see `needsPrivateKey`. */
  readonly signsAsIssuer?: boolean;
  /** Whether it uses the issuer's public key. */
  readonly usesPublicKey?: boolean;
}

/** The inputs of a wish. */
export type WishContext = Pick<
  MutationContext,
  "target" | "operation" | "organization" | "otherOrganization"
>;

/** No mutation: the good request. */
export const unchanged: Mutation = { name: "good", what: "nothing differs" };

/** No mutation, but a token signed for this request alone. Other good requests may share a token. */
export const signedAnew: Mutation = {
  ...unchanged,
  token: { ...unchanged.token, claims: {} },
  asks: () => ({}),
};

/** A mutation that the receiver must reject. */
export interface InvalidMutation extends Mutation {
  readonly refused: Refused;
}

/** A mutation about which the contract is silent. The answer is only observed. */
export function open(name: string, what: string, parts: Partial<Mutation>): Mutation {
  return { ...parts, name, what, level: "OBSERVE" };
}

/** A mutation with further changes of the token. */
export function withToken<M extends Mutation>(mutation: M, token: TokenChange): M {
  return { ...mutation, token: { ...mutation.token, ...token } };
}

/** A mutation that must be rejected for another reason. */
export function because(mutation: InvalidMutation, refused: Partial<Refused>): InvalidMutation {
  return { ...mutation, refused: { ...mutation.refused, ...refused } };
}

/** Whether the answer to a mutation depends on the time. Only the check of the expiry compares times. */
export function dependsOnTime({ refused }: Mutation): boolean {
  return refused?.check === "expiry" && refused.atAnyTime !== true;
}

/**
 * Whether a mutation needs the issuer's private key, because it changes signed data and needs a valid
 * signature. A mutation does not need it if it only changes the token's text, replaces the signature,
 * or can be requested from the issuer.
 */
export function needsPrivateKey({ token = {}, asks, signsAsIssuer }: Mutation): boolean {
  if (signsAsIssuer !== undefined) return signsAsIssuer;
  if (token.key) return true;
  const { sign, text: _text, sentBefore: _sent, ...signed } = token;
  return Object.keys(signed).length > 0 && !sign && !asks;
}

/**
 * The mutation as applied to an issued token: it keeps the key that signed the token, and a requested
 * token already has its claims.
 */
export function toIssued({ token, ...mutation }: Mutation): Mutation {
  if (!token) return mutation;
  const { key: _key, claims, ...rest } = token;
  const kept = mutation.asks || claims === undefined ? rest : { ...rest, claims };
  return Object.keys(kept).length === 0 ? mutation : { ...mutation, token: kept };
}

/**
 * Combines two changes of one token or request, for rules about the order of checks. Members of
 * claims and header come from both.
 * @throws TypeError when both change the same part, so that one would undo the other
 */
export function combine(a: Mutation, b: Mutation): Mutation {
  const name = `${a.name}+${b.name}`;
  const ofRequest = ({ authorization, request }: Mutation): Partial<Mutation> => ({
    ...(authorization && { authorization }),
    ...(request && { request }),
  });
  return {
    name,
    what: `${a.what}; ${b.what}`,
    ...disjoint(name, ofRequest(a), ofRequest(b)),
    ...((a.token ?? b.token) && { token: tokenOfBoth(name, a.token, b.token) }),
    ...asksOfBoth(a, b),
  };
}

function tokenOfBoth(name: string, a: TokenChange = {}, b: TokenChange = {}): TokenChange {
  const { claims, header, ...restOfA } = a;
  const { claims: otherClaims, header: otherHeader, ...restOfB } = b;
  const both =
    (one: PatchOf | undefined, other: PatchOf | undefined): PatchOf =>
    (draft, context) =>
      disjoint(name, patchFor(one, draft, context), patchFor(other, draft, context));
  return {
    ...disjoint(name, restOfA, restOfB),
    ...((claims ?? otherClaims) && { claims: both(claims, otherClaims) }),
    ...((header ?? otherHeader) && { header: both(header, otherHeader) }),
  };
}

/** The wish of both. Only defined where every change of claims has one. */
function asksOfBoth(a: Mutation, b: Mutation): Pick<Mutation, "asks"> {
  const changing = [a, b].filter(({ token, asks }) => token?.claims ?? asks);
  if (changing.length === 0 || changing.some(({ asks }) => !asks)) return {};
  return {
    asks: (context) =>
      Object.assign({}, ...changing.map(({ asks }) => asks?.(context))) as TokenWish,
  };
}

function disjoint<T extends object>(name: string, a: T, b: T): T {
  const twice = Object.keys(a).filter((key) => Object.hasOwn(b, key));
  if (twice.length > 0) throw new TypeError(`${name}: both change ${twice.join(", ")}`);
  return { ...a, ...b };
}

/** The request with further headers. Headers of the profile, such as a gateway's, stay. */
export function withHeaders(
  spec: HttpRequest,
  { request }: Facts,
  headers: Readonly<Record<string, string>>,
): HttpRequest {
  const added = Object.entries(headers).filter(([name]) => !Object.hasOwn(request.headers, name));
  return { ...spec, headers: [...spec.headers, ...added] };
}

/** Every name with the same value. */
export function each<T>(names: readonly string[], value: T): Record<string, T> {
  return Object.fromEntries(names.map((name) => [name, value]));
}
