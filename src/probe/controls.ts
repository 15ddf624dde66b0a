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
  /** Requires a bound or an unbound token. Default: whichever is accepted. */
  readonly bound?: boolean | undefined;
  /** Sends the request as an ordinary client sends it. Default: false. */
  readonly unmarked?: boolean | undefined;
  /** Finds the control again, even if it is known. Default: false. */
  readonly fresh?: boolean | undefined;
}

/**
 * The good requests of a run. For each operation, the accepted form of the token is found once, on
 * demand. After a batch of probes, each control that they rest on is sent again.
 */
export interface Controls {
  /** The good request for an operation. It is found once. */
  get(operation: OperationId, options?: ControlOptions): Promise<ControlResult>;
  /**
   * Sends a control again.
   * @param label distinguishes this request from others of the same control
   * @returns the exchange that accepted it, or why it was refused, or the finding of every case that
   * rests on it
   */
  repeat(
    control: Control,
    label: string,
  ): Promise<{ exchange: string } | { refused: string; exchange: string } | { instead: Finding }>;
  /**
   * The view of the primary organization before the run's first edit; `undefined` where there was no
   * edit or no view.
   */
  original(): Promise<Reply | undefined>;
  /** The organizations of the profile, completed with those that the list shows. */
  organizations(): Promise<KnownOrganizations>;
}

/**
 * Statuses with which a receiver may refuse a token. After any other status, no other token is tried.
 */
const MAY_BE_THE_TOKEN = new Set([400, 401, 403, 404]);
const UNMARKED = " unmarked";
/**
 * After this many operations refused every token form with one status, other operations are not tried
 * in full.
 */
const TRIED_IN_FULL = 2;
/** How often a control is sent while its answers are unclear: with hope, and without. */
const MOST_TRIES = 6;
const FEW_TRIES = 2;
/** Each wait after the second request is longer by this. */
const PAUSE_MS = 50;
/** Statuses that stand for a deployment that is starting, sent by itself or by a gateway. */
const MAY_BE_STARTING = new Set([502, 503, 504]);

export function createControls(session: Session): Controls {
  const { target } = session;
  // Issued tokens follow the issuer's own clock.
  const offset = target.issued ? 0 : (session.clockOffsetSeconds ?? 0);
  const uuid = (label: string): string => seededUuid(session.seed, label);
  const results = new Map<string, Promise<ControlResult>>();
  let preferred = likelyForm(offset, prefersBound(target));
  let original: Promise<Reply | undefined> | undefined;
  /** The number of operations that refused every token form, by status. */
  const tookNone = new Map<number, number>();
  /** Whether an operation with an organization (true) and one without (false) accepted a token. */
  const taking = new Set<boolean>();
  /** The first operation that met a deployment that was starting. Only this one waits for it. */
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
      // Accepted writes are limited. The case also rests on the marked control, which is repeated
      // instead.
      if (unmarked && operation.writes) return { exchange: control.exchange };
      const reply = await sendGood(operation, form, place, { label, unmarked, suffices: wasLetIn });
      if ("lacking" in reply) return { instead: undecided(reply.lacking) };
      const { id } = reply.exchange;
      if (wasLetIn(reply)) return { exchange: id };
      // The control is no longer valid, so the next batch finds it anew.
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

  /**
   * Finds a control of one kind. Where no token is accepted at all, or the known one has that kind,
   * it is done.
   */
  async function ofKind(id: OperationId, bound: boolean): Promise<ControlResult> {
    const any = await controls.get(id);
    const enough = "refusal" in any ? !isMissing(any.refusal) : any.control.form.bound === bound;
    return enough ? any : calibrate(OPERATIONS[id], bound);
  }

  /** The accepted control, sent as by an ordinary client. A refusal is not a fault. */
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
    // A list has no organization of its own, so an unbound token is tried first.
    const start = operation.organization ? preferred : { ...preferred, bound: false };
    const [first, ...others] = goodForms(start, offset, kinds, typsFor(target));
    let plainest: Reply | undefined;
    let lacking: NoToken["lacking"] | undefined;
    const attempts: { place: PathParams; form: TokenForm; early?: boolean }[] = [
      ...places.map((place, at) => ({
        place,
        form: first as TokenForm,
        // A change that was just submitted need not be readable yet.
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
        // A control of a required kind does not change the preference, because the order of cases is
        // random.
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
        // The feed may list changes that cannot be read. Other rules judge that.
        for (const changeId of await discovery.submittedIds(place.organization)) {
          attempts.push({ place: { ...place, changeId }, form: first as TokenForm, early: true });
        }
      }
    }
    if (!plainest) return refusal(lacking ?? WRITE_LIMIT_REACHED);
    plainest.keep();
    tookNone.set(plainest.status, (tookNone.get(plainest.status) ?? 0) + 1);
    if (operation.change && discovery.onlySubmitted && plainest.status === 404) {
      // The contract does not say that a change can be read while it waits for review.
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

  /**
   * Whether other operations refused every token form with this status, and no operation of this kind
   * accepted one.
   */
  function isHopeless({ organization }: Operation, { status }: Reply): boolean {
    return !taking.has(organization) && (tookNone.get(status) ?? 0) >= TRIED_IN_FULL;
  }

  /**
   * Sends a good request, and repeats it while the answer is unclear, because many cases rest on it.
   * @param options.label distinguishes this request from others of the same control
   * @param options.unmarked whether to send it as an ordinary client does
   * @param options.suffices whether an unclear answer is good enough
   * @returns the first clear or sufficient answer, or the last one; or why it was not sent
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
      // No more writes are allowed, or no token can be had.
      if ("lacking" in reply) return latest ?? reply;
      latest = reply;
      if (reception(reply) !== "unclear" || suffices(reply) || tries >= mostTries(id, reply)) {
        return reply;
      }
      await session.wait((tries - 1) * PAUSE_MS);
    }
  }

  /** The most times that a good request is sent, given its latest answer. */
  function mostTries(id: OperationId, reply: Reply): number {
    const { crashed, exchange } = reply;
    // A deployment that has accepted nothing may be away. Timeouts and crashes cost a run too much
    // time.
    const hasHope = (taking.size > 0 || mayBeStarting(id, reply)) && !crashed;
    return hasHope && exchange.fault?.kind !== "timeout" ? MOST_TRIES : FEW_TRIES;
  }

  /**
   * Whether the deployment may accept a request in a moment. Only one operation of a run waits for
   * it, so that a deployment that is away costs no more.
   */
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

  /**
   * The missing profile keys that a good request needs and that are not looked for at the deployment.
   */
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

/** The finding of cases whose control's token is no longer available. */
function undecided(lacking: NoToken["lacking"]): Finding {
  if (lacking.kind === "inconclusive") return lacking;
  return { kind: "inconclusive", reason: phrase`a token like the control's was not issued again` };
}

/**
 * Whether the status says that the request was accepted, even where the rest of the answer is lost.
 */
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
