import { join, resolve } from "node:path";

import { RULES } from "../../../../suites/index.ts";
import { authorizationServerSide } from "../../../authorization-server/index.ts";
import type { ExploreChoices } from "../../../certify.ts";
import { OPERATION_IDS, OPERATIONS, type OperationId } from "../../../contract/operations.ts";
import { withDocument } from "../../../document/with-document.ts";
import { lackInWords } from "../../../engine/judge.ts";
import {
  divideSelection,
  type Plan,
  type PlannedCase,
  planExploration,
  planRun,
} from "../../../engine/plan.ts";
import { run } from "../../../engine/run.ts";
import { USUAL_REQUESTS } from "../../../explore/limits.ts";
import { OWNERS } from "../../../explore/owners.ts";
import type { Exchange } from "../../../http/exchange.ts";
import { isSafe } from "../../../http/persistence/retry.ts";
import { PUBLIC_FILE } from "../../../keys/jwks-file.ts";
import { countEach } from "../../../lib/group-by.ts";
import { counted } from "../../../lib/words.ts";
import { MOST_WRITES_OF_A_PACK } from "../../../probe/pack.ts";
import { inWords } from "../../../probe/phrase.ts";
import { type AnyCase, mayWrite, type Rule, sideOf } from "../../../probe/rule.ts";
import { isUnattended, type Client } from "../../../profile/authorization-server.ts";
import { BUNDLED_KEYS } from "../../../profile/issuer-keys.ts";
import { profileFromObject } from "../../../profile/load.ts";
import { resolveTarget } from "../../../profile/resolve.ts";
import type { Target } from "../../../profile/target.ts";
import { createPage, heading, type Page, paragraph, table } from "../../../report/layout.ts";
import type { Terminal } from "../../../report/progress.ts";
import { consentsHere } from "../../consents.ts";
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
    io.stderr.write("The requests are counted with the embedded reference receiver.\n");
    printPlan(io.stdout, target, plan, await rehearse(target, plan, RULES), explore);
    for (const [index, { title, rules }] of packs.entries()) {
      const { patterns = [], only } = others[index] ?? {};
      const ofPack = planRun(target, rules, patterns, only);
      io.stdout.write(`\n${title}, in a run of its own:\n\n`);
      printPlan(io.stdout, target, ofPack, await rehearse(target, ofPack, rules), undefined);
    }
  };
  await withRunTarget(baseUrl, flags, io, show, { offline: true });
}

/** Prints the plan of a run: the totals, then by operation and by case. */
function printPlan(
  terminal: Terminal,
  target: Target,
  plan: Plan,
  rehearsed: readonly Rehearsed[],
  explore: ExploreChoices | undefined,
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
      ["none", countOf(), "other routes"],
    ]),
    "",
    heading(page, "Cases"),
    "",
    ...table(page, 2, [["level", "sends", "case"], ...plan.cases.map(caseRow)]),
  ];
  terminal.write(`${lines.join("\n")}\n`);
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

/** The reference receiver shows at once what is written. */
const PATIENCE_MS = 100;
/** Keys of an operation's profile of which the deployment's own may lack some. */
const TOLD = ["contentType", "body", "invalidBody", "paginated", "changeId"] as const;

interface Rehearsed {
  readonly method: string;
  /** The operation whose route it was sent to; `undefined` for another route of the receiver. */
  readonly operation?: OperationId | undefined;
  readonly toServer: boolean;
}

/**
 * Finds out what a run would send: it runs the cases of a plan against the embedded reference receiver, which is told
 * as much as the profile tells. Sends nothing to the target.
 * @returns the requests, in the order in which they were answered
 */
