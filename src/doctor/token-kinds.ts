import { OPERATIONS, type OperationId } from "../contract/operations.ts";
import type { Plan, PlannedCase } from "../engine/plan.ts";
import { countEach } from "../lib/count-each.ts";
import { counted } from "../lib/counted.ts";
import type { MutationContext } from "../mutations/mutation.ts";
import { chooseToken } from "../probe/choose-token.ts";
import { inWords } from "../probe/phrase.ts";
import { mutationsOf } from "../probe/rule-case.ts";
import { sideOf } from "../probe/rule.ts";
import { seededUuid } from "../probe/seeded-uuid.ts";
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

/**
 * Checks where tokens are issued which MUST cases a run would leave unprovisioned, because no client gets the tokens that
 * they need. It asks for the tokens as a run does, and sends them to nobody.
 */
export async function tokenKindChecks(bench: Bench, plan: Plan): Promise<Check[]> {
  const { target } = bench;
  if (!target.issued) return [];
  const musts = plan.cases.filter(({ level }) => level === "MUST");
  const lacking: Lacking[] = [];
  for (const planned of musts) {
    const found = planned.settled ?? (await lackingAtRun(bench, planned));
    if (found?.kind === "not-provisioned" && found.because) lacking.push(found);
  }
  if (lacking.length === 0) return [];
  const keys = [...new Set(lacking.flatMap((one) => one.keys))].join(", ");
  // Clients that need a person's consent may get what the others do not.
  const clients = target.authorizationServer?.clients ?? [];
  const isKnown = clients.every(({ flow }) => flow === "client_credentials");
  return [
    {
      id: "profile.tokens",
      title: "Missing tokens",
      state: isKnown ? "problem" : "unknown",
      detail: `${counted(lacking.length, "MUST case")} cannot be judged: ${causesOf(lacking)}.`,
      remedy: isKnown
        ? `Have such tokens issued, or name in the profile what gets them: ${keys}.`
        : "A client that needs a person's consent may get such tokens; a run asks for it.",
      side: "profile",
    },
  ];
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
  if (id === undefined || sideOf(planned.rule) !== "receiver" || planned.phase === "record") return;
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

/**
 * The form of the good token of an operation: that of its control, or the first one that is issued.
 * @param bound whether it must be bound, or must be unbound
 */
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
