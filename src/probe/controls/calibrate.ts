import type { Operation } from "../../contract/operations.ts";
import type { Reply } from "../../http/exchange.ts";
import { type Need, unmetNeeds } from "../../profile/need.ts";
import type { TokenForm } from "../../tokens/draft.ts";
import { prefersBound } from "../../tokens/issuing-clients.ts";
import { eventually } from "../eventually.ts";
import { Finding, notProvisioned } from "../finding.ts";
import { inWords, phrase } from "../phrase.ts";
import { describeReply, reception } from "../reception.ts";
import type { PathParams } from "../request.ts";
import type { Session } from "../session.ts";
import type { NoToken } from "../token-source.ts";
import { isWriteLimit } from "../write/not-sent.ts";
import { type Control, type ControlResult, type Refusal, refusal } from "./control.ts";
import type { Discovery } from "./discovery.ts";
import { goodForms, likelyForm, typsFor } from "./forms.ts";
import type { SendGood } from "./good-request.ts";

/**
 * Finds out which good request an operation accepts, by trying forms of tokens and ids of changes.
 * @param bound requires a bound or an unbound token; default: whichever is accepted
 */
export type Calibrate = (operation: Operation, bound?: boolean) => Promise<ControlResult>;

interface Try {
  readonly place: PathParams;
  readonly form: TokenForm;
  /** Whether it may come before the deployment can answer it. Default: false. */
  readonly early?: boolean;
}

/** What the tries showed when none was accepted. */
interface NoneAccepted {
  /** The answer to the first try that had one. */
  readonly plainest: Reply | undefined;
  /** Why the first token that is lacking is. */
  readonly lacking: NoToken["lacking"] | undefined;
}

/** Statuses with which a receiver may refuse a token. After any other, no other token is tried. */
const MAY_BE_THE_TOKEN = new Set([400, 401, 403, 404]);
/** After so many operations that refused every form with one status, fewer forms are tried. */
const TRIED_IN_FULL = 2;

/**
 * Creates the calibration of a run. It remembers the form that was accepted last.
 * @param accepting whether an operation with an organization (true) and one without (false) accepted a token
 * @param beforeEdit called before the run's first edit
 */
