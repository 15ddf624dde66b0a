import { OPERATION_IDS, type OperationId, OPERATIONS } from "../contract/operations.ts";
import type { InvalidMutation, Mutation } from "../mutations/mutation.ts";
import type { Facts } from "../profile/facts.ts";
import type { Finding } from "./finding.ts";
import type { Probe } from "./probe.ts";
import { type AnyCase, type CaseControl, type CaseData, mayWrite, type RuleCase } from "./rule.ts";

const DECIDES: CaseControl = { bracket: "decides" };

/** A case that makes one mutation to the good request of one operation. */
export interface MutationCase<C extends Mutation = Mutation> extends CaseData {
  readonly operation: OperationId;
  readonly mutation: C;
}

/** A case whose judge gets a value beside the probe, such as that of a fixture. */
export interface CaseWith<T, P = Probe> extends CaseData {
  readonly judge: (probe: P, given: T) => Promise<Finding> | Finding;
}

/** Cases that one function judges by their data. */
export function judgedBy<C extends CaseData, P = Probe>(
  cases: readonly C[],
  judge: (probe: P, testCase: C) => Promise<Finding>,
): (C & Pick<AnyCase<P>, "judge">)[] {
  return cases.map((one) => ({ ...one, judge: (probe: P) => judge(probe, one) }));
}

/** Cases whose judges get what `find` finds. */
export function judgedWith<T>(
  cases: readonly CaseWith<T>[],
  find: (probe: Probe) => Promise<T>,
): RuleCase[] {
  return cases.map(({ judge, ...one }) => ({
    ...one,
    judge: async (probe) => judge(probe, await find(probe)),
  }));
}

/** The five operations below one organization. */
export const ORGANIZATION_OPERATIONS: readonly OperationId[] = OPERATION_IDS.filter(
  (id) => OPERATIONS[id].organization,
);

/** One case for each mutation on each operation, named `<mutation>@<operation>`. */
export function casesOn<C extends Mutation | InvalidMutation>(
  operations: readonly OperationId[],
  mutations: readonly C[],
): MutationCase<C>[] {
  return operations.flatMap((operation) =>
    mutations.map((mutation) => ({
      id: `${mutation.name}@${operation}`,
      title: mutation.what,
      operation,
      mutation,
      level: mutation.level,
      needs: mutation.needs,
      requirement: mutation.refused?.requirement,
      grounds: {
        why: mutation.refused?.why,
        source: mutation.refused?.source ?? mutation.source,
      },
    })),
  );
}

/** Cases on one operation, named `<id>@<operation>`. */
export function onOperation<C extends CaseData>(
  operation: OperationId,
  cases: readonly Omit<C, "operation">[],
): C[] {
  return cases.map(
    ({ id, title, ...one }) => ({ id: `${id}@${operation}`, title, operation, ...one }) as C,
  );
}

/** A case for each mutation on each operation, which must be rejected; `options` are those of `Probe.rejects`. */
export function rejects(
  operations: readonly OperationId[],
  mutations: readonly (Mutation | InvalidMutation)[],
  options?: Parameters<Probe["rejects"]>[1],
): (MutationCase & RuleCase)[] {
  return custom(operations, mutations, (probe, { mutation }) =>
    probe.rejects(mutation, options),
  ).map((one) => besideOthers(options?.doubt ? one : { ...one, control: DECIDES }));
}

/**
 * A case whose writes, if it makes any, may go beside others; see `CaseData.writes`. Not if it is only observed, because they may then
 * well be accepted.
 */
export function besideOthers<C extends CaseData>(testCase: C): C {
  return testCase.level !== "OBSERVE" && mayWrite(testCase)
    ? { ...testCase, writes: "beside" }
    : testCase;
}

/** The cases as an ordinary client sends them, without the marks of the suite, named `<what>-unmarked@<operation>`. */
export function unmarked<C extends CaseData>(cases: readonly C[]): C[] {
  return cases.map((one) => ({
    ...one,
    id: one.id.replace("@", "-unmarked@"),
    title: `${one.title ?? one.id}; sent as an ordinary client, without the suite's marks`,
    control: { ...one.control, unmarked: true },
  }));
}

/** A case for each mutation on each operation, which must be accepted as the good request is. */
export function accepts(
  operations: readonly OperationId[],
  mutations: readonly Mutation[],
): (MutationCase & RuleCase)[] {
  return custom(operations, mutations, (probe, { mutation }) => probe.accepts(mutation)).map(
    (one) => ({ ...one, control: DECIDES }),
  );
}

/** A case for each mutation on each operation, judged by a function; `more` is what else they all have. */
export function custom<C extends Mutation | InvalidMutation>(
  operations: readonly OperationId[],
  mutations: readonly C[],
  judge: (probe: Probe, testCase: MutationCase<C>) => Promise<Finding>,
  more: Omit<CaseData, "id" | "operation" | "mutation"> = {},
): (MutationCase<C> & RuleCase)[] {
  const cases = casesOn(operations, mutations).map((one) => ({ ...one, ...more }));
  return judgedBy(cases, judge);
}

/**
 * One read and one write that the deployment offers, for a long list of exotic mutations. If the routes of a receiver
 * differ, they differ in whether they check tokens, not in how.
 * @param among the operations to choose from; default: all
 */
export function oneReadOneWrite(
  facts: Facts,
  among: readonly OperationId[] = OPERATION_IDS,
): OperationId[] {
  const offered = among.filter((id) => facts.operations[id]);
  const preferred = (ids: readonly OperationId[]): OperationId[] =>
    ids.filter((id) => offered.includes(id)).slice(0, 1);
  return [
    ...preferred(["viewOrganization", "listOrganizations", "readChangesFeed", "readChange"]),
    ...preferred(["editOrganization", "submitChange"]),
  ];
}

/** One read that the deployment offers, or a write if it offers no read. */
export function oneRead(facts: Facts): OperationId[] {
  return oneReadOneWrite(facts).slice(0, 1);
}
