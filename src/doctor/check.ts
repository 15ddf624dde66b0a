import type { OperationId } from "../contract/operations.ts";
import type { Controls } from "../probe/controls.ts";
import { createProbe } from "../probe/create-probe.ts";
import type { Probe } from "../probe/probe.ts";
import type { Session } from "../probe/session.ts";
import type { Target } from "../profile/target.ts";
import type { Setup } from "../setup/diagnose.ts";
import { SETUP_CHECKS, type SetupCheck, type SetupFault, type Side } from "../setup/fault.ts";

/**
 * One thing that was looked at before a run.
 * - `ok`: it is as a run needs it
 * - `problem`: it is not; `remedy` says what to change, and `side` where
 * - `unknown`: it cannot be known yet, or not without writing; `detail` says why
 */
export interface Check {
  /** `<group>.<what>`; stable, for scripts. */
  readonly id: string;
  readonly title: string;
  readonly state: "ok" | "problem" | "unknown";
  readonly detail: string;
  readonly remedy?: string | undefined;
  readonly side?: Side | undefined;
}

/** What checks work with, once somebody has answered. Nothing of it ever writes. */
export interface Bench {
  /** As the profile has it; `session.target` is the same without consent to writes. */
  readonly target: Target;
  readonly session: Session;
  readonly controls: Controls;
  readonly setup: Setup;
}

const NAMES: Readonly<Record<SetupCheck, string>> = {
  reachable: "the base URL",
  tls: "TLS",
  redirect: "the base URL",
  available: "an answer",
  answers: "the base URL",
  token: "a good token",
  key: "the key",
  issuer: "the issuer",
  audience: "the audience",
  expiry: "the clock",
  subject: "the subject",
  primary: "the organization",
  clock: "the clock",
};

/** A fault that keeps good requests out, with everything after it unknown. */
export function blockingFault({ faults }: Setup): SetupFault | undefined {
  return faults.find(({ check }) => check !== "clock");
}

/**
 * The line of one link in the chain that a good request has to pass: before the fault it holds, at
 * the fault it is broken, and behind it nothing is known.
 * @param ok what is said where it holds
 * @param about what it is about, said where it is not known
 */
export function link(
  check: SetupCheck,
  line: Pick<Check, "id" | "title">,
  fault: SetupFault | undefined,
  ok: string,
  about?: string,
): Check {
  if (fault?.check === check) return broken(line, fault);
  const behind = fault && SETUP_CHECKS.indexOf(check) > SETUP_CHECKS.indexOf(fault.check);
  return behind ? { ...line, ...waiting(fault, about) } : { ...line, state: "ok", detail: ok };
}

/** The line of what is wrong, with the deployment's own words for it where there are any. */
export function broken(line: Pick<Check, "id" | "title">, fault: SetupFault): Check {
  const { problem, remedy, side, said } = fault;
  const detail = said === undefined ? problem : `${problem} It says: ${said}`;
  return { ...line, state: "problem", detail, remedy, side };
}

/** What cannot be judged before a fault is mended. */
export function waiting(
  { check }: SetupFault,
  what?: string,
): { readonly state: "unknown"; readonly detail: string } {
  const why = `${NAMES[check]} comes first`;
  return { state: "unknown", detail: what === undefined ? why : `${what}: ${why}` };
}

/** A probe whose requests carry `Conformance-Case: doctor/<name>`. */
export function probeOf({ session, controls }: Bench, name: string, operation: OperationId): Probe {
  return createProbe(session, controls, `doctor/${name}`, { id: name, operation }, false).probe;
}
