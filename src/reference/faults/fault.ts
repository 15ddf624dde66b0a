import type { OperationId } from "../../contract/operations.ts";
import type { Call, Check, CheckName } from "../model.ts";
import { reject } from "../reject.ts";
import type { Patch } from "../steps.ts";
import { SUBJECT } from "../store.ts";

/** One way in which real receivers break the contract: another function in place of one step. */
export type Fault = Patch & {
  /** Unique, kebab-case; a fault on one route alone ends in `-on-<operation>`. */
  readonly name: string;
  /** What the receiver does wrong, in one line: a verb and its objects, "Compares `aud` by prefix". */
  readonly title: string;
  /** The rule that owns the fault and must notice it. */
  readonly rule: string;
  /** How an implementation comes to have it. */
  readonly how: string;
  /** How the rule takes notice where it cannot fail: nothing can be concluded from a receiver like this. */
  readonly seenAs?: "inconclusive";
  /** The words of the rule's observation that tell it, where the rule judges nothing. */
  readonly observed?: string;
  /** A published case: a CVE or an issue. */
  readonly source?: string;
  /** Further steps, where one mistake shows in more than one. */
  readonly more?: readonly Patch[];
  /** The variants that it is a fault of, where the plain receiver has no such thing. */
  readonly variants?: readonly string[];
};

/** A patch that leaves a check out. */
export function skipped(): Check {
  return () => {};
}

/** A patch with which a check lets pass, besides what it should, every call of which something is true. */
export function passing(condition: (call: Call) => boolean): (original: Check) => Check {
  return (original) => (call) => (condition(call) ? undefined : original(call));
}

/** A patch with which a check refuses, besides what it should, every call of which something is true. */
export function refusing(
  check: CheckName,
  condition: (call: Call) => boolean,
): (original: Check) => Check {
  return (original) => (call) => {
    if (!condition(call)) return original(call);
    throw reject(call, check, "The access token is not of the kind that is wanted here.");
  };
}

/** Limits a patch to one operation: the guard that was forgotten on one route. */
export function onlyOn<Result>(
  operation: OperationId,
  patch: (original: (call: Call) => Result) => (call: Call) => Result,
): (original: (call: Call) => Result) => (call: Call) => Result {
  return (original) => {
    const replacement = patch(original);
    return (call) => (call.operation === operation ? replacement(call) : original(call));
  };
}

/** The checks of a caller that is taken for the service itself: none but that the organization exists. */
export function trusted(call: Call): readonly CheckName[] {
  call.claims = { sub: SUBJECT };
  return ["findOrganization"];
}