async function rehearse(target: Target, plan: Plan, rules: readonly Rule[]): Promise<Rehearsed[]> {
  const sending = plan.cases.filter(({ settled }) => !settled).map(({ caseId }) => caseId);
  if (sending.length === 0) return [];
  const { startReference } = await import("../../../reference/index.ts");
  const reference = await startReference({
    jwks: join(BUNDLED_KEYS, PUBLIC_FILE),
    variants: target.operations.submitChange?.paginated ? ["submit-paginated"] : [],
    authorizationServer: target.issued ? "alone" : target.authorizationServer !== undefined,
  });
  try {
    const whole = resolveTarget({ profile: profileFromObject(reference.profile) });
    const like = likeDeployment(consentsHere(whole), target);
    const stand = await withDocument(like, { trusted: true });
    const known = new Set(planRun(stand, rules, []).cases.map(({ caseId }) => caseId));
    const names = sending.filter((caseId) => known.has(caseId));
    if (names.length === 0) return [];
    const exchanges: Exchange[] = [];
    await run({
      target: stand,
      rules,
      mostWrites: plan.pack === undefined ? undefined : MOST_WRITES_OF_A_PACK,
      sides: [authorizationServerSide()],
      only: { names, what: "the plan" },
      seed: 0,
      patienceMs: PATIENCE_MS,
      emit(event) {
        if (event.type === "exchange") exchanges.push(event.exchange);
      },
    });
    return exchanges
      .map(({ request: { method, url }, operation }) => ({
        method,
        operation,
        toServer: new URL(url).origin !== whole.origin,
      }))
      .filter(({ toServer }) => !toServer || target.authorizationServer !== undefined);
  } finally {
    await reference.close();
  }
}

/** The target of the reference receiver, without what is not known of the deployment. */
function likeDeployment(reference: Target, target: Target): Target {
  const { bindingClaim, organizations, denied, issued, openapi, authorizationServer } = target;
  const { primary, other } = organizations;
  const own = reference.authorizationServer;
  const operations = OPERATION_IDS.map((id) => {
    const [told, known] = [target.operations[id], reference.operations[id]];
    const lacking = TOLD.filter((key) => told?.[key] === undefined);
    return [
      id,
      told && { ...known, ...Object.fromEntries(lacking.map((key) => [key, undefined])) },
    ];
  });
  return {
    ...reference,
    bindingClaim: bindingClaim && reference.bindingClaim,
    testIssuer: {
      ...reference.testIssuer,
      algorithms: reference.testIssuer.algorithms.filter((algorithm) =>
        target.testIssuer.algorithms.includes(algorithm),
      ),
    },
    issued: issued && { leavesOutTestIssuer: issued.leavesOutTestIssuer },
    organizations: {
      primary: primary && reference.organizations.primary,
      other: other && reference.organizations.other,
    },
    denied: denied && reference.denied && { ...reference.denied, operations: denied.operations },
    consent: target.consent,
    readOnly: target.readOnly,
    writes: target.writes,
    openapi: openapi && reference.openapi,
    operations: Object.fromEntries(operations) as Target["operations"],
    authorizationServer:
      authorizationServer && own
        ? {
            ...own,
            probes: authorizationServer.probes,
            narrowing: authorizationServer.narrowing,
            subjects: authorizationServer.subjects,
            clients: authorizationServer.clients.flatMap((client) => {
              const traits = traitsOf(client, target);
              const alike = (one: Client): number =>
                traitsOf(one, reference).filter((trait, at) => trait === traits[at]).length;
              const [like] = own.clients
                .filter(({ flow }) => flow === client.flow)
                .toSorted((one, another) => alike(another) - alike(one));
              return like ? [{ ...like, name: client.name }] : [];
            }),
          }
        : own,
  };
}

/** What the tokens of a client are like, as far as cases depend on it. */
function traitsOf(
  { flow, organization, subject, scopes }: Client,
  { organizations: { primary }, subject: usual }: Target,
): readonly unknown[] {
  const bound =
    organization === undefined ? "none" : organization === primary ? "primary" : "other";
  return [flow, bound, subject === undefined || subject === usual, scopes.toSorted().join(" ")];
}
