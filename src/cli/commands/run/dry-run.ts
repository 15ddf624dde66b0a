import { resolve } from "node:path";

import { RULES } from "../../../../suites/index.ts";
import type { ExploreChoices } from "../../../certify.ts";
import { OPERATION_IDS, OPERATIONS } from "../../../contract/operations.ts";
import { lackInWords } from "../../../engine/judge.ts";
import {
  divideSelection,
  type Plan,
  type PlannedCase,
  planExploration,
  planRun,
} from "../../../engine/plan.ts";
import {
  type Destination,
  type Estimated,
  estimateRequests,
  readRequests,
} from "../../../engine/requests.ts";
import { USUAL_REQUESTS } from "../../../explore/limits.ts";
import { OWNERS } from "../../../explore/owners.ts";
import { isSafe } from "../../../http/persistence/retry.ts";
import { countEach } from "../../../lib/group-by.ts";
import { counted } from "../../../lib/words.ts";
import { inWords } from "../../../probe/phrase.ts";
import { mayWrite, sideOf } from "../../../probe/rule.ts";
import { isUnattended } from "../../../profile/authorization-server.ts";
import type { Target } from "../../../profile/target.ts";
import { createPage, heading, type Page, paragraph, table } from "../../../report/layout.ts";
import type { Terminal } from "../../../report/progress.ts";
import { gateOf } from "../../gate.ts";
import type { CommandIo } from "../../io.ts";
import { loadPacks, namedPacks } from "../../packs.ts";
import { type RunTarget, withRunTarget } from "../../run-target.ts";
import { exploreOf } from "./explore-of.ts";
import { lastTime } from "./failed.ts";
import type { RunFlags } from "./flags.ts";

/**
 * Implements `run --dry-run`: prints the plan.
 * @throws SuiteError when `run` could not start
 */
export async function planOnly(
  baseUrl: string | undefined,
  flags: RunFlags,
  io: CommandIo,
): Promise<void> {
  const folder = resolve(io.cwd, flags.out);
  const last = flags.failed ? await lastTime(folder, flags, gateOf(flags), io) : undefined;
  if (last && "code" in last) return;
  const show = async ({ target }: RunTarget): Promise<void> => {
    const packs = await loadPacks(
      (await namedPacks(flags.pack, flags.untrusted, io)) ?? target.packs,
    );
    const lists = [RULES, ...packs.map((pack) => pack.rules)];
    const selection = { patterns: flags.rule ?? [], only: last?.only };
    const [own = selection, ...others] =
      packs.length === 0 ? [selection] : divideSelection(target, lists, selection);
    const explore = exploreOf(flags);
    const whole = planRun(target, RULES, own.patterns, own.only);
    const plan = explore?.only ? planExploration(whole, RULES, OWNERS) : whole;
    const record = readRequests();
    printPlan(io.stdout, target, plan, estimateRequests(plan, record), explore);
    for (const [index, { title, rules }] of packs.entries()) {
      const { patterns = [], only } = others[index] ?? {};
      const ofPack = planRun(target, rules, patterns, only);
      io.stdout.write(`\n${title}, in a run of its own:\n\n`);
      printPlan(io.stdout, target, ofPack, estimateRequests(ofPack, record), undefined);
    }
  };
  await withRunTarget(baseUrl, flags, io, show, { offline: true });
}

/** Prints the plan of a run: the totals, then by operation and by case. */
function printPlan(
  terminal: Terminal,
  target: Target,
  plan: Plan,
  estimated: readonly Estimated[],
  explore: ExploreChoices | undefined,
): void {
  const page = createPage(terminal.columns, false);
  const hasServer = target.authorizationServer !== undefined;
  const requests = estimated.filter(({ destination }) => hasServer || destination !== "server");
  const writes = requests.filter(
    ({ method, destination }) => !isSafe(method) && destination !== "server",
  );
  const countOf = (id: Destination): string =>
    String(totalOf(requests.filter(({ destination }) => destination === id)));
  const lines = [
    ...paragraph(
      page,
      0,
      `${counted(plan.cases.length, "case")} of ${counted(plan.heads.length, "rule")} for ${target.baseUrl}: about ${counted(totalOf(requests), "request")}, ${totalOf(writes) || "none"} of them PATCH or POST to the receiver. Nothing was sent. These numbers are those of a run against the reference receiver; a deployment that violates the contract gets more.`,
    ),
    ...explorationLines(page, target, explore),
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
      ["none", countOf("other"), "other routes"],
    ]),
    "",
    heading(page, "Cases"),
    "",
    ...table(page, 2, [["level", "sends", "case"], ...plan.cases.map(caseRow)]),
  ];
  terminal.write(`${lines.join("\n")}\n`);
}

function totalOf(requests: readonly Estimated[]): number {
  return sumOf(requests, ({ count }) => count);
}

/** What exploration would send, which depends on the answers and on the limits. */
function explorationLines(
  page: Page,
  { issued, writes }: Target,
  explore: ExploreChoices | undefined,
): string[] {
  if (!explore) return [];
  if (issued) {
    return paragraph(
      page,
      0,
      "Exploration sends nothing, because it needs the key of a test issuer.",
    );
  }
  const { seconds, requests = seconds === undefined ? USUAL_REQUESTS : undefined } = explore;
  const limits = [
    ...(requests === undefined ? [] : [`at most ${counted(requests, "request")}`]),
    ...(seconds === undefined ? [] : [`for ${counted(seconds, "second")}`]),
  ];
  const when = explore.only ? "In place of the plan" : "After the plan";
  const written = writes
    ? "PATCH and POST go to the primary organization alone, within the same limit of accepted writes"
    : "None of them is a PATCH or POST";
  return paragraph(
    page,
    0,
    `${when}, exploration sends requests that no case lists, ${limits.join(" and ")}: the good request of an offered operation with changes of its token, path, query and header fields. ${written}.`,
  );
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
  const own = sumOf(cases, ({ testCase: { consents = 0 } }) =>
    typeof consents === "number" ? consents : consents.least,
  );
  const unattended = new Set(clients.filter(isUnattended).map(({ name }) => name));
  const further = sumOf(cases, ({ testCase: { client = "", consents } }) =>
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

function sumOf<T>(things: readonly T[], numberOf: (thing: T) => number): number {
  return things.reduce((sum, thing) => sum + numberOf(thing), 0);
}

const PROBES = "authorizationServer.probes";

/** The id names the operation, and is last because it is long. A case of the phase `record` may have nothing to send. */
function caseRow({ caseId, level, testCase, settled, phase }: PlannedCase): string[] {
  const [always, maybe] = mayWrite(testCase) ? ["writes", "may write"] : ["reads", "may read"];
  const sends = phase === "record" ? maybe : always;
  return [level, settled ? "nothing" : sends, caseId];
}

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
