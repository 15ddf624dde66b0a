import { controlledOperation, KNOCK } from "../contract/ids.ts";
import type { OperationId } from "../contract/operations.ts";
import type { PlannedCase } from "../engine/plan.ts";
import { clockOffsetSeconds } from "../http/date-offset.ts";
import type { Exchange, TokenNote } from "../http/exchange.ts";
import type { Callback } from "../http/listener.ts";
import type { CaseProbe } from "../probe/case-run.ts";
import type { Control } from "../probe/controls/control.ts";
import type { Controls } from "../probe/controls/controls.ts";
import { createDiscovery } from "../probe/controls/discovery.ts";
import { createProbe } from "../probe/create-probe.ts";
import { type Evidence, exchangesOf } from "../probe/finding.ts";
import type { OutgoingRequest } from "../probe/outgoing-request.ts";
import type { Probe } from "../probe/probe.ts";
import { sideOf } from "../probe/rule.ts";
import type { Seen } from "../probe/seen.ts";
import type { Found, Session } from "../probe/session.ts";
import type { TokenSource } from "../probe/token-source.ts";
import type { UniqueValue } from "../probe/unique-value.ts";
import type { WriteGrant } from "../probe/write/budget.ts";
import type { Organizations } from "../profile/target.ts";
import { draftToken } from "../tokens/draft.ts";
import { CALLBACK, differencesOf, type Drafted, type MadeRequest } from "./compare-request.ts";
import type { ReplayContext } from "./context.ts";
import { notRecorded, onlyRecorded, unlessMissing } from "./missing.ts";
import { controlAmong } from "./recorded-controls.ts";
import {
  isUnclear,
  type Pool,
  recordedReply,
  unsignedSegments,
  withoutRepeated,
} from "./recorded-exchanges.ts";

/** What is known of a replay beside its finding. */
export interface Marks {
  /** The finding may rest on something that is not recorded. */
  doubtful: boolean;
  /** The finding may rest on something that is not recorded, and only a pass beside a violation contradicts it. */
  incomplete: boolean;
  /** The run may have sent requests again, so that another of them counted. */
  troubled: boolean;
  /** The exchanges whose requests are recorded otherwise than the rule makes them, and what it makes, as a phrase. */
  readonly differing: { readonly id: string; readonly what: string }[];
  /** What the case has set up for others too; see `WholeRecord.found`. */
  setUp: ReadonlyMap<string, Found>;
}

/** One try of a case on the record. */
export interface ReplayedTry {
  readonly planned: PlannedCase;
  readonly context: ReplayContext;
  /** The exchanges of the case that no rule has asked for yet. What is asked for is taken out. */
  readonly pool: Pool;
  readonly evidence: Evidence;
  readonly confirming: boolean;
  /** Is completed during the try. */
  readonly marks: Marks;
}

/** The age in seconds that each token has beside that of its kind; see `Session.newAge`. */
const AGE = 0;

/**
 * The probe of a run for one try of a case, whose session sends nothing: each request that is composed gets its recorded answer.
 * @throws NotRecorded from the probe, for anything that is not recorded
 */
export function recordedProbe(tried: ReplayedTry): CaseProbe<Probe, Control> {
  const { planned, confirming } = tried;
  const { session, controls } = recordedReceiver(tried);
  const trial = confirming ? "anew" : "ordinary";
  return createProbe(session, controls, planned.caseId, planned.testCase, trial);
}

/** The session of such a try, and its controls. */
export function recordedReceiver(tried: ReplayedTry): {
  readonly session: Session;
  readonly controls: Controls;
} {
  const controls = recordedControls(tried);
  return { controls, session: recordedSession(tried, controls) };
}

