import { areaOf, sideOfId } from "../../contract/ids.ts";
import type { Call, CheckName } from "../model.ts";
import { accepting, type Received } from "../received.ts";
import type { Patch } from "../steps.ts";
import { SUBJECT } from "../store.ts";

/** One way in which real receivers break the contract: other functions in place of some steps. */
export type Fault = Patch & {
  /** Unique, kebab-case; a fault on one route alone ends in `-on-<operation>`. */
  readonly name: string;
  /** What the receiver does wrong, in one line: a verb and its objects, "Compares `aud` by prefix". */
  readonly title: string;
  /** The rule that owns the fault and must notice it. */
  readonly rule: string;
  /** How an implementation gets it. */
  readonly how: string;
  /** Set if the rule cannot fail, because nothing can be concluded from such a receiver. */
  readonly seenAs?: "inconclusive";
  /** The words of the rule's observation that show the fault, for a rule that never judges. */
  readonly observed?: string;
  /** Whether only its answers tell it from other faults, and not the cases that it breaks. Default: false. */
  readonly byAnswer?: boolean;
  /** A published case: a CVE or an issue. */
  readonly source?: string;
  /** The variants that the fault needs, if the plain receiver lacks the feature. */
  readonly variants?: readonly string[];
};

/** A fault whose rule may be named for a whole list. */
export type UnownedFault = Omit<Fault, "rule"> & Partial<Pick<Fault, "rule">>;

/** Faults of one rule, but for those that name another. */
export function ownedBy(rule: string, faults: readonly UnownedFault[]): Fault[] {
  return faults.map((fault) => ({ rule, ...fault }));
}

/** What a fault says of itself beside its name. */
export type FaultWords = Omit<UnownedFault, keyof Patch | "name">;

/** The words of a fault, and what it concerns. */
export type When<Args extends readonly unknown[]> = FaultWords & {
  readonly when: (...args: Args) => boolean;
};

/** Whether the fault is in the receiver's OpenAPI document, which is served only with faults of this kind. */
export function isOfDocument({ rule }: Fault): boolean {
  return areaOf(rule) === "document";
}

/** Whether it is a fault of the authorization server. */
export function isOfServer({ rule }: Fault): boolean {
  return sideOfId(rule) === "authorization-server";
}

/** The checks for a caller that is taken for the service itself: the organization exists. */
export function trusted(call: Call): readonly CheckName[] {
  call.claims = { sub: SUBJECT };
  return ["findOrganization"];
}

/** A fault with which a receiver takes some callers for the service itself. */
export function trusting(name: string, { when, ...words }: When<[Call]>): UnownedFault {
  return {
    ...words,
    name,
    checks: (original) => (call) => (when(call) ? trusted(call) : original(call)),
  };
}

/** The call as if its path named another organization. */
export function showing(call: Call, id: string | undefined): Call {
  return { ...call, organization: call.receiver.store.organizations.get(id ?? "") };
}

/** A fault of check 1: it also accepts every token for which `when` returns true. */
export function accepts(
  name: string,
  {
    when,
    ...words
  }: FaultWords & { readonly when: (token: Received, call: Call) => boolean | Promise<boolean> },
): Fault {
  return { rule: "receiver.signature", ...words, name, verifySignature: accepting(when) };
}
