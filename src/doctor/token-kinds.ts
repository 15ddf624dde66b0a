import { OPERATIONS, type OperationId } from "../contract/operations.ts";
import type { Plan, PlannedCase } from "../engine/plan.ts";
import { countEach } from "../lib/group-by.ts";
import { counted } from "../lib/words.ts";
import type { MutationContext } from "../mutations/mutation.ts";
import { chooseToken } from "../probe/choose-token.ts";
import { inWords } from "../probe/phrase.ts";
import { seededUuid } from "../probe/request.ts";
import { mutationsOf, sideOf } from "../probe/rule.ts";
import type { NoToken } from "../probe/token-source.ts";
import type { TokenForm } from "../tokens/draft.ts";
import type { Bench, Check } from "./check.ts";

type Lacking = Extract<NoToken["lacking"], { kind: "not-provisioned" }>;

const MOST_CAUSES = 4;

/** Good tokens in the order in which they are asked for. */
const FORMS: readonly TokenForm[] = [true, false].map((bound) => ({
  typ: "JWT",
  bound,
  scopes: "required",
  clockOffsetSeconds: 0,
}));

/** The id of the check of what only a person's consent can show. */
export const CONSENT_CHECK = "profile.consent";

/**
 * Checks where tokens are issued which MUST cases a run would leave unprovisioned, because no client gets the tokens that
 * they need. It asks for the tokens as a run does, and sends them to nobody. It asks nobody for consent, so what a client with
 * consent may get is unknown.
 */
export async function tokenKindChecks(bench: Bench, plan: Plan): Promise<Check[]> {
  const { target } = bench;
  if (!target.issued) return [];
  const musts = plan.cases.filter(({ level }) => level === "MUST");
  const lacking: Lacking[] = [];
  const open: Lacking[] = [];
  const clients = target.authorizationServer?.clients ?? [];
  const needsConsent = clients.some(({ flow }) => flow === "authorization_code");
  for (const planned of musts) {
    const found = planned.settled ?? (await lackingAtRun(bench, planned));
    if (found?.kind !== "not-provisioned" || !found.because) continue;
    // What the plan settles holds for every client.
    (planned.settled || !needsConsent ? lacking : open).push(found);
  }
  return [
    ...(lacking.length > 0 ? [missing(lacking)] : []),
    ...(open.length > 0 ? [untilConsent(open)] : []),
  ];
}

function missing(lacking: readonly Lacking[]): Check {
  const keys = [...new Set(lacking.flatMap((one) => one.keys))].join(", ");
  return {
    id: "profile.tokens",
    title: "Missing tokens",
    state: "problem",
    detail: `${counted(lacking.length, "MUST case")} cannot be judged: ${causesOf(lacking)}.`,
    remedy: `Have such tokens issued, or name in the profile what gets them: ${keys}.`,
    side: "profile",
  };
}

function untilConsent(open: readonly Lacking[]): Check {
  return {
    id: CONSENT_CHECK,
    title: "Consent",
    state: "unknown",
    detail: `${counted(open.length, "MUST case")} can be judged only if a client with consent gets the tokens. Without consent: ${causesOf(open)}.`,
    remedy: "A run asks for the consent; `orgsync-conformance token --client <name>` does too.",
    side: "profile",
  };
}

/** The most frequent causes, each with its number of cases. */
function causesOf(lacking: readonly Lacking[]): string {
  const causes = [...countEach(lacking.map(({ because }) => (because ? inWords(because) : "")))]
    .toSorted(([, a], [, b]) => b - a)
    .map(([because, cases]) => `${because} (${cases})`);
  const more = causes.length - MOST_CAUSES;
  return [
    ...causes.slice(0, MOST_CAUSES),
    ...(more > 0 ? [`and ${counted(more, "further cause")}`] : []),
  ].join("; ");
}

/** Why a run could not have the tokens of a case; `undefined` where it has them, or it is not known. */
async function lackingAtRun(bench: Bench, planned: PlannedCase): Promise<Lacking | undefined> {
  const { session, controls, target } = bench;
  const { operation: id, control } = planned.testCase;
  if (id === undefined || sideOf(planned.rule) !== "receiver") return;
  // Without a mutation of its own, such a case judges what others were answered.
  if (planned.phase === "record" && mutationsOf(planned.testCase).length === 0) return;
  const form = await formOf(bench, id, control?.bound);
  if ("lacking" in form) return form.lacking.kind === "not-provisioned" ? form.lacking : undefined;
  const { primary, other } = await controls.organizations();
  const context: MutationContext = {
    target: session.target,
    operation: OPERATIONS[id],
    form,
    organization: primary,
    otherOrganization: other,
    uuid: (label) => seededUuid(session.seed, label),
  };
  for (const one of mutationsOf(planned.testCase)) {
    if (!one.asks || one.inapplicable?.(target) !== undefined) continue;
    const chosen = await chooseToken(session, one, context);
    if ("lacking" in chosen && chosen.lacking.kind === "not-provisioned") return chosen.lacking;
  }
  return undefined;
}

/** The form of an operation's good token: that of its control, or the first that is issued. */
async function formOf(
  { session, setup, controls }: Bench,
  id: OperationId,
  bound: boolean | undefined,
): Promise<TokenForm | NoToken> {
  const fits = (form: TokenForm): boolean => bound === undefined || form.bound === bound;
  const found = setup.results.get(id);
  if (found && "control" in found && fits(found.control.form)) return found.control.form;
  if (
    found &&
    "refusal" in found &&
    found.refusal.finding.kind === "not-provisioned" &&
    found.refusal.finding.because
  ) {
    return { lacking: found.refusal.finding };
  }
  const { primary: organization } = await controls.organizations();
  let none: NoToken | undefined;
  for (const form of FORMS.filter(fits)) {
    const draft = await session.tokens.draft({ operation: OPERATIONS[id], form, organization });
    if (!("lacking" in draft)) return form;
    none = draft;
  }
  return none as NoToken;
}