/** The accepted good requests of a run. Of those that the evidence names, the one is chosen that is bound as the first of the run. */
function recordedControls({ context, evidence }: ReplayedTry): Controls {
  const { facts, target, exchanges, firstControl } = context;
  const named = exchangesOf(evidence).flatMap((id) => exchanges.get(id) ?? []);

  function find(operation: OperationId, bound?: boolean): Control {
    const first = firstControl(operation, bound);
    const control =
      controlAmong(named, operation, facts, first?.form.bound) ??
      controlAmong(named, operation, facts, bound) ??
      first;
    return control ?? notRecorded("request");
  }

  const discovery = createDiscovery(target, (id) => Promise.resolve({ control: find(id) }));

  return onlyRecorded<Controls>({
    get: async (operation, { bound } = {}) => ({ control: find(operation, bound) }),
    original: async () =>
      context.whole ? firstControl("viewOrganization")?.reply : notRecorded("run"),
    /** Where the list is not recorded whole, those of the profile are all that is known. */
    organizations: async (): Promise<Organizations> =>
      (await unlessMissing(() => discovery.organizations())) ?? facts.organizations,
  });
}

function recordedSession(tried: ReplayedTry, controls: Controls): Session {
  const { planned, context, pool, evidence, marks } = tried;
  const { facts, target, made, senders, report } = context;
  const isDecided = planned.testCase.control?.bracket === "decides";
  const shared = new Map<string, Pool>([[planned.caseId, pool]]);
  const setUp = new Map<string, Found>(context.whole?.found);
  marks.setUp = setUp;
  /** The times of issue of the drafts so far, each with the time of the draft. */
  const drafts = new Map<number, number>();

  /** The exchanges of a sender that nobody has asked for yet. */
  function poolOf(name: string): Pool {
    const known = shared.get(name);
    if (known) return known;
    const sent = senders.get(name) ?? [];
    if (sent.some(isUnclear)) marks.troubled = true;
    const rest = withoutRepeated(sent);
    shared.set(name, rest);
    return rest;
  }

  /** When the token of a request was drafted; `undefined` where nobody knows what is in it. */
  function draftedAt({ plain: { token } }: MadeRequest): Drafted | undefined {
    // A case about the authorization server knows what its tokens hold.
    if (facts.issued && sideOf(planned.rule) === "receiver") return undefined;
    const iat = Number(token?.claims?.["iat"]);
    const [, at] = [...drafts].find(([issued]) => issued - iat >= 0 && issued - iat <= 2) ?? [];
    return { at: at ?? [...drafts.values()].at(-1) ?? 0, keepsIssueTime: at !== undefined };
  }

  /** Takes the exchange of a request out of its pool. */
  function take(sending: OutgoingRequest): Exchange {
    const request = made(sending);
    const drafted = draftedAt(request);
    const rest = poolOf(sending.caseId);
    const alike = rest.filter(({ operation, request: { token } }) => {
      const isOfMutation = token?.mutation === sending.tokenNote?.mutation;
      return isOfMutation && (operation === undefined || operation === sending.operation);
    });
    const exact = alike.find((one) => differencesOf(request, one, drafted).length === 0);
    const isOwn = isDecided && sending.caseId === planned.caseId;
    const found = exact
      ? { exchange: exact, differences: [] }
      : closest(alike, request, drafted, isOwn);
    if (!found) return notRecorded("request");
    const { exchange, differences } = found;
    rest.splice(rest.indexOf(exchange), 1);
    for (const part of differences) marks.differing.push({ id: exchange.id, what: part });
    return exchange;
  }

  /**
   * The first exchange, if possible without differences.
   * @param isOwn whether the case is judged by the answer to this request, so that its evidence names the control
   */
  function closest(
    alike: readonly Exchange[],
    request: MadeRequest,
    drafted: Drafted | undefined,
    isOwn: boolean,
  ): { readonly exchange: Exchange; readonly differences: readonly string[] } | undefined {
    const { bindingClaim } = facts;
    const compared = alike.map((exchange) => {
      const of = isOwn ? formsOf(exchange.operation) : undefined;
      const withForms = drafted && { ...drafted, forms: { bindingClaim, of } };
      return { exchange, differences: differencesOf(request, exchange, withForms) };
    });
    return (
      compared.find(({ differences }) => differences.length === 0) ??
      compared.find(({ differences }) => !differences.includes("path")) ??
      (isOwn ? compared[0] : undefined)
    );
  }

  /** The tokens of the controls that the evidence names: the tries of a case may rest on controls of several forms. */
  function formsOf(operation: OperationId | undefined): TokenNote[] {
    return exchangesOf(evidence).flatMap((id) => {
      const exchange = context.exchanges.get(id);
      const isControl = exchange && controlledOperation(exchange.caseId) === operation;
      return (isControl && exchange.request.token) || [];
    });
  }
  /** A recorded write of the run, or one that it left behind. Those that were not accepted need not be recorded. */
  function findWrite(fits: (written: UniqueValue) => unknown): UniqueValue | undefined {
    const written = context.written();
    const accepted = (report.leftBehind ?? []).flatMap(({ value, operation }) =>
      value === undefined
        ? []
        : [onlyRecorded<UniqueValue>({ value, operation, received: "accepted" }, "run")],
    );
    if (accepted.length === 0) return written.find(fits) ?? notRecorded("run");
    const found = written.find(fits) ?? accepted.find(fits);
    if (!found) marks.incomplete = true;
    return found;
  }

  /** A good token: signed anew, or, where tokens are issued, one with what the control's shows. */
  const tokens: TokenSource = {
    async draft({ operation, form, organization }) {
      const draft = draftToken(target, operation, form, organization);
      if (!facts.issued) {
        drafts.set(Number(draft.claims["iat"]), Math.floor((form.atMs ?? 0) / 1000));
        return draft;
      }
      const found = await controls.get(operation.id, { bound: form.bound });
      const known = "control" in found ? context.exchanges.get(found.control.exchange) : undefined;
      const { header = draft.header, claims = draft.claims } = known?.request.token ?? {};
      return { header, claims, key: draft.key, issued: unsignedSegments({ header, claims }) };
    },
  };

  return onlyRecorded<Session>({
    target,
    seed: report.seed,
    tokens,
    get clockOffsetSeconds() {
      const [knock] = senders.get(KNOCK) ?? [];
      return knock ? clockOffsetSeconds(recordedReply(knock)) : notRecorded("time");
    },
    seen: onlyRecorded<Seen>(
      context.whole?.seen ?? {
        uniqueValues: onlyRecorded({ find: findWrite } as Partial<readonly UniqueValue[]>, "run"),
        rejections: [],
      },
    ),
    found: setUp,
    /** How many writes may go side by side depends on all writes before. Where all are recorded, their number is known. */
    writes: onlyRecorded<Session["writes"]>({
      beginStage: () =>
        onlyRecorded<WriteGrant>(context.whole ? { atOnce: { inAll: 1, ofRule: 1 } } : {}),
    }),
    outages: { crashes: [], isGone: false, lostAgain: [] },
    tellsMore: false,
    openCallback: () =>
      Promise.resolve(onlyRecorded<Callback>({ url: `http://${CALLBACK}` }, "callback")),
    newAge: () => AGE,
    nextId: (label) => label,
    wait: () => Promise.resolve(),
    async eventually(_wait, look, hoped) {
      for (let seen = await look(); ;) {
        if (hoped(seen)) return seen;
        const next = await unlessMissing(look);
        if (next === undefined) return seen;
        seen = next;
      }
    },
    /** Where a case judged again after all writes had to show, only that is named. */
    settlesInMs(shown) {
      if (pool.length === 0 || shown.every((id) => evidence.probes.includes(id))) return undefined;
      marks.troubled = true;
      return 0;
    },
    async send(sending) {
      const exchange = take(sending);
      context.whole?.sendings.set(exchange.id, sending);
      return recordedReply(exchange);
    },
  });
}
