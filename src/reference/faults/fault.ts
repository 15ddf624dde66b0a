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
  /**
   * What a run's requests show of it, in the same form, where they do not show that it does what the title says: other faults show so too.
   * A diagnosis says this, and the title as an example. Default: the title.
   */
  readonly shows?: string;
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

/** A fault as it stands under its name. */
export type OwnedFault = Omit<Fault, "name">;

/** A fault whose rule may be named for a whole record of faults. */
export type FaultEntry = Omit<OwnedFault, "rule"> & Partial<Pick<Fault, "rule">>;

/** Faults by name, in the order in which they are listed. */
export type Faults = Readonly<Record<string, OwnedFault>>;

/** Faults of one rule, but for those that name another. */
export function ownedBy(rule: string, faults: Readonly<Record<string, FaultEntry>>): Faults {
  return Object.fromEntries(
    Object.entries(faults).map(([name, fault]) => [name, { rule, ...fault }]),
  );
}

/** Faults that are alike, one or more for each of several things. */
export function ofEach<Thing, Entry extends FaultEntry>(
  things: readonly Thing[],
  faultsOf: (thing: Thing) => Readonly<Record<string, Entry>>,
): Readonly<Record<string, Entry>> {
  return Object.fromEntries(things.flatMap((thing) => Object.entries(faultsOf(thing))));
}

/** A fault of some requests, for a function that makes the rest of it. */
export type When<Args extends readonly unknown[]> = FaultEntry & {
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
export function trusting({ when, ...fault }: When<[Call]>): FaultEntry {
  return {
    ...fault,
    checks: (original) => (call) => (when(call) ? trusted(call) : original(call)),
  };
}

/** The call as if its path named another organization. */
export function showing(call: Call, id: string | undefined): Call {
  return { ...call, organization: call.receiver.store.organizations.get(id ?? "") };
}

/** A fault of check 1: it also accepts every token for which `when` returns true. */
export function accepts({
  when,
  ...fault
}: FaultEntry & {
  readonly when: (token: Received, call: Call) => boolean | Promise<boolean>;
}): OwnedFault {
  return { rule: "receiver.signature", ...fault, verifySignature: accepting(when) };
}
