import { OPERATIONS, type Operation, type OperationId } from "../../contract/operations.ts";
import type { Reply } from "../../http/exchange.ts";
import type { How } from "../../http/second-tries.ts";
import type { Organizations } from "../../profile/target.ts";
import { Finding } from "../finding.ts";
import { type Phrase, phrase } from "../phrase.ts";
import { describeReply, reception, wasLetIn } from "../reception.ts";
import type { Session } from "../session.ts";
import type { NoToken } from "../token-source.ts";
import { createCalibration } from "./calibrate.ts";
import { type Control, type ControlResult, refusal } from "./control.ts";
import { createDiscovery } from "./discovery.ts";
import { createGoodSender } from "./good-request.ts";

/** Which control of an operation is wanted. */
export interface ControlOptions {
  /** Requires a bound or an unbound token. Default: whichever is accepted. */
  readonly bound?: boolean | undefined;
  /** Sends the request as an ordinary client sends it. Default: false. */
  readonly unmarked?: boolean | undefined;
  /**
   * Whether the control is sent again after the case, because the finding rests on it; see `CaseControl.bracket`. False for a
   * write that only makes what the case reads: sent again, it would be one more accepted write. Default: true.
   */
  readonly bracketed?: boolean | undefined;
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
   * @param how it is sent; default: as ever
   * @returns the exchange that accepted it, or why it was refused, or the finding of every case that
   * rests on it
   */
  repeat(
    control: Control,
    label: string,
    how?: readonly How[],
  ): Promise<{ exchange: string } | { refused: Phrase; exchange: string } | { instead: Finding }>;
  /** The primary organization before the run's first edit; `undefined` without edit or view. */
  original(): Promise<Reply | undefined>;
  /** The organizations of the profile, completed with those that the list shows. */
  organizations(): Promise<Organizations>;
}

const UNMARKED = " unmarked";

/** Creates the controls of a run. It sends nothing until the first one is asked for. */
export function createControls(session: Session): Controls {
  const { target } = session;
  const results = new Map<string, Promise<ControlResult>>();
  /** The controls that were accepted and then refused, under the same keys. */
  const former = new Map<string, ControlResult>();
  let original: Promise<Reply | undefined> | undefined;
  const accepting = new Set<boolean>();
  const sendGood = createGoodSender(session, () => accepting.size > 0);
  const discovery = createDiscovery(target, (id, fresh) => controls.get(id, { fresh }));
  const beforeEdit = (): Promise<unknown> => (original ??= knownView().then((view) => view?.reply));
  const calibrate = createCalibration(session, sendGood, discovery, accepting, beforeEdit);

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
      const result = fresh ? found : found.then((now) => unlessForAMoment(key, now));
      results.set(key, result);
      return result;
    },
    async repeat(control, label, how = []) {
      const { operation, form, place, unmarked = false } = control;
      // Accepted writes are limited. The case also rests on the marked control, which is repeated
      // instead.
      if (unmarked && operation.writes) return { exchange: control.exchange };
      const apart = how.includes("own connection");
      const sending = { label, unmarked, apart, suffices: wasLetIn };
      const reply = await sendGood(operation, form, place, sending);
      if ("lacking" in reply) return { instead: undecided(reply.lacking) };
      const { id } = reply.exchange;
      if (wasLetIn(reply)) return { exchange: id };
      // An unmarked one may always be refused.
      if (!unmarked) session.seen.moments.refused(reply);
      // The control is no longer valid, so the next batch finds it anew.
      const refused = [...results].filter(
        ([key]) => key.startsWith(`${operation.id} `) && key.endsWith(UNMARKED) === unmarked,
      );
      for (const [key] of refused) results.delete(key);
      for (const [key, known] of refused) {
        const found = await known;
        if ("control" in found) former.set(key, found);
      }
      if (unmarked) return { instead: refusedUnmarked(operation, reply) };
      const first = session.seen.firstUses.before(id);
      const answer = describeReply(reply);
      return {
        refused: first ? phrase`${answer}; ${first} had accepted its token before` : answer,
        exchange: id,
      };
    },
    original: () => original ?? Promise.resolve(undefined),
    organizations: () => discovery.organizations(),
  };
  session.viewBy(async (organization) => {
    const view = await knownView();
    if (!view) return undefined;
    const { operation, form, place } = view;
    const reply = await sendGood(operation, form, { ...place, organization }, { label: "etag" });
    return !("lacking" in reply) && reception(reply) === "accepted" ? reply : undefined;
  });
  return controls;

  /** Finds a control of one kind, unless no token is accepted at all or the known one has it. */
  async function ofKind(id: OperationId, bound: boolean): Promise<ControlResult> {
    const any = await controls.get(id);
    const enough =
      "refusal" in any
        ? any.refusal.finding.kind !== "not-provisioned"
        : any.control.form.bound === bound;
    return enough ? any : calibrate(OPERATIONS[id], bound);
  }

  /**
   * The control that was accepted before, where none is accepted now: the deployment may refuse good requests for a moment only. The
   * cases that use it rest on it, and it is sent again after them.
   */
  function unlessForAMoment(key: string, now: ControlResult): ControlResult {
    if ("control" in now) return now;
    const before = former.get(key) ?? now;
    if ("control" in before && now.refusal.reply) session.seen.moments.refused(now.refusal.reply);
    return before;
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

  async function knownView(): Promise<Control | undefined> {
    if (!target.operations.viewOrganization) return undefined;
    const view = await controls.get("viewOrganization");
    return "control" in view ? view.control : undefined;
  }
}

function refusedUnmarked({ id }: Operation, reply: Reply): Finding {
  const value = phrase`a good request on ${id} without the suite's marks was answered ${describeReply(reply)}`;
  return Finding.observed(value, { probes: [reply.exchange.id] });
}

/** The finding of cases whose control's token is no longer available. */
function undecided(lacking: NoToken["lacking"]): Finding {
  if (lacking.kind === "inconclusive") return lacking;
  return Finding.inconclusive(phrase`a token like the control's was not issued again`);
}
