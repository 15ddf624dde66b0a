import { OPERATION_IDS, OPERATIONS, type OperationId } from "../contract/operations.ts";
import type { Plan, PlannedCase } from "../engine/plan.ts";
import type { Target } from "../profile/target.ts";
import { counted, createPage, heading, paragraph, table } from "../report/layout.ts";
import type { Terminal } from "../report/progress.ts";

/** Prints what a run would do; `plan` is a plan for the target. */
export function printPlan(terminal: Terminal, target: Target, plan: Plan): void {
  const page = createPage(terminal.columns, false);
  const estimates = OPERATION_IDS.map((id) => ({ id, requests: estimateRequests(plan, id) }));
  const requests = estimates.reduce((sum, estimate) => sum + estimate.requests, 1);
  const writes = estimates
    .filter(({ id }) => OPERATIONS[id].writes)
    .reduce((sum, estimate) => sum + estimate.requests, 0);
  const lines = [
    heading(page, "Cases"),
    "",
    ...table(page, 2, [["case", "level", "operation", "what it does"], ...plan.cases.map(caseRow)]),
    "",
    heading(page, "Requests"),
    "",
    ...table(page, 2, [
      ["operation", "about", "route"],
      ...estimates.map(({ id, requests: about }) => [
        id,
        String(about),
        `${OPERATIONS[id].method} ${OPERATIONS[id].path}`,
      ]),
    ]),
    "",
    ...plan.excluded.flatMap(({ reason, cases }) =>
      paragraph(page, 0, `${counted(cases, "case")} left out, ${reason}.`),
    ),
    ...paragraph(
      page,
      0,
      `${counted(plan.cases.length, "case")} of ${counted(plan.heads.length, "rule")} for ${target.baseUrl}: about ${counted(requests, "request")}, ${writes === 0 ? "none" : writes} of them PATCH or POST. Nothing was sent.`,
    ),
  ];
  terminal.write(`${lines.join("\n")}\n`);
}

function caseRow({ name, level, testCase: { operation }, settled, phase }: PlannedCase): string[] {
  const sends = operation !== undefined && OPERATIONS[operation].writes ? "writes" : "reads";
  const does =
    settled?.kind === "missing"
      ? `nothing: the profile lacks ${settled.keys.join(", ")}`
      : settled?.kind === "inapplicable"
        ? `nothing: ${settled.reason}`
        : phase === "record"
          ? `${sends} if need be`
          : sends;
  return [name, level, operation ?? "", does];
}

/**
 * About how often a run sends an operation's request: the control before and after, each case once.
 * What is wrong with a deployment makes for more: other tokens are tried, failures are repeated.
 */
function estimateRequests({ cases }: Plan, id: OperationId): number {
  const own = cases.filter(({ testCase, settled }) => testCase.operation === id && !settled);
  if (own.length === 0) return 0;
  const probing = own.filter(({ phase }) => phase !== "record");
  return 2 + Math.max(probing.length, 1);
}
