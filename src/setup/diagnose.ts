import { OPERATION_IDS, OPERATIONS, type OperationId } from "../contract/operations.ts";
import type { Reply } from "../http/exchange.ts";
import type { Control, ControlResult } from "../probe/controls/control.ts";
import type { Controls } from "../probe/controls/controls.ts";
import { otherClock } from "../probe/controls/forms.ts";
import type { Finding } from "../probe/finding.ts";
import { inWords, phrase } from "../probe/phrase.ts";
import { type Session, silenced } from "../probe/session.ts";
import type { Need } from "../profile/need.ts";
import type { SetupFault } from "./fault.ts";
import { discover } from "./needs.ts";
import { noOrganization, diagnoseRefusal } from "./why-refused.ts";

/** A clock that is off by more than this refuses the tokens of real issuers. */
const CLOCK_OFF_SECONDS = 60;

export interface Setup {
  readonly faults: readonly SetupFault[];
  readonly results: ReadonlyMap<OperationId, ControlResult>;
  /** False where good requests had responses and none was accepted. Then nothing can be judged. */
  readonly acceptsSomeToken: boolean;
  /** The needs that the deployment provides. Absent where they were not looked for. */
  readonly found?: ReadonlySet<Need>;
}

/**
 * Finds the faults of the set-up by the controls, so that a report states each once instead of in
 * hundreds of inconclusive cases. Where no control is accepted, it also tries the other offered
 * reads. It sends at most four more requests to find out why, and none of them is a write.
 * @param wanted the operations whose controls are needed, and the needs to look for
 * @throws Interrupted
 */
export async function lookAtSetup(
  session: Session,
  controls: Controls,
  wanted: { readonly operations: readonly OperationId[]; readonly needs: ReadonlySet<Need> },
): Promise<Setup> {
  const setup = await diagnose(session, controls, wanted.operations);
  return { ...setup, found: await discover(controls, wanted.needs) };
}

async function diagnose(
  session: Session,
  controls: Controls,
  operations: readonly OperationId[],
): Promise<Setup> {
  const results = await findAll(controls, operations);
  if (acceptedOf(results).length === 0 && refusedOf(results).length > 0) {
    const offered = OPERATION_IDS.filter((id) => session.target.operations[id]);
    for (const id of offered.filter(isRead)) results.set(id, await controls.get(id));
  }
  const accepted = acceptedOf(results);
  const refused = refusedOf(results);
  const [first] = refused;
  const clock = clockFaults(session.clockOffsetSeconds ?? 0, accepted);
  const none = session.target.issued && !first && noTokenAtAll(results);
  const found = (...faults: readonly SetupFault[]): Setup => ({
    faults: [...clock, ...faults],
    results,
    acceptsSomeToken: accepted.length > 0 || !(first ?? none),
  });
  if (none) return found(none);
  if (!first) return found();
  const { primary } = await controls.organizations();
  if (accepted.length === 0) {
    const read = refused.find(({ id }) => !OPERATIONS[id].writes);
    return found(await diagnoseRefusal(session, read ?? first, primary));
  }
  if (accepted.some(({ operation }) => operation.organization)) return found();
  const below = refused.filter(({ id }) => OPERATIONS[id].organization);
  return found(...organizationFaults(session, below, primary));
}

/**
 * Finds controls, one after the other, because each uses what the one before it found, until one with an
 * organization and one without are accepted. From then on, controls can be found side by side.
 * @param operations in the order in which they are tried
 * @param onAccepted receives each operation with an accepted control as soon as it is known, of each kind at most one
 * @throws Interrupted
 */
export async function findFirst(
  controls: Controls,
  operations: readonly OperationId[],
  onAccepted: (id: OperationId) => void,
): Promise<void> {
  const accepted = new Set<boolean>();
  for (const id of operations) {
    const { organization } = OPERATIONS[id];
    if (accepted.has(organization) || "refusal" in (await controls.get(id))) continue;
    accepted.add(organization);
    onAccepted(id);
  }
}

/**
 * Finds the controls of operations. Reads come before the writes, so that a collection has the same size in
 * every run: what is sent later depends on it.
 */
