import { type OperationId, OPERATIONS } from "../contract/operations.ts";
import { mutatesToken } from "../mutations/mint.ts";
import type { Mutation, MutationContext } from "../mutations/mutation.ts";
import { aged, type TokenDraft } from "../tokens/draft.ts";
import { acceptedNowhere, isGoodElsewhere, mayBePolicy } from "./another-subject.ts";
import { type CaseRun, grantOf, isAnew } from "./case-run.ts";
import { chooseToken } from "./choose-token.ts";
import { composeRequest } from "./compose.ts";
import { isContractRoute } from "./contract-route.ts";
import type { Control } from "./controls/control.ts";
import { likelyForm } from "./controls/forms.ts";
import type { Difference } from "./difference/difference.ts";
import { type Evidence, Finding } from "./finding.ts";
import { lacksSubject } from "./no-client.ts";
import { phrase } from "./phrase.ts";
import type { Attempt, AttemptOptions, AttemptResult, Provoked, ProvokeOptions } from "./probe.ts";
import { reception } from "./reception.ts";
import { type PathParams, seededUuid, withoutMarks } from "./request.ts";
import type { Session } from "./session.ts";
import { FORGED_AGE, GOOD_AGE, type NoToken } from "./token-source.ts";

/** A changed request that was sent. */
type Sent = Pick<Attempt, "reply" | "segments" | "onContractRoute"> & {
  /** The token that it started from. */
  readonly draft: TokenDraft;
  readonly differences: readonly Difference[];
};

/**
 * Sends the request of a control with one mutation; see `Probe.tryAttempt`. The case then rests on the control.
 * @returns the attempt; or the finding that ends the case, where the mutation does not apply, no control is accepted,
 * too many writes were accepted, or the deployment went down at this request
 * @throws TypeError when neither the case nor the options name an operation
 * @throws Interrupted
 */
export async function tryAttempt(
  run: CaseRun,
  mutation: Mutation,
  options: AttemptOptions = {},
): Promise<AttemptResult> {
  const { session, controls, name, testCase, used } = run;
  const { target } = session;
  const id = options.operation ?? testCase.operation;
  if (!id) throw new TypeError(`${name} sends a request of no operation`);
  const impossible = mutation.inapplicable?.(target);
  if (impossible !== undefined) return { finding: Finding.notApplicable(phrase`${impossible}`) };
  const callback = mutation.remote ? await session.openCallback() : undefined;
  if (callback && "unreachable" in callback) {
    return { finding: Finding.notApplicable(phrase`${callback.unreachable}`) };
  }
  const { unmarked } = testCase.control ?? {};
  const found = await controls.get(options.tokenOf ?? id, { bound: options.bound, unmarked });
  if ("refusal" in found) return { finding: found.refusal.finding };
  const { control } = found;
  used.add(control);
  if (unmarked && control.operation.writes) await useMarkedControl(run, control);
  const { primary, other } = await controls.organizations();
  const place = placeOf(control, options);
  const organization = place.organization ?? primary;
  const context: MutationContext = {
    target,
    operation: OPERATIONS[id],
    form: control.form,
    organization,
    otherOrganization: [other, primary].find((one) => one !== undefined && one !== organization),
    uuid: (label) => seededUuid(session.seed, label),
    callback: callback?.url,
  };
  const sent = await sendChanged(run, mutation, context, place, options);
  if ("lacking" in sent) return { finding: sent.lacking };
  const { reply, segments, differences, onContractRoute, draft } = sent;
  const evidence: Evidence = {
    probes: [reply.exchange.id],
    controls: [control.exchange],
    differences,
  };
  if (reply.crashed) {
    const reason = phrase`the deployment went down at this request, sent alone, without an answer`;
    return { finding: Finding.undecided("crash", reason, evidence) };
  }
  if (draft.ofAnotherSubject && reception(reply) !== "accepted") {
    // Local policy may refuse what this subject does, so only what must be refused can be judged.
    if (!mutation.refused) return { finding: lacksSubject(target, mayBePolicy(draft, reply)) };
    const isGood = await isGoodElsewhere(run, context, draft);
    if (!isGood) return { finding: { ...acceptedNowhere(draft, reply), evidence } };
  }
  return { attempt: { control, reply, segments, evidence, callback, onContractRoute } };
}

/** The route of a case that belongs to no operation: the one without an id. */
const ROUTE_FOR_ANY: OperationId = "listOrganizations";

