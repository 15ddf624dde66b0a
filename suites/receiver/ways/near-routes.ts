import type { OperationId } from "../../../src/contract/operations.ts";
import { combine, type InvalidMutation, type Mutation } from "../../../src/mutations/mutation.ts";
import { custom, type MutationCase } from "../../../src/probe/cases.ts";
import { Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Fixture, Probe } from "../../../src/probe/probe.ts";
import { describeReply, reception } from "../../../src/probe/reception.ts";
import type { RuleCase } from "../../../src/probe/rule.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import { doesNotApply } from "../../shared/kind.ts";
import { noCredentials } from "../../shared/mutations/credentials.ts";
import { respelledPaths } from "../mutations/guard-bypass.ts";
import { type CheckOptions, near, readFor, rejectOptions } from "./check-options.ts";
import { doesNotReach } from "./expect-not-reached.ts";

/**
 * Requests that are not exactly a route of the contract, but that many servers answer like one. A check may be attached to
 * the exact route only.
 */

/** HEAD is answered like GET, but without a body, RFC 9110 §9.3.2. */
export const byHead: Mutation = {
  name: "head",
  what: "the method is HEAD",
  request: (spec) => ({ ...spec, method: "HEAD" }),
};

const withSlash: Mutation = {
  name: "trailing-slash",
  what: "the path ends in a slash",
  request: (spec) => ({ ...spec, path: `${spec.path}/` }),
};

/**
 * A case for a mutation that must be rejected on a HEAD request too, `<mutation>-head@<operation>`. SHOULD, because the
 * contract does not have the method. It applies where HEAD without a token is refused, as GET is.
 */
export function rejectsByHead(
  facts: Facts,
  mutation: InvalidMutation,
  options: CheckOptions = {},
): RuleCase[] {
  const judge = async (probe: Probe, testCase: MutationCase): Promise<Finding> => {
    const { form } = await probe.control(testCase.operation, { bound: options.bound });
    await probe.use(guardOfHead(testCase.operation));
    const { status: _, ...where } = rejectOptions(probe, options);
    // The status of a refusal is judged on the route itself.
    return probe.rejects(testCase.mutation, { ...where, bound: form.bound });
  };
  return custom(readFor(facts, options), [near(mutation, byHead)], judge, { level: "SHOULD" });
}

/**
 * A case for a mutation that must not show the organization on a path that ends in a slash,
 * `<mutation>-trailing-slash@viewOrganization`. Any answer is fine that does not show it.
 */
export function hidesBehindSlash(mutation: InvalidMutation): RuleCase[] {
  return hidesOn([withSlash], mutation);
}

/** Cases for a mutation that must not show the organization on paths that are spelled in another way, `<mutation>-path-<name>@viewOrganization`. */
export function hidesOnRespelledPaths(mutation: InvalidMutation): RuleCase[] {
  const dependsOn = respelledPaths.flatMap(({ name }) => [
    `receiver.token-required/${name}`,
    // Where nobody verifies the token, its claims prove nothing.
    ...(mutation.refused.check === "signature" ? [] : [`receiver.signature/forged-${name}`]),
  ]);
  return hidesOn(respelledPaths, mutation, dependsOn);
}

function hidesOn(
  paths: readonly Mutation[],
  mutation: InvalidMutation,
  dependsOn?: readonly string[],
): RuleCase[] {
  const respelled = paths.map((path) => near(mutation, path));
  return custom(["viewOrganization"], respelled, hides, { dependsOn });
}

async function hides(probe: Probe, { mutation }: MutationCase): Promise<Finding> {
  const attempt = await probe.attempt(mutation);
  return doesNotReach(probe, attempt, await probe.organization("primary"));
}

/** Ends the case unless HEAD without a token is refused; else HEAD shows nothing about the checks of an operation. */
function guardOfHead(operation: OperationId): Fixture<void> {
  return {
    name: `HEAD of ${operation} without a token`,
    scope: "run",
    async setup(probe) {
      const { reply } = await probe.attempt(combine(noCredentials, byHead), { operation });
      if (reception(reply) === "rejected" && reply.status !== 405) return;
      doesNotApply(phrase`HEAD without a token: ${describeReply(reply)}`);
    },
  };
}