async function findAll(
  controls: Controls,
  operations: readonly OperationId[],
): Promise<Map<OperationId, ControlResult>> {
  const first = new Set<OperationId>();
  await findFirst(controls, operations, (id) => first.add(id));
  const others = operations.filter((id) => !first.has(id));
  await Promise.allSettled(others.filter(isRead).map((id) => controls.get(id)));
  await Promise.allSettled(others.map((id) => controls.get(id)));
  const results = new Map<OperationId, ControlResult>();
  for (const id of operations) results.set(id, await controls.get(id));
  return results;
}

function noTokenAtAll(results: Setup["results"]): SetupFault | undefined {
  const findings = [...results.values()].map((result) =>
    "refusal" in result ? result.refusal.finding : undefined,
  );
  const [failed] = findings.flatMap((finding) =>
    finding?.kind === "inconclusive" ? [finding.reason] : [],
  );
  if (failed === undefined || findings.includes(undefined)) return undefined;
  return {
    check: "token",
    side: "profile",
    problem: `There is no good token: ${inWords(failed)}.`,
    remedy:
      "Make `authorizationServer.clients` or `tokens.command` in the profile match what is registered; `doctor` checks each client.",
  };
}

/** Whether its good request changes nothing and needs no change that was submitted before. */
function isRead(id: OperationId): boolean {
  return !OPERATIONS[id].writes && !OPERATIONS[id].change;
}

function acceptedOf(results: Setup["results"]): Control[] {
  return [...results.values()].flatMap((result) => ("control" in result ? [result.control] : []));
}

function refusedOf(results: Setup["results"]): { id: OperationId; reply: Reply }[] {
  return [...results].flatMap(([id, result]) =>
    "refusal" in result && result.refusal.reply ? [{ id, reply: result.refusal.reply }] : [],
  );
}

function clockFaults(offset: number, accepted: readonly Control[]): SetupFault[] {
  if (Math.abs(offset) <= CLOCK_OFF_SECONDS) return [];
  const off = `${Math.abs(offset)} s ${offset > 0 ? "ahead of" : "behind"} this machine's clock`;
  const byOurs = accepted.some(({ form }) => form.clockOffsetSeconds === 0);
  const minted = byOurs
    ? " Tokens that are minted by this machine's clock are accepted."
    : otherClock(offset) === undefined
      ? " Tokens are minted in the deployment's time only if it is less than a day off."
      : " Until then tokens are minted in the deployment's time.";
  const problem = `Two clocks differ: the deployment's Date header is ${off}.`;
  const remedy = `Either may be wrong, or that of a gateway that writes the header: compare both with a third clock, and set the wrong one.${minted}`;
  return [{ check: "clock", side: "deployment", problem, remedy }];
}

/** The fault where the list accepts good tokens, but no route below the organization does. */
function organizationFaults(
  { target }: Session,
  below: readonly { reply: Reply }[],
  primary: string | undefined,
): SetupFault[] {
  const statuses = new Set(below.map(({ reply }) => reply.status));
  const only = (...allowed: number[]): boolean =>
    statuses.size > 0 && [...statuses].every((status) => allowed.includes(status));
  if (only(404)) return [noOrganization(primary)];
  if (!only(403, 404)) return [];
  const answers = [...statuses].toSorted((a, b) => a - b).join(" or ");
  return [
    {
      check: "primary",
      side: "deployment",
      problem: `The subject ${target.subject} may not act on the organization ${primary}: every route below it answers ${answers}.`,
      remedy:
        "Grant it access there, or name others in the profile: subject, `organizations.primary`.",
    },
  ];
}

/**
 * Prepares a run that stopped after its preflight because no good request was accepted anywhere. Cases are judged by
 * what is known, and nothing more is sent. A refused control stays refused. Earlier responses count for nothing,
 * because nothing shows that the deployment itself sent them. What the profile and its document say still counts.
 */
export function blocked(
  session: Session,
  controls: Controls,
  { results }: Setup,
): { session: Session; controls: Controls } {
  const unknown = { refusal: { finding: NOBODY } };
  return {
    session: silenced(session),
    controls: { ...controls, get: (id) => Promise.resolve(results.get(id) ?? unknown) },
  };
}

const NOBODY: Finding = {
  kind: "inconclusive",
  reason: phrase`no good request was accepted, so nothing shows that the deployment itself answers`,
};

/** A finding of a stopped run. Adds the reason where the finding has no evidence. */
export function explained(finding: Finding): Finding {
  return finding.kind === "inconclusive" && !finding.evidence ? NOBODY : finding;
}
