import type { Control } from "./controls/control.ts";
import type { Controls } from "./controls/controls.ts";
import type { CaseData } from "./rule.ts";
import type { Session } from "./session.ts";

/** How a case is tried. */
export interface Trial {
  /** Whether it runs again to confirm a violation. Default: false. */
  readonly confirming?: boolean;
  /** Whether other cases may write at the same time. Default: false. */
  readonly besideWrites?: boolean;
  /** Whether its requests are sent before those of other cases. Default: false. */
  readonly urgent?: boolean;
  /** Whether each of its requests has a connection of its own. Default: false. */
  readonly apart?: boolean | undefined;
}

/** The probe of one case, and the controls that the case rests on. */
export interface CaseProbe<P, C> {
  readonly probe: P;
  readonly used: ReadonlySet<C>;
  /**
   * Milliseconds that the case has waited for time to pass so far. The wait of a shared fixture counts for the first case that
   * used it. Default: none.
   */
  readonly waitedMs?: number | undefined;
}

/** What can wait, and how long it has waited so far, in milliseconds; `undefined` where it has not. */
export interface Waiting {
  readonly session: Pick<Session, "wait">;
  waitedMs: number | undefined;
}

/** One run of one case: how it is tried, what it has at hand, and what it has used. */
export interface CaseRun extends Waiting, Trial {
  readonly session: Session;
  readonly controls: Controls;
  /** `<rule id>/<case id>`; names its requests. */
  readonly name: string;
  readonly testCase: CaseData;
  /** The controls that it rests on so far. */
  readonly used: Set<Control>;
}

/** Adds to the time that a case has waited, in milliseconds. `undefined` adds nothing. */
export function noteWaited(run: Pick<Waiting, "waitedMs">, ms: number | undefined): void {
  if (ms !== undefined) run.waitedMs = (run.waitedMs ?? 0) + ms;
}

/** Waits on behalf of a case, while others go on. An interrupted wait is not noted. */
export async function waitFor(run: Waiting, ms: number): Promise<void> {
  const began = performance.now();
  await run.session.wait(ms);
  noteWaited(run, performance.now() - began);
}
