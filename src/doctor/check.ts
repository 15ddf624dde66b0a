import type { OperationId } from "../contract/operations.ts";
import type { Controls } from "../probe/controls/controls.ts";
import { createProbe } from "../probe/create-probe.ts";
import type { Probe } from "../probe/probe.ts";
import type { Session } from "../probe/session.ts";
import type { Target } from "../profile/target.ts";
import type { Setup } from "../setup/diagnose.ts";
import {
  SETUP_CHECKS,
  type SetupCheck,
  type SetupFault,
  type Responsible,
} from "../setup/fault.ts";

/**
 * One check of the set-up before a run.
 * - `ok`: as a run needs it
 * - `problem`: not as a run needs it; `remedy` says what to change, and `side` where
 * - `violation`: a run comes to a verdict, and it is that the contract is violated; `remedy` says what to change
 * - `unknown`: it cannot be known yet, or not without writing; `detail` says why
 */
export interface Check {
  /** `<group>.<name>`; stable, for scripts. */
  readonly id: string;
  readonly title: string;
  readonly state: "ok" | "problem" | "violation" | "unknown";
  readonly detail: string;
  readonly remedy?: string | undefined;
  readonly side?: Responsible | undefined;
}

/** What a check is called. */
export type Line = Pick<Check, "id" | "title">;

/** What checks work with once the deployment has answered. Its session never writes; see `tryWrites`. */
export interface Bench {
  /** As the profile describes it; `session.target` is the same without consent to writes. */
  readonly target: Target;
  readonly session: Session;
  readonly controls: Controls;
  readonly setup: Setup;
}

const ORDER = Object.keys(SETUP_CHECKS);

/** The first fault that blocks good requests. Every check after it is unknown. */
export function blockingFault({ faults }: Setup): SetupFault | undefined {
  return faults.find(({ check }) => check !== "clock");
}

/**
 * One link in the chain that a good request has to pass. Links before the blocking fault are ok, the faulty
 * link is a problem, and links after it are unknown.
 * @param passed the detail to show when the check is ok
 * @param about the detail to show when the check is unknown
 */
export function link(
  check: SetupCheck,
  line: Line,
  fault: SetupFault | undefined,
  passed: string,
  about?: string,
): Check {
  if (fault?.check === check) return broken(line, fault);
  const behind = fault && ORDER.indexOf(check) > ORDER.indexOf(fault.check);
  return behind ? waiting(line, fault, about) : ok(line, passed);
}

/** The check for a fault, with the deployment's own words if there are any. */
export function broken(line: Line, fault: SetupFault): Check {
  const { problem, remedy, side, said } = fault;
  const detail = said === undefined ? problem : `${problem} It says: ${said}`;
  return { ...line, state: "problem", detail, remedy, side };
}

/** A check that cannot be judged until a fault is fixed. */
export function waiting(line: Line, { check }: SetupFault, what?: string): Check {
  const why = `known once ${SETUP_CHECKS[check]} is right`;
  return unknown(line, what === undefined ? why : `${what}: ${why}`);
}

export function ok(line: Line, detail: string): Check {
  return { ...line, state: "ok", detail };
}

/** @param detail why it is not known */
export function unknown(line: Line, detail: string): Check {
  return { ...line, state: "unknown", detail };
}

/** The operations that accept a good token, in the order in which they were tried. */
export function acceptedOperations({ setup }: Bench): OperationId[] {
  return [...setup.results].flatMap(([id, result]) => ("control" in result ? [id] : []));
}

/** A probe whose requests carry `Conformance-Case: doctor/<name>`. */
export function probeOf({ session, controls }: Bench, name: string, operation: OperationId): Probe {
  return createProbe(session, controls, `doctor/${name}`, { id: name, operation }).probe;
}
