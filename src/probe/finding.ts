import type { Level } from "../contract/levels.ts";
import type { Need } from "../profile/need.ts";
import type { Difference } from "./difference.ts";
import type { Phrase } from "./phrase.ts";

/** What a finding rests on, as ids of exchanges. */
export interface Evidence {
  readonly probes: readonly string[];
  /** Accepted requests that the probes differ from in one thing; the last one follows the probes. */
  readonly controls?: readonly string[] | undefined;
  /** Every place in which the one thing that differed shows. */
  readonly differences?: readonly Difference[] | undefined;
}

/**
 * Whether a violation needs to be seen again: `proof` is what had to be rejected and was accepted,
 * for which once is enough wherever time plays no part; `many` was seen in several responses.
 */
export type Certainty = "proof" | "many";

/** A reason that programs tell apart: the run may not write again; the request brought the deployment down. */
export type UndecidedCode = "write-limit" | "crash";

/**
 * What a probe saw. How bad it is follows from the level of the case and is no business of the rule:
 * - `pass`: the requirement was seen to hold
 * - `fail`: it was seen not to; `atMost` caps the level where the contract does
 * - `inconclusive`: the probe ran, but proves nothing
 * - `observed`: the contract is silent; this is what the deployment does
 * - `not-provisioned`: the profile lacks these keys
 * - `not-applicable`: the deployment has no such thing
 */
export type Finding =
  | { readonly kind: "pass"; readonly reason?: Phrase; readonly evidence?: Evidence }
  | {
      readonly kind: "fail";
      readonly expected: Phrase;
      readonly actual: Phrase;
      readonly evidence?: Evidence;
      readonly atMost?: Level;
      /** Default: it rests on one response, and is confirmed by repeating the case. */
      readonly certainty?: Certainty;
      /** It is a violation only beside a control that was accepted after it too. */
      readonly comparative?: boolean;
    }
  | {
      readonly kind: "inconclusive";
      readonly reason: Phrase;
      /** Why, for programs. */
      readonly code?: UndecidedCode;
      readonly evidence?: Evidence;
    }
  | { readonly kind: "observed"; readonly value: Phrase; readonly evidence?: Evidence }
  | { readonly kind: "not-provisioned"; readonly keys: readonly Need[] }
  | { readonly kind: "not-applicable"; readonly reason: Phrase };
