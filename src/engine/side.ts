import { OPERATIONS } from "../contract/operations.ts";
import type { HttpOptions } from "../http/client.ts";
import type { Controls } from "../probe/controls.ts";
import type { Finding } from "../probe/finding.ts";
import type { RuleCase } from "../probe/rule-case.ts";
import type { Side } from "../probe/rule.ts";
import type { Session } from "../probe/session.ts";
import type { TokenSource } from "../probe/token-source.ts";
import type { WriteRoom } from "../probe/write/writes.ts";
import type { Target } from "../profile/target.ts";
import type { PlannedCase } from "./plan.ts";

/** Where a case sends its requests. Those of the receiver are the contract's operations. */
export interface Endpoint {
  readonly id: string;
  readonly side: Side;
  /** Whether a request to it changes the deployment when it is accepted. */
  readonly writes: boolean;
}

/** The endpoint of a case; `undefined` where it is about a side as a whole. */
export function endpointOf({
  rule,
  testCase,
}: Pick<PlannedCase, "rule" | "testCase">): Endpoint | undefined {
  const side = rule.side ?? "receiver";
  const { operation, endpoint }: RuleCase = testCase;
  if (operation !== undefined) return { id: operation, side, writes: OPERATIONS[operation].writes };
  return endpoint === undefined ? undefined : { id: endpoint, side, writes: false };
}

/** A case's own probe, and the controls that it has leaned on. */
export interface SideProbe<Control> {
  readonly probe: unknown;
  readonly used: ReadonlySet<Control>;
  /** How long the case has waited for time to pass so far, in milliseconds. Default: not at all. */
  readonly waitedMs?: number | undefined;
}

/** One side of a run, as the kernel deals with it; what a control is, the side alone knows. */
export interface SideRun<Control = unknown> {
  readonly side: Side;
  /** Makes the probe for one case. */
  createProbe(planned: PlannedCase, confirming: boolean): SideProbe<Control>;
  /** What a control was accepted at, as a word. */
  nameOf(control: Control): string;
  /**
   * Sends a control again, after the probes that leaned on it.
   * @param label tells this sending from others of the same control
   * @returns the exchange that accepted it, why it was not accepted, or what becomes of all that rests on it
   */
  repeat(
    control: Control,
    label: string,
  ): Promise<{ exchange: string } | { refused: string; exchange?: string } | { instead: Finding }>;
  /**
   * Begins a stage of cases that write where this one does, and must be rejected.
   * @returns how many requests they may send side by side, even if all are accepted; default: one
   */
  beginWritingStage?(planned: PlannedCase): WriteRoom | undefined;
  /** Its cases go one after the other, and its controls are repeated once, at the end of a phase. */
  readonly sequential: boolean;
}

/** What a run has for a further side. */
export interface SideContext {
  readonly target: Target;
  /** For the HTTP clients of the side's own origins. */
  readonly http: Pick<HttpOptions, "signal" | "userAgent" | "onExchange">;
  /** The receiver, as a side may have to show it something; not before the side is open. */
  readonly receiver: () => { readonly session: Session; readonly controls: Controls };
}

/** Good tokens that others issue. */
export interface IssuedTokenSource extends TokenSource {
  /** The target with what the first token and the issuer's JWKS tell of who issues them. */
  describe(): Promise<Target>;
}

/** A further side, from its opening to its end. */
export interface OpenSide {
  /** How its cases are probed; absent where it has none. */
  readonly run?: SideRun | undefined;
  /** The source of good tokens, where the profile says that they are issued. */
  readonly tokens?: IssuedTokenSource | undefined;
  /** Requests sent so far. */
  readonly requests: number;
  close(): Promise<void>;
}

/** Opens a side; `undefined` where the profile names no such thing. */
export type SideOpener = (context: SideContext) => OpenSide | undefined;
