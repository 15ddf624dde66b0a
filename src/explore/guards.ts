import type { OperationId } from "../contract/operations.ts";
import type { ToExplore } from "../engine/exploration.ts";
import type { Mutation } from "../mutations/mutation.ts";
import { createProbe } from "../probe/create-probe.ts";
import { reception } from "../probe/reception.ts";
import { mutationOf } from "./change.ts";
import type { Said } from "./contract-says.ts";
import type { Draw } from "./draws.ts";
import { WITHOUT_TOKEN } from "./steps.ts";

/** What explains a violation, so that its rule is not blamed. */
export interface Guards {
  /** Whether the run has already seen the rule violated on an operation. */
  hasFailed(rule: string, operation: OperationId): boolean;
  /** Whether the operation accepts requests without a token, or tokens with a forged signature, so that no claim matters there. */
  explain(said: Said, draw: Pick<Draw, "operation" | "bound">): Promise<boolean>;
}

const FORGED = mutationOf("explored", [{ of: "forgery", how: "another key", n: 0 }]);

/** The rules that own requests without a token and with a forged one, which come before all others. */
const BEFORE: readonly (readonly [rule: string, mutation: Mutation])[] = [
  ["receiver.token-required", WITHOUT_TOKEN],
  ["receiver.signature", FORGED],
];

/** Creates the guards of an exploration. Each of the two requests is sent once to each operation where something has to be explained. */
export function createGuards({ session, controls, results }: ToExplore): Guards {
  const accepted = new Map<string, Promise<boolean>>();

  async function accepts(
    { operation, bound }: Pick<Draw, "operation" | "bound">,
    rule: string,
    mutation: Mutation,
  ): Promise<boolean> {
    const caseId = `${rule}/explored-guard`;
    const testCase = { id: "explored-guard", operation };
    const { probe } = createProbe(session, controls, caseId, testCase);
    const sent = await probe.tryAttempt(mutation, { bound });
    return "attempt" in sent && reception(sent.attempt.reply) === "accepted";
  }

  return {
    hasFailed: (rule, operation) =>
      results().some(
        (one) =>
          one.rule === rule &&
          one.operation === operation &&
          !one.explored &&
          (one.outcome === "fail" || one.outcome === "warn"),
      ),
    async explain({ says, rule }, draw) {
      if (says === "accepted") return false;
      for (const [owner, mutation] of BEFORE) {
        if (owner === rule) return false;
        const key = `${owner} ${draw.operation}`;
        const known = accepted.get(key) ?? accepts(draw, owner, mutation);
        accepted.set(key, known);
        if (await known) return true;
      }
      return false;
    },
  };
}
