import type { Controls } from "../probe/controls/controls.ts";
import type { Rule } from "../probe/rule.ts";
import type { Session } from "../probe/session.ts";
import type { Target } from "../profile/target.ts";
import type { BatchContext } from "./batch.ts";
import type { CaseResult, ExplorationNote } from "./events.ts";
import type { NamedCase } from "./select-cases.ts";

/** A run as exploration sees it, after its plan. */
export interface ToExplore {
  readonly session: Session;
  readonly controls: Controls;
  readonly context: BatchContext;
  readonly rules: readonly Rule[];
  /** Ids of the rules of which the run may report a case. */
  readonly reported: ReadonlySet<string>;
  /** The results so far. */
  readonly results: () => readonly CaseResult[];
  /** Requests that the run has sent to the receiver so far. */
  readonly requests: () => number;
}

/** What tries cases that no rule lists. */
export interface Exploration {
  /** Whether it runs in place of the plan. */
  readonly only: boolean;
  /** Ids of the rules that may own its cases. */
  readonly owners: ReadonlySet<string>;
  /** The cases of ids such as `receiver.issuer/explored-1-17`. Other ids have none. */
  casesOf(target: Target, rules: readonly Rule[], ids: readonly string[]): Promise<NamedCase[]>;
  /** Explores after the plan, and settles the violations that it finds. Absent where it is not asked for. */
  readonly explore?: ((run: ToExplore) => Promise<ExplorationNote>) | undefined;
}
