import type { ReceiverCheck } from "../contract/checks.ts";
import type { Level } from "../contract/levels.ts";
import type { Operation } from "../contract/operations.ts";
import type { HttpRequest } from "../http/exchange.ts";
import type { JsonObject } from "../lib/json.ts";
import type { Need } from "../profile/need.ts";
import type { IssuerKey, Target } from "../profile/target.ts";
import type { Segments } from "../tokens/compact.ts";
import type { TokenDraft, TokenForm, TokenWish } from "../tokens/draft.ts";

/** What a mutation may draw on besides the draft that it changes. */
export interface MutationContext {
  readonly target: Target;
  readonly operation: Operation;
  readonly form: TokenForm;
  /** The organization that the request is about. */
  readonly organization: string | undefined;
  /** Another organization, never the one of the request. */
  readonly otherOrganization: string | undefined;
  /** A version 4 UUID that the seed and the label determine, for what must not exist. */
  readonly uuid: (label: string) => string;
  /** URL of a place on the suite's own listener, for mutations that are `remote`. */
  readonly callback?: string | undefined;
}

/** Members to set; a member whose value is `undefined` is removed. */
export type Patch = Readonly<Record<string, unknown>>;
type Drawn<T> = T | ((draft: TokenDraft, context: MutationContext) => T);

/**
 * The one thing in which a probe differs from its control, as data.
 * Several members may be set where one difference needs them (an `alg` and the signature that goes with it).
 */
export interface Mutation {
  readonly name: string;
  /** What differs, as a phrase: "`iss` names a server that is not trusted". */
  readonly what: string;
  /** The issuer's key that it is made with instead of the control's; `alg` and `kid` go with it. */
  readonly key?: (target: Target) => IssuerKey | undefined;
  readonly claims?: Drawn<Patch>;
  readonly header?: Drawn<Patch>;
  /** The payload's bytes instead of the claims as JSON. */
  readonly payload?: (claims: JsonObject, context: MutationContext) => string | Uint8Array;
  /** The header's bytes instead of the header as JSON. */
  readonly headerText?: (header: JsonObject, context: MutationContext) => string;
  /** Makes the signature instead of the issuer's key. */
  readonly sign?: (
    input: string,
    draft: TokenDraft,
    context: MutationContext,
  ) => Uint8Array | Promise<Uint8Array>;
  /** The token as text instead of the three segments joined by dots. */
  readonly text?: (
    segments: Segments,
    draft: TokenDraft,
    context: MutationContext,
  ) => string | Promise<string>;
  /** How the token is presented instead of one header `Bearer <token>`: no, one or several field values. */
  readonly authorization?: (token: string) => readonly string[];
  /** The rest of the request. */
  readonly request?: (request: HttpRequest, context: MutationContext, token: string) => HttpRequest;
  /** Why it cannot be made for a target at all: its keys are of another kind. */
  readonly inapplicable?: (target: Target) => string | undefined;
  /** It sends the deployment to the suite's own listener, `MutationContext.callback`. */
  readonly remote?: boolean;
  /**
   * What the same token is asked for with, where it is issued: its claims are then as `claims` would make
   * them. `undefined` where nobody would issue it.
   */
  readonly asks?: (context: WishContext) => TokenWish | undefined;
  /** `sign` or `text` signs with the issuer's key, or the rule does. Default: as `needsPrivateKey` finds. */
  readonly signsAsIssuer?: boolean;
  /** It is made of the issuer's public key. */
  readonly usesPublicKey?: boolean;
}

/** What a wish may depend on. */
export type WishContext = Pick<
  MutationContext,
  "target" | "operation" | "organization" | "otherOrganization"
>;

/** No mutation: the good request. */
export const unchanged: Mutation = { name: "good", what: "nothing differs" };

/** No mutation, and a token that is signed for this request alone: other good ones may share one. */
export const signedAnew: Mutation = { ...unchanged, claims: {}, asks: () => ({}) };

/** A mutation after which the receiver has to refuse. */
export interface InvalidMutation extends Mutation {
  /** The receiver check that it fails. */
  readonly check: ReceiverCheck;
  /** Why it has to be refused. */
  readonly why: string;
  /** Clause of the contract or section of an RFC. */
  readonly source: string;
  /** Id of the sentence that a receiver violates that lets it pass. Default: the rule's main one. */
  readonly requirement?: string;
  /** Default: the level of the rule. */
  readonly level?: Level;
  /** What it cannot be made without. */
  readonly needs?: readonly Need[];
}

/** Whether the answer to a mutation depends on when it is sent: the check of the expiry alone is about time. */
export function dependsOnTime(mutation: Mutation | InvalidMutation): boolean {
  return "check" in mutation && mutation.check === "expiry";
}

/** A mutation that the contract is silent about: what the deployment does with it is recorded. */
export interface UnspecifiedMutation extends Mutation {
  readonly level: "OBSERVE";
}
