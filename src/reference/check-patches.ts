import type { OperationId } from "../contract/operations.ts";
import type { Call, Check, CheckName } from "./model.ts";
import { reject } from "./reject.ts";

/** Makes another check of a check. */
export type CheckPatch = (original: Check) => Check;

/** A patch that leaves a check out. */
export function skipped(): Check {
  return () => {};
}

/** A patch with which a check also passes every call that fulfils the condition. */
export function passing(condition: (call: Call) => boolean): CheckPatch {
  return (original) => (call) => (condition(call) ? undefined : original(call));
}

/** A patch with which a check also refuses every call that fulfils the condition. */
export function refusing(check: CheckName, condition: (call: Call) => boolean): CheckPatch {
  return (original) => (call) => {
    if (!condition(call)) return original(call);
    throw reject(call, check, "The access token is not of the required kind.");
  };
}

/** Whether a step refuses a call. */
export function fails(step: (call: Call) => unknown, call: Call): boolean {
  try {
    step(call);
    return false;
  } catch {
    return true;
  }
}

/** Limits a patch to the calls that fulfil the condition. */
export function onlyIf<Result>(
  condition: (call: Call) => boolean,
  patch: (original: (call: Call) => Result) => (call: Call) => Result,
): (original: (call: Call) => Result) => (call: Call) => Result {
  return (original) => {
    const replacement = patch(original);
    return (call) => (condition(call) ? replacement(call) : original(call));
  };
}

/** Limits a patch to one operation, as if a guard was forgotten on one route. */
export function onlyOn<Result>(
  operation: OperationId,
  patch: (original: (call: Call) => Result) => (call: Call) => Result,
): (original: (call: Call) => Result) => (call: Call) => Result {
  return onlyIf((call) => call.operation === operation, patch);
}
