import type { Level } from "../contract/levels.ts";
import type { Operation } from "../contract/operations.ts";
import type { RequestSpec } from "../http/exchange.ts";
import type { IssuerKey, Target } from "../profile/target.ts";
import type { JsonObject, TokenDraft, TokenForm } from "./draft.ts";

/** What a change may draw on besides the draft that it changes. */
export interface ChangeContext {
  readonly target: Target;
  readonly operation: Operation;
  readonly form: TokenForm;
  /** The organization that the request is about. */
  readonly organization: string | undefined;
  /** Another organization, never the one of the request. */
  readonly otherOrganization: string | undefined;
  /** A version 4 UUID that the seed and the label determine, for what must not exist. */
  readonly uuid: (label: string) => string;
  /** URL of a place on the suite's own listener, for changes that are `remote`. */
  readonly callback?: string | undefined;
}

/** Members to set; a member whose value is `undefined` is removed. */
export type Patch = Readonly<Record<string, unknown>>;
type Drawn<T> = T | ((draft: TokenDraft, context: ChangeContext) => T);

/** The three base64url segments of a compact JWS, RFC 7515 §7.1. */
export interface Segments {
  readonly header: string;
  readonly payload: string;
  readonly signature: string;
}

/**
 * The one thing in which a probe differs from its control, as data.
 * Several members may be set where one difference needs them (an `alg` and the signature that goes with it).
 */
export interface Change {
  readonly name: string;
  /** What differs, as a phrase: "`iss` names a server that is not trusted". */
  readonly what: string;
  /** The issuer's key that it is made with instead of the control's; `alg` and `kid` go with it. */
  readonly key?: (target: Target) => IssuerKey | undefined;
  readonly claims?: Drawn<Patch>;
  readonly header?: Drawn<Patch>;
  /** The payload's bytes instead of the claims as JSON. */
  readonly payload?: (claims: JsonObject, context: ChangeContext) => string | Uint8Array;
  /** The header's bytes instead of the header as JSON. */
  readonly headerText?: (header: JsonObject, context: ChangeContext) => string;
  /** Makes the signature instead of the issuer's key. */
  readonly sign?: (
    input: string,
    draft: TokenDraft,
    context: ChangeContext,
  ) => Uint8Array | Promise<Uint8Array>;
  /** The token as text instead of the three segments joined by dots. */
  readonly text?: (
    segments: Segments,
    draft: TokenDraft,
    context: ChangeContext,
  ) => string | Promise<string>;
  /** How the token is presented instead of one header `Bearer <token>`: no, one or several field values. */
  readonly authorization?: (token: string) => readonly string[];
  /** The rest of the request. */
  readonly request?: (request: RequestSpec, context: ChangeContext, token: string) => RequestSpec;
  /** Why it cannot be made for a target at all: its keys are of another kind. */
  readonly inapplicable?: (target: Target) => string | undefined;
  /** It sends the deployment to the suite's own listener, `ChangeContext.callback`. */
  readonly remote?: boolean;
}

/** A change after which the receiver has to refuse. */
export interface Breakage extends Change {
  /** The receiver check that it fails, 1 to 7. */
  readonly check: 1 | 2 | 3 | 4 | 5 | 6 | 7;
  /** Why it has to be refused. */
  readonly why: string;
  /** Clause of the contract or section of an RFC. */
  readonly source: string;
  /** Id of the sentence that a receiver violates that lets it pass. Default: the rule's main one. */
  readonly requirement?: string;
  /** Default: the level of the rule. */
  readonly level?: Level;
  /** Profile keys without which it cannot be made. */
  readonly needs?: readonly string[];
}

/** Whether the answer to a change depends on when it is sent: check 4 alone is about time. */
export function dependsOnTime(change: Change | Breakage): boolean {
  return "check" in change && change.check === 4;
}

/** A change that the contract is silent about: what the deployment does with it is recorded. */
export interface OpenChange extends Change {
  readonly level: "OBSERVE";
}