export function createCalibration(
  session: Session,
  send: SendGood,
  discovery: Discovery,
  accepting: Set<boolean>,
  beforeEdit: () => Promise<unknown>,
): Calibrate {
  const { target } = session;
  // Issued tokens follow the issuer's own clock.
  const offset = target.issued ? 0 : (session.clockOffsetSeconds ?? 0);
  let preferred = likelyForm(offset, prefersBound(target));
  /** The number of operations that refused every token form, by status. */
  const refusedAll = new Map<number, number>();

  /** Whether others refused every token form with this status, and none of this kind accepted. */
  function isHopeless({ organization }: Operation, { status }: Reply): boolean {
    return !accepting.has(organization) && (refusedAll.get(status) ?? 0) >= TRIED_IN_FULL;
  }

  /** The profile keys that a good request lacks, and that are not looked for at the deployment. */
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
    if (changeIds.length === 0) return refusal(notProvisioned("operations.readChange.changeId"));
    return changeIds.map((changeId) => ({ organization: primary, changeId }));
  }

  /** The forms of tokens to try, the most likely one first. */
  function formsFor({ organization }: Operation, bound: boolean | undefined): readonly TokenForm[] {
    const kinds = bound !== undefined ? [bound] : target.bindingClaim ? [true, false] : [false];
    // A list has no organization of its own, so an unbound token is tried first.
    const start = organization ? preferred : { ...preferred, bound: false };
    return goodForms(start, offset, kinds, typsFor(target));
  }

  /** The likely form at every place, then the other forms at the first place. */
  function triesOf(
    { change }: Operation,
    places: readonly PathParams[],
    [first, ...others]: readonly TokenForm[],
  ): Try[] {
    return [
      ...places.map((place, at) => ({
        place,
        form: first as TokenForm,
        // A change that was just submitted need not be readable yet.
        early: change && discovery.onlySubmitted && at === 0,
      })),
      ...others.map((form) => ({ place: places[0] as PathParams, form })),
    ];
  }

  /** Sends a try. One that may come too early is repeated while the change is not found. */
  function sendTry(operation: Operation, { place, form, early }: Try): Promise<Reply | NoToken> {
    const once = (): Promise<Reply | NoToken> => send(operation, form, place);
    return early
      ? eventually(session, once, (seen) => "lacking" in seen || seen.status !== 404)
      : once();
  }

  /** Sends one try after another, until one is accepted or the others are without hope. */
  async function firstAccepted(
    operation: Operation,
    bound: boolean | undefined,
    tries: Try[],
  ): Promise<{ control: Control } | NoneAccepted> {
    let plainest: Reply | undefined;
    let lacking: NoToken["lacking"] | undefined;
    for (const [at, one] of tries.entries()) {
      const { place, form, early } = one;
      const reply = await sendTry(operation, one);
      if ("lacking" in reply) {
        lacking = lacking ? both(lacking, reply.lacking) : reply.lacking;
        if (isWriteLimit(reply.lacking)) break;
        continue;
      }
      if (reception(reply) === "accepted") {
        accepting.add(operation.organization);
        // A control of a required kind does not change the preference, because the order of cases is random.
        if (bound === undefined) {
          preferred = operation.organization ? form : { ...form, bound: preferred.bound };
        }
        reply.keep();
        return { control: { operation, form, place, reply, exchange: reply.exchange.id } };
      }
      plainest ??= reply;
      if (!MAY_BE_THE_TOKEN.has(reply.status)) break;
      if (isHopeless(operation, reply)) break;
      const isLast = at === tries.length - 1;
      if (isLast && operation.change && reply.status === 404 && !early) {
        // The feed may list changes that cannot be read. Other rules judge that.
        for (const changeId of await discovery.submittedIds(place.organization)) {
          tries.push({ place: { ...place, changeId }, form: tries[0]?.form ?? form, early: true });
        }
      }
    }
    return { plainest, lacking };
  }

  /** Why there is no control, and remembers the refusal. */
  function refused(
    operation: Operation,
    bound: boolean | undefined,
    { plainest, lacking }: NoneAccepted,
  ): ControlResult {
    if (!plainest) return refusal(lacking ?? session.writes.reached(operation.id));
    plainest.keep();
    if (bound === undefined) {
      refusedAll.set(plainest.status, (refusedAll.get(plainest.status) ?? 0) + 1);
    }
    const { onlySubmitted, onlyGuessed } = discovery;
    if (operation.change && (onlyGuessed || (onlySubmitted && plainest.status === 404))) {
      // The contract does not say that a change can be read while it waits for review, nor what identifies it.
      return refusal(notProvisioned("operations.readChange.changeId"));
    }
    return refusal(
      Finding.inconclusive(
        phrase`the control, a good ${boundWord(bound)}token on ${operation.id}, was not accepted: ${describeReply(plainest)}`,
        { probes: [], controls: [plainest.exchange.id] },
      ),
      plainest,
    );
  }

  return async (operation, bound) => {
    const unprovisioned = missingKeys(operation, bound);
    if (unprovisioned.length > 0) return refusal(notProvisioned(...unprovisioned));
    const places = await placesFor(operation);
    if ("refusal" in places) return places;
    if (operation.id === "editOrganization") await beforeEdit();
    const tries = triesOf(operation, places, formsFor(operation, bound));
    const found = await firstAccepted(operation, bound, tries);
    return "control" in found ? found : refused(operation, bound, found);
  };
}

function boundWord(bound: boolean | undefined): string {
  return bound === undefined ? "" : bound ? "bound " : "unbound ";
}

/** Why neither of two tokens was to be had. What proves nothing comes before what the profile lacks. */
function both(first: NoToken["lacking"], other: NoToken["lacking"]): NoToken["lacking"] {
  if (first.kind !== "not-provisioned" || other.kind !== "not-provisioned") return first;
  const { because } = other;
  const isNew = because && (!first.because || !inWords(first.because).includes(inWords(because)));
  if (!isNew) return first;
  return { ...first, because: first.because ? phrase`${first.because}; ${because}` : because };
}
