import { OPERATIONS, type Operation, type OperationId } from "../contract/operations.ts";
import type { Reply } from "../http/exchange.ts";
import { type Need, unmetNeeds } from "../profile/need.ts";
import type { TokenForm } from "../tokens/draft.ts";
import { prefersBound } from "../tokens/issuing-clients.ts";
import { composeRequest } from "./compose.ts";
import type { Control, ControlResult, Refusal } from "./control.ts";
import { createDiscovery, type KnownOrganizations } from "./discovery.ts";
import { eventually } from "./eventually.ts";
import type { Finding } from "./finding.ts";
import { goodForms, likelyForm, typsFor } from "./forms.ts";
import { notProvisioned } from "./not-provisioned.ts";
import { phrase } from "./phrase.ts";
import { describeReply, reception } from "./reception.ts";
import type { PathParams } from "./request.ts";
import { seededUuid } from "./seeded.ts";
import type { Session } from "./session.ts";
import type { NoToken } from "./token-source.ts";
import { withoutMarks } from "./unmarked.ts";
import { WRITE_LIMIT_REACHED } from "./write/writes.ts";

export interface ControlOptions {
  /** Only a bound or only an unbound token will do. Default: whichever is accepted. */
  readonly bound?: boolean | undefined;
  /** The same request as an ordinary client sends it. Default: false. */
  readonly unmarked?: boolean | undefined;
  /** Find it out again, whatever is known. Default: false. */
  readonly fresh?: boolean | undefined;
}

/**
 * The good requests of a run. Which token an operation takes is found out once, on demand;
 * after a batch of probes each control that they lean on is sent again.
 */
export interface Controls {
  /** The good request for an operation, found out once. */
  get(operation: OperationId, options?: ControlOptions): Promise<ControlResult>;
  /**
   * Sends a control again.
   * @param label tells this sending from others of the same control
   * @returns the exchange that accepted it, why it was not accepted, or what becomes of all that rests on it
   */
  repeat(
    control: Control,
    label: string,
  ): Promise<{ exchange: string } | { refused: string; exchange: string } | { instead: Finding }>;
  /** The view of the primary organization before the run's first edit; `undefined`: there was neither. */
  original(): Promise<Reply | undefined>;
  /** The profile's organizations, or those that the list shows. */
  organizations(): Promise<KnownOrganizations>;
}

/** Statuses with which a receiver may refuse a token; after any other no other token is tried. */
const MAY_BE_THE_TOKEN = new Set([400, 401, 403, 404]);
const UNMARKED = " unmarked";
/** So many operations are tried with every token before it is believed that others take none either. */
const TRIED_IN_FULL = 2;
/** Sendings of a control whose answers say nothing, where more are worth it and where they are not. */
const MOST_TRIES = 6;
const FEW_TRIES = 2;
/** How much longer is waited before each sending after the second. */
const PAUSE_MS = 50;
/** What is answered in place of a deployment that is starting, by itself or by a gateway. */
const MAY_BE_STARTING = new Set([502, 503, 504]);

