import type { Side } from "../contract/ids.ts";
import type { HttpOptions } from "../http/client.ts";
import type { How } from "../http/second-tries.ts";
import type { CaseProbe, Trial } from "../probe/case-run.ts";
import type { Controls } from "../probe/controls/controls.ts";
import type { Finding } from "../probe/finding.ts";
import type { Phrase } from "../probe/phrase.ts";
import type { Session } from "../probe/session.ts";
import type { TokenSource } from "../probe/token-source.ts";
import type { WriteGrant } from "../probe/write/budget.ts";
import type { Target } from "../profile/target.ts";
import type { PlannedCase } from "./plan.ts";

/** One side of a run. Only the side knows what its controls are. */
export interface SideRun<Control = unknown> {
  readonly side: Side;
  createProbe(planned: PlannedCase, trial: Trial, grant?: WriteGrant): CaseProbe<unknown, Control>;
  /** The name of the endpoint that accepted a control. */
  nameOf(control: Control): string;
  /** Sends a control again after the probes that rest on it; see `Controls.repeat`. */
  repeat(
    control: Control,
    label: string,
    how: readonly How[],
  ): Promise<
    { exchange: string } | { refused: string | Phrase; exchange?: string } | { instead: Finding }
  >;
  /** Checks a finding at once against controls that are sent again; see `checkedAtOnce`. Default: it stays as it is. */
  checkAtOnce?(
    planned: PlannedCase,
    finding: Finding,
    used: ReadonlySet<Control>,
  ): Promise<Finding>;
  /**
   * Begins a stage of cases that write to the same endpoint and must be rejected.
   * @returns what they may do; default: they go one after another
   */
  beginWritingStage?(planned: PlannedCase): WriteGrant | undefined;
  /** Whether its cases run one by one, its controls repeated once at the end of a phase. */
  readonly sequential: boolean;
}

/** What a run gives to a further side. */
export interface SideContext {
  readonly target: Target;
  /** For the HTTP clients of the side's own origins. */
  readonly http: Pick<
    HttpOptions,
    "signal" | "enough" | "onExchange" | "onWait" | "secrets" | "onGivingUp" | "mostLostMs"
  >;
  /** The receiver, to which a side may send. Throws TypeError before cases run. */
  readonly receiver: () => { readonly session: Session; readonly controls: Controls };
}

/** A source of good tokens that an authorization server or a command issues. */
export interface IssuedTokenSource extends TokenSource {
  /** The target, completed with what the first token and the issuer's JWKS show. */
  describe(): Promise<Target>;
}

/** An open side. */
export interface OpenSide {
  /** How its cases run; absent where it has none. */
  readonly run?: SideRun | undefined;
  /** The source of good tokens, where the profile says that they are issued. */
  readonly tokens?: IssuedTokenSource | undefined;
  readonly requests: number;
  /** Requests that were not sent again, because the time for waiting was used up; see `Patience`. */
  readonly unwaited: number;
  close(): Promise<void>;
}

/** Opens a side; `undefined` where the profile does not describe it. */
export type SideOpener = (context: SideContext) => OpenSide | undefined;