/**
 * Sends a request that must be refused, without a control; see `Probe.provoke`. Where the operation has a
 * control, its token and place are used; otherwise a likely token, and ids that identify nothing.
 * @returns the answer, or why nothing was sent
 */
export async function provoke(
  run: CaseRun,
  mutation: Mutation,
  { organization: named, bound, level }: ProvokeOptions = {},
): Promise<Provoked | NoToken> {
  const { session, controls, testCase } = run;
  const { target } = session;
  const uuid = (label: string): string => seededUuid(session.seed, label);
  const operation = OPERATIONS[testCase.operation ?? ROUTE_FOR_ANY];
  const { primary, other } = await controls.organizations();
  const wanted = bound === undefined ? undefined : await controls.get(operation.id, { bound });
  const known = wanted && "control" in wanted ? wanted : await controls.get(operation.id);
  const { form, place: plain } =
    "control" in known
      ? known.control
      : {
          form: likelyForm(session.clockOffsetSeconds ?? 0, target.bindingClaim !== undefined),
          place: {
            ...(operation.organization && { organization: primary ?? uuid("organization") }),
            ...(operation.change && { changeId: uuid("change") }),
          },
        };
  const place: PathParams = { ...plain, ...(named !== undefined && { organization: named }) };
  const organization = place.organization ?? primary;
  const context = { target, operation, form, organization, otherOrganization: other, uuid };
  const sent = await sendChanged(run, mutation, context, place, { purpose: "late", level });
  if ("lacking" in sent) return sent;
  const { reply, differences } = sent;
  return { reply, evidence: { probes: [reply.exchange.id], differences } };
}

/** The control's place, except for what the options name. */
function placeOf(
  { place }: Control,
  { organization, changeId }: Pick<AttemptOptions, "organization" | "changeId">,
): PathParams {
  return {
    ...place,
    ...(organization !== undefined && { organization }),
    ...(changeId !== undefined && { changeId }),
  };
}

/**
 * The case also rests on the marked control, because an unmarked write is not repeated at the end; see
 * `Controls.repeat`.
 */
async function useMarkedControl(
  { controls, used }: CaseRun,
  { operation, form }: Control,
): Promise<void> {
  const marked = await controls.get(operation.id, { bound: form.bound });
  if ("control" in marked) used.add(marked.control);
}

/** Sends the plain request for a place with one mutation. */
async function sendChanged(
  run: CaseRun,
  mutation: Mutation,
  context: MutationContext,
  place: PathParams,
  {
    purpose,
    age = ageOf(mutation, run.session),
    sideBySide,
    level = run.testCase.level,
  }: Pick<AttemptOptions, "purpose" | "age" | "sideBySide" | "level">,
): Promise<Sent | NoToken> {
  const { session, name, testCase, trial } = run;
  const { target, operation } = context;
  const exchange = session.nextId(name);
  const chosen = await chooseToken(session, mutation, context);
  if ("lacking" in chosen) return chosen;
  const draft = aged(chosen.draft, age);
  const composed = await composeRequest({ context, place, ...chosen, draft });
  const { request, token, segments, differences, unique, note } = composed;
  const reply = await session.send({
    caseId: name,
    id: exchange,
    operation: operation.id,
    spec: testCase.control?.unmarked ? withoutMarks(request) : request,
    token,
    tokenNote: { ...note, mutation: mutation.name },
    unique,
    organization: place.organization,
    purpose: purpose ?? (isAnew({ trial }) ? "confirming" : "unwanted"),
    level,
    grant: operation.writes ? grantOf(run, operation.id) : undefined,
    check: mutation.refused?.check,
    urgent: trial === "urgent" || isAlone(testCase),
    sideBySide,
    apart: trial === "apart",
  });
  if (!reply) return { lacking: session.writes.reached(operation.id, level) };
  const onContractRoute = isContractRoute(target, operation, request);
  return { reply, segments, differences, onContractRoute, draft };
}

/** Whether the case is of a phase in which hardly two cases run at once, so that others wait for it. */
function isAlone({ phase = "probe" }: CaseRun["testCase"]): boolean {
  return phase !== "probe" && phase !== "waiting";
}

/**
 * Mutations with the same result share an age, so that a good token is signed only once a second. One that the issuer signs otherwise
 * has an age of its own: a receiver may take a `jti` only once.
 */
function ageOf(mutation: Mutation, session: Pick<Session, "newAge">): number {
  if (mutation.token?.sign && !mutation.signsAsIssuer) return FORGED_AGE;
  return mutatesToken(mutation) ? session.newAge() : GOOD_AGE;
}
