import { OPERATION_IDS, type OperationId, OPERATIONS } from "../../../src/contract/operations.ts";
import { combine, type InvalidMutation, type Mutation } from "../../../src/mutations/mutation.ts";
import { Finding, type FindingOf } from "../../../src/probe/finding.ts";
import type { Phrase } from "../../../src/probe/phrase.ts";
import type { Attempt, Fixture, Probe } from "../../../src/probe/probe.ts";
import { describeReply, hungUp, reception } from "../../../src/probe/reception.ts";
import type { CaseData } from "../../../src/probe/rule.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import { noCredentials } from "../../shared/mutations/credentials.ts";

export type RejectOptions = NonNullable<Parameters<Probe["rejects"]>[1]>;

/** Where and how a mutation for one receiver check is judged, known before the run. */
export interface CheckOptions extends Pick<RejectOptions, "bound" | "status"> {
  /** Whether the mutation takes effect on the denied organization. Default: false. */
  readonly onDenied?: boolean;
  /** Why an answer proves nothing; see `Probe.rejects`. */
  readonly doubt?: (probe: Probe, attempt: Attempt) => Promise<Finding | undefined>;
}

/** The options of a check as `Probe.rejects` takes them: `onDenied` becomes the denied organization of the profile. */
export function rejectOptions(
  probe: Probe,
  { onDenied = false, doubt, ...options }: CheckOptions,
): RejectOptions {
  return {
    ...options,
    ...(onDenied && { organization: probe.target.denied?.organization }),
    ...(doubt && { doubt: (attempt) => doubt(probe, attempt) }),
  };
}

/** Where one operation stands for all: the first that the target has. */
const READS = ["viewOrganization", "listOrganizations", "readChangesFeed"] as const;
export const EVERY_READ: readonly OperationId[] = [...READS, "readChange"];
export const EVERY_WRITE: readonly OperationId[] = ["submitChange", "editOrganization"];

/** One read of the target on which a check can be tried, as a list; empty where there is none. */
export function readFor(facts: Facts, options: CheckOptions): readonly OperationId[] {
  return operationsFor(facts, options, READS).slice(0, 1);
}

/** The operations of the target, of all or of these, on which a check can be tried. */
export function operationsFor(
  facts: Facts,
  options: CheckOptions,
  among: readonly OperationId[] = OPERATION_IDS,
): readonly OperationId[] {
  return among.filter((id) => canCheck(facts, id, options));
}

function canCheck({ operations, denied }: Facts, id: OperationId, options: CheckOptions): boolean {
  return (
    operations[id] !== undefined &&
    (options.bound !== true || OPERATIONS[id].organization) &&
    (options.onDenied !== true || denied === undefined || denied.operations.includes(id))
  );
}

/**
 * The value of a fixture, or why there is none. A fixture is set up once, and a lost answer may be answered when it is sent
 * again, so this case tries that.
 */
export async function usedOrAnew<T extends object>(
  probe: Probe,
  fixture: Fixture<T | Finding>,
): Promise<T | Finding> {
  const known = await probe.use(fixture);
  return "kind" in known && known.kind === "inconclusive" ? fixture.setup(probe) : known;
}

/**
 * Why a good request of another kind can be no control; `undefined` where it was accepted.
 * @param refused why, where it was refused
 */
export function unlessServed(
  { reply, evidence }: Pick<Attempt, "reply" | "evidence">,
  refused: Phrase,
): FindingOf<"inconclusive" | "not-applicable"> | undefined {
  // Many servers close the connection of a request that they find odd.
  if (hungUp(reply)) return Finding.notApplicable(refused);
  switch (reception(reply)) {
    case "accepted":
      return undefined;
    case "unclear":
      return Finding.inconclusive(describeReply(reply), evidence);
    default:
      return Finding.notApplicable(refused);
  }
}

/**
 * What cases in a way of their own depend on beside their rule. A guard that lets all tokens through there lets a request
 * without one through too, which is the case `missing-<way>` of `receiver.token-required`.
 */
export function afterTokenless(
  mutation: InvalidMutation,
  way: string,
): Pick<CaseData, "dependsOn"> {
  return mutation === noCredentials
    ? {}
    : { dependsOn: [`receiver.token-required/${noCredentials.name}-${way}`] };
}

/** A mutation in a way of its own, named `<mutation>-<way>`. */
export function inWay(mutation: InvalidMutation, way: string, what: string): InvalidMutation {
  return { ...mutation, name: `${mutation.name}-${way}`, what: `${mutation.what}; ${what}` };
}

/** A mutation in a request that another one changes too. */
export function alsoChanged(
  mutation: InvalidMutation,
  other: Mutation,
  name: string = mutation.name,
): InvalidMutation {
  return { ...mutation, ...combine(mutation, other), name };
}

/** A mutation in a request that another one changes too, named `<mutation>-<other>`. */
export function near(mutation: InvalidMutation, other: Mutation): InvalidMutation {
  return alsoChanged(mutation, other, `${mutation.name}-${other.name}`);
}