export function createControls(session: Session): Controls {
  const { target } = session;
  // Whoever issues tokens does so by a clock of its own.
  const offset = target.issued ? 0 : (session.clockOffsetSeconds ?? 0);
  const uuid = (label: string): string => seededUuid(session.seed, label);
  const results = new Map<string, Promise<ControlResult>>();
  let preferred = likelyForm(offset, prefersBound(target));
  let original: Promise<Reply | undefined> | undefined;
  /** How many operations took no token at all, by what they answered. */
  const tookNone = new Map<number, number>();
  /** Whether one below an organization took some, and one that is not. */
  const taking = new Set<boolean>();
  /** The operation at which a deployment that was not there yet is waited for: the first that met it. */
  let awaitedAt: OperationId | undefined;

  const controls: Controls = {
    get(id, { bound, fresh = false, unmarked = false } = {}) {
      const key = `${id} ${bound ?? "any"}${unmarked ? UNMARKED : ""}`;
      const known = results.get(key);
      if (known && !fresh) return known;
      const found = unmarked
        ? withoutMarksOf(id, bound)
        : bound === undefined || fresh
          ? calibrate(OPERATIONS[id], bound)
          : ofKind(id, bound);
      results.set(key, found);
      return found;
    },
    async repeat(control, label) {
      const { operation, form, place, unmarked = false } = control;
      // Accepted writes are few: the marked control, on which the case leans too, is sent after it.
      if (unmarked && operation.writes) return { exchange: control.exchange };
      const reply = await sendGood(operation, form, place, { label, unmarked, suffices: wasLetIn });
      if ("lacking" in reply) return { instead: undecided(reply.lacking) };
      const { id } = reply.exchange;
      if (wasLetIn(reply)) return { exchange: id };
      // What was true is not any more: the next batch has to find out anew.
      for (const key of results.keys()) {
        if (key.startsWith(`${operation.id} `) && key.endsWith(UNMARKED) === unmarked) {
          results.delete(key);
        }
      }
      if (unmarked) return { instead: refusedUnmarked(operation, reply) };
      return { refused: describeReply(reply), exchange: id };
    },
    original: () => original ?? Promise.resolve(undefined),
    organizations: () => discovery.organizations(),
  };
  const discovery = createDiscovery(target, (id) => controls.get(id));
  session.viewBy(async (organization) => {
    if (!target.operations.viewOrganization) return undefined;
    const view = await controls.get("viewOrganization");
    if ("refusal" in view) return undefined;
    const { operation, form, place } = view.control;
    const reply = await sendGood(operation, form, { ...place, organization }, { label: "etag" });
    return !("lacking" in reply) && reception(reply) === "accepted" ? reply : undefined;
  });
  return controls;

  /** Where no token is accepted, or one of that kind is, there is nothing more to find out. */
  async function ofKind(id: OperationId, bound: boolean): Promise<ControlResult> {
    const any = await controls.get(id);
    const enough = "refusal" in any ? !isMissing(any.refusal) : any.control.form.bound === bound;
    return enough ? any : calibrate(OPERATIONS[id], bound);
  }

  /** What was accepted from the suite, sent as an ordinary client sends it. That this is refused is no fault. */
  async function withoutMarksOf(
    id: OperationId,
    bound: boolean | undefined,
  ): Promise<ControlResult> {
    const marked = await controls.get(id, { bound });
    if ("refusal" in marked) return marked;
    const { operation, form, place } = marked.control;
    const reply = await sendGood(operation, form, place, { unmarked: true });
    if ("lacking" in reply) return refusal(reply.lacking);
    if (reception(reply) !== "accepted") return refusal(refusedUnmarked(operation, reply), reply);
    const exchange = reply.exchange.id;
    return { control: { operation, form, place, unmarked: true, reply, exchange } };
  }

  async function calibrate(operation: Operation, bound?: boolean): Promise<ControlResult> {
    const unprovisioned = missingKeys(operation, bound);
    if (unprovisioned.length > 0) return refusal(notProvisioned(...unprovisioned));
    const places = await placesFor(operation);
    if ("refusal" in places) return places;
    if (operation.id === "editOrganization") await (original ??= viewOriginal());
    const kinds = bound !== undefined ? [bound] : target.bindingClaim ? [true, false] : [false];
    // A list has no organization of its own; that its bound tokens work is no matter of course.
    const start = operation.organization ? preferred : { ...preferred, bound: false };
    const [first, ...others] = goodForms(start, offset, kinds, typsFor(target));
    let plainest: Reply | undefined;
    let lacking: NoToken["lacking"] | undefined;
    const attempts: { place: PathParams; form: TokenForm; early?: boolean }[] = [
      ...places.map((place, at) => ({
        place,
        form: first as TokenForm,
        // What was submitted a moment ago need not be readable yet.
        early: operation.change && discovery.onlySubmitted && at === 0,
      })),
      ...others.map((form) => ({ place: places[0] as PathParams, form })),
    ];
    for (const [at, { place, form, early }] of attempts.entries()) {
      const send = (): Promise<Reply | NoToken> => sendGood(operation, form, place);
      const reply = await (early
        ? eventually(session, send, (seen) => "lacking" in seen || seen.status !== 404)
        : send());
      if ("lacking" in reply) {
        if (reply.lacking === WRITE_LIMIT_REACHED) break;
        lacking ??= reply.lacking;
        continue;
      }
      if (reception(reply) === "accepted") {
        taking.add(operation.organization);
        // Not what one kind of token needs: who asks for that first is chance.
        if (bound === undefined) {
          preferred = operation.organization ? form : { ...form, bound: preferred.bound };
        }
        reply.keep();
        return { control: { operation, form, place, reply, exchange: reply.exchange.id } };
      }
      plainest ??= reply;
      if (!MAY_BE_THE_TOKEN.has(reply.status)) break;
      if (isHopeless(operation, reply)) break;
      const isLast = at === attempts.length - 1;
      if (isLast && operation.change && reply.status === 404 && !early) {
        // The feed may list what cannot be read, which is another matter.
        for (const changeId of await discovery.submittedIds(place.organization)) {
          attempts.push({ place: { ...place, changeId }, form: first as TokenForm, early: true });
        }
      }
    }
    if (!plainest) return refusal(lacking ?? WRITE_LIMIT_REACHED);
    plainest.keep();
    tookNone.set(plainest.status, (tookNone.get(plainest.status) ?? 0) + 1);
    if (operation.change && discovery.onlySubmitted && plainest.status === 404) {
      // Nobody has said that a change may be read while it waits for review.
      return refusal(notProvisioned("operations.readChange.changeId"));
    }
    return refusal(
      {
        kind: "inconclusive",
        reason: phrase`the control, a good ${boundWord(bound)}token on ${operation.id}, was not accepted: ${describeReply(plainest)}`,
        evidence: { probes: [], controls: [plainest.exchange.id] },
      },
      plainest,
    );
  }

  /** Whether others have answered every token like that, and none of its kind has taken any. */
  function isHopeless({ organization }: Operation, { status }: Reply): boolean {
    return !taking.has(organization) && (tookNone.get(status) ?? 0) >= TRIED_IN_FULL;
  }

  /**
   * Sends a good request, and again where the answer says nothing about it: many cases rest on it.
   * @param options.label tells this sending from others of the same request
   * @param options.unmarked as an ordinary client sends it
   * @param options.suffices whether an answer that says nothing else does
   * @returns the first answer that says something, or else the last one; or why it was not sent
   */
  async function sendGood(
    operation: Operation,
    form: TokenForm,
    place: PathParams,
    {
      label,
      unmarked = false,
      suffices = () => false,
    }: {
      readonly label?: string;
      readonly unmarked?: boolean;
      readonly suffices?: (reply: Reply) => boolean;
    } = {},
  ): Promise<Reply | NoToken> {
    const { id } = operation;
    let latest: Reply | undefined;
    for (let tries = 1; ; tries++) {
      const reply = await sendOnce(operation, form, place, label, unmarked);
      // No further write may be sent, or no token is to be had.
      if ("lacking" in reply) return latest ?? reply;
      latest = reply;
      if (reception(reply) !== "unclear" || suffices(reply) || tries >= mostTries(id, reply)) {
        return reply;
      }
      await session.wait((tries - 1) * PAUSE_MS);
    }
  }

  /** How often a good request is sent at the most, where its latest answer was this one. */
  function mostTries(id: OperationId, reply: Reply): number {
    const { crashed, exchange } = reply;
    // A deployment that has let nobody in may be away; time-outs and crashes cost the run too much.
    const hasHope = (taking.size > 0 || mayBeStarting(id, reply)) && !crashed;
    return hasHope && exchange.fault?.kind !== "timeout" ? MOST_TRIES : FEW_TRIES;
  }

  /** Whether it may let somebody in in a moment; for one operation of a run, so that one that is away costs no more. */
  function mayBeStarting(id: OperationId, { status }: Reply): boolean {
    if (!MAY_BE_STARTING.has(status)) return false;
    awaitedAt ??= id;
    return awaitedAt === id;
  }

  async function sendOnce(
    operation: Operation,
    form: TokenForm,
    place: PathParams,
    label: string | undefined,
    unmarked: boolean,
  ): Promise<Reply | NoToken> {
    const organization = place.organization ?? target.organizations.primary;
    const otherOrganization = target.organizations.other;
    const context = { target, operation, form, organization, otherOrganization, uuid };
    const draft = await session.tokens.draft({ operation, form, organization });
    if ("lacking" in draft) return draft;
    const { request, token, unique, note } = await composeRequest({ context, place, draft });
    const name = `control/${operation.id}`;
    const kind = form.bound ? "bound" : "unbound";
    const reply = await session.send({
      caseId: name,
      id: session.nextId([name, kind, unmarked && "unmarked", label].filter(Boolean).join("-")),
      operation: operation.id,
      spec: unmarked ? withoutMarks(request) : request,
      token,
      tokenNote: note,
      unique,
      organization: place.organization,
      purpose: "control",
    });
    return reply ?? { lacking: WRITE_LIMIT_REACHED };
  }

  /** What the good request needs that is not looked for at the deployment. */
  function missingKeys({ id, writes }: Operation, bound: boolean | undefined): Need[] {
    return unmetNeeds({ ...target, consent: target.writes }, [
      ...(bound ? (["claimsNamespace"] as const) : []),
      ...(writes ? (["writes", `operations.${id}.body`] as const) : []),
    ]);
  }

  async function placesFor(
    operation: Operation,
  ): Promise<readonly PathParams[] | { refusal: Refusal }> {
    if (!operation.organization) return [{}];
    const { primary } = await discovery.organizations();
    if (!primary) return refusal(notProvisioned("organizations.primary"));
    if (!operation.change) return [{ organization: primary }];
    const changeIds = await discovery.changeIds(primary);
    if (changeIds.length === 0) {
      return refusal(notProvisioned("operations.readChange.changeId"));
    }
    return changeIds.map((changeId) => ({ organization: primary, changeId }));
  }

  async function viewOriginal(): Promise<Reply | undefined> {
    if (!target.operations.viewOrganization) return undefined;
    const view = await controls.get("viewOrganization");
    return "control" in view ? view.control.reply : undefined;
  }
}

function refusedUnmarked({ id }: Operation, reply: Reply): Finding {
  return {
    kind: "observed",
    value: phrase`a good request on ${id} that is not marked as the suite's was answered ${describeReply(reply)}`,
    evidence: { probes: [reply.exchange.id] },
  };
}

/** What became of a token that was there a moment ago. */
function undecided(lacking: NoToken["lacking"]): Finding {
  if (lacking.kind === "inconclusive") return lacking;
  return { kind: "inconclusive", reason: phrase`a token like the control's was not issued again` };
}

/** Whether the status says that the request was accepted, though the rest of the answer may be lost. */
function wasLetIn({ status, exchange: { fault } }: Reply): boolean {
  return reception({ status: fault?.status ?? status }) === "accepted";
}

function isMissing({ finding }: Refusal): boolean {
  return finding.kind === "not-provisioned";
}

function refusal(finding: Finding, reply?: Reply): { refusal: Refusal } {
  return { refusal: { finding, reply } };
}

function boundWord(bound: boolean | undefined): string {
  return bound === undefined ? "" : bound ? "bound " : "unbound ";
}
