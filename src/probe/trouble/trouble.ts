import type { TurnPattern } from "./in-turn.ts";
import type { KeptRefusals } from "./kept-refusals.ts";

/**
 * What the cases of the phase `trouble` have recognised: why good requests were refused or lost, although nothing was wrong
 * with them. What is not recognised is absent.
 */
export interface Trouble {
  /** Good requests are refused in turn. */
  inTurn?: TurnPattern;
  /** A refusal is given again to good requests with the same URL. From then on, the run waits until it is over; see `Pauses`. */
  keptRefusals?: KeptRefusals;
}
