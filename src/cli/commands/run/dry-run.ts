import { OPERATION_IDS, type OperationId, OPERATIONS } from "../../../contract/operations.ts";
import { lackInWords } from "../../../engine/judge.ts";
import type { Plan, PlannedCase } from "../../../engine/plan.ts";
import { isSafe } from "../../../http/persistence/retry.ts";
import { countEach } from "../../../lib/group-by.ts";
import { counted } from "../../../lib/words.ts";
import { inWords } from "../../../probe/phrase.ts";
import { type AnyCase, mayWrite, sideOf } from "../../../probe/rule.ts";
import { isUnattended } from "../../../profile/authorization-server.ts";
import type { Target } from "../../../profile/target.ts";
import { createPage, heading, type Page, paragraph, table } from "../../../report/layout.ts";
import type { Terminal } from "../../../report/progress.ts";
import type { Rehearsed } from "./rehearse.ts";

/**
 * Prints the plan of a run: the totals, then by operation and by case.
 * @param plan the plan for `target`
 * @param rehearsed what it would send
 */
export function printPlan(
  terminal: Terminal,
  target: Target,
  plan: Plan,
  rehearsed: readonly Rehearsed[],
): void {
  const page = createPage(terminal.columns, false);
  const toReceiver = rehearsed.filter(({ toServer }) => !toServer);
  const writes = toReceiver.filter(({ method }) => !isSafe(method)).length;
  const countOf = (id?: OperationId): string =>
    String(toReceiver.filter(({ operation }) => operation === id).length);
  const lines = [
    ...paragraph(
      page,
      0,
      `${counted(plan.cases.length, "case")} of ${counted(plan.heads.length, "rule")} for ${target.baseUrl}: about ${counted(rehearsed.length, "request")}, ${writes === 0 ? "none" : writes} of them PATCH or POST to the receiver. Nothing was sent. These numbers are those of the embedded reference receiver; a deployment that violates the contract gets more.`,
    ),
    ...settledLines(page, plan),
    ...openLines(page, plan),
    ...serverLines(page, target, plan),
    ...plan.excluded.flatMap(({ reason, cases }) =>
      paragraph(page, 0, `${counted(cases, "case")} left out, ${reason}.`),
    ),
    "",
    heading(page, "Requests"),
    "",
    ...table(page, 2, [
      ["operation", "about", "route"],
      ...OPERATION_IDS.map((id) => [
        id,
        countOf(id),
        `${OPERATIONS[id].method} ${OPERATIONS[id].path}`,
      ]),
      ["none", countOf(), "other routes"],
    ]),
    "",
    heading(page, "Cases"),
    "",
    ...table(page, 2, [["level", "sends", "case"], ...plan.cases.map(caseRow)]),
  ];
  terminal.write(`${lines.join("\n")}\n`);
}

/**
 * Estimates the token requests and consents that a run needs: the first token of each client, another one
 * after the probes that depend on it, and those that single cases need.
 */
function serverLines(page: Page, { authorizationServer: server }: Target, plan: Plan): string[] {
  const cases = plan.cases.filter(
    ({ rule, settled }) => sideOf(rule) === "authorization-server" && !settled,
  );
  if (!server || cases.length === 0) return [];
  const asked = new Set(cases.map(({ testCase }) => testCase.client));
  const clients = server.clients.filter(({ name }) => asked.has(name));
  const interactive = clients.filter(({ flow }) => flow === "authorization_code");
  const own = sumOf(cases, ({ consents = 0 }) =>
    typeof consents === "number" ? consents : consents.least,
  );
  const unattended = new Set(clients.filter(isUnattended).map(({ name }) => name));
  const further = sumOf(cases, ({ client = "", consents }) =>
    typeof consents === "object" && unattended.has(client) ? consents.most - consents.least : 0,
  );
  const refused = cases.filter(
    ({ testCase, phase }) => phase !== "record" && testCase.needs?.includes(PROBES),
  );
  const tokens = cases.filter(
    ({ testCase, phase }) => phase !== "record" && testCase.endpoint === "token",
  );
  const requests = 2 * clients.length + tokens.length;
  return paragraph(
    page,
    0,
    `The authorization server ${server.issuer}: about ${counted(own + 2 * interactive.length, "consent")}${further > 0 ? `, up to ${further} more if a refused request ends the grant` : ""}, at most ${counted(requests, "token request")}, and ${counted(refused.length, "request")} that it must refuse.`,
  );
}

function sumOf(cases: readonly PlannedCase[], numberOf: (testCase: AnyCase) => number): number {
  return cases.reduce((sum, { testCase }) => sum + numberOf(testCase), 0);
}

const PROBES = "authorizationServer.probes";

/** The id names the operation, and is last because it is long. A case of the phase `record` may have nothing to send. */
function caseRow({ caseId, level, testCase, settled, phase }: PlannedCase): string[] {
  const [always, maybe] = mayWrite(testCase) ? ["writes", "may write"] : ["reads", "may read"];
  const sends = phase === "record" ? maybe : always;
  return [level, settled ? "nothing" : sends, caseId];
}

/** The cases that send nothing, counted by reason. */
function settledLines(page: Page, { cases }: Plan): string[] {
  const reasons = cases.flatMap(({ settled }) => {
    if (settled?.kind === "not-provisioned") return inWords(lackInWords(settled));
    return settled?.kind === "not-applicable" ? inWords(settled.reason) : [];
  });
  return [...countEach(reasons)].flatMap(([reason, count]) =>
    paragraph(page, 0, `${counted(count, "case")} for which nothing is sent: ${reason}.`),
  );
}

/** What the run must find because the profile lacks it, with the number of cases that need it. */
function openLines(page: Page, { cases }: Plan): string[] {
  return [...countEach(cases.flatMap(({ open }) => open))].flatMap(([need, count]) =>
    paragraph(
      page,
      0,
      `${counted(count, "case")} for which the run looks for ${need} at the deployment, because the profile lacks it.`,
    ),
  );
}
