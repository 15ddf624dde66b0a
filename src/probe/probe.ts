import { OPERATIONS, type OperationId } from "../contract/operations.ts";
import type { Reply } from "../http/exchange.ts";
import type { Callback } from "../http/listener.ts";
import { mutatesToken } from "../mutations/mint.ts";
import {
  type InvalidMutation,
  type Mutation,
  type MutationContext,
  dependsOnTime,
} from "../mutations/mutation.ts";
import { type Need, namedNeeds, unmetNeeds } from "../profile/need.ts";
import type { Target } from "../profile/target.ts";
import type { Segments } from "../tokens/compact.ts";
import { aged } from "../tokens/draft.ts";
import { endCase } from "./case-end.ts";
import { chooseToken } from "./choose-token.ts";
import { composeRequest } from "./compose.ts";
import { isContractRoute } from "./contract-route.ts";
import type { Control } from "./control.ts";
import type { ControlOptions, ControlResult, Controls } from "./controls.ts";
import type { Difference } from "./difference.ts";
import type { ErrorAnswer } from "./error-record.ts";
import { eventually } from "./eventually.ts";
import type { Evidence, Finding } from "./finding.ts";
import { likelyForm } from "./forms.ts";
import { acceptance, observation, rejection } from "./judge-attempt.ts";
import { notProvisioned } from "./not-provisioned.ts";
import type { OutgoingRequest } from "./outgoing-request.ts";
import { phrase } from "./phrase.ts";
import type { PublishedKeys } from "./published-keys.ts";
import type { PathParams } from "./request.ts";
import type { RuleCase } from "./rule-case.ts";
import { seededUuid } from "./seeded.ts";
import { FORGED_AGE, GOOD_AGE, type Session, type UniqueValue } from "./session.ts";
import type { NoToken } from "./token-source.ts";
import { withoutMarks } from "./unmarked.ts";
import { WRITE_LIMIT_REACHED } from "./write/writes.ts";

const LONGEST_NAME = 80;

/** In which control a mutation is made, where it is not the plain one of the case's operation. */
export interface AttemptOptions {
  /** Default: the operation of the case. */
  readonly operation?: OperationId | undefined;
  /** The operation whose control shows which token is accepted. Default: the same. */
  readonly tokenOf?: OperationId | undefined;
  /** Only a bound or only an unbound token serves as control. Default: whichever is accepted. */
  readonly bound?: boolean | undefined;
  /** The organization in the path, and in the claim of a bound token. Default: the primary one. */
  readonly organization?: string | undefined;
  /** The change in the path. Default: the control's. */
  readonly changeId?: string | undefined;
  /** The token's age; see `Session.newAge`. Default: a new one where the mutation is one of the token. */
  readonly age?: number | undefined;
  /** What is expected of a write; see `OutgoingRequest.purpose`. */
  readonly purpose?: OutgoingRequest["purpose"];
}

/** A changed request that was sent, beside its control. */
export interface Attempt {
  readonly control: Control;
  readonly reply: Reply;
  /** The token that it was sent with, as it was signed. */
  readonly segments: Segments;
  readonly evidence: Evidence;
  /** Where the mutation has sent the deployment, if it is `remote`. */
  readonly callback?: Callback | undefined;
  /** Whether the application alone can have answered; see `isOrdinary`. */
  readonly onContractRoute: boolean;
}

/** A request that was sent beside no control. */
export type Provoked = Pick<Attempt, "reply" | "evidence">;

/** A changed request as it was sent. */
type Sent = Pick<Attempt, "reply" | "segments" | "onContractRoute"> & {
  readonly differences: readonly Difference[];
};

export type AttemptResult = { attempt: Attempt } | { finding: Finding };

/** What several cases work with: a walk through a collection, a submitted change. */
export interface Fixture<T> {
  /** Names the requests that set it up. Unique in its scope. */
  readonly name: string;
  /** Whose cases share it. */
  readonly scope: "rule" | "run";
  /** What it cannot be set up without; cases that use it then end as not provisioned. */
  readonly needs?: readonly Need[];
  /**
   * Sets it up, with a probe that sends in the name of all.
   * @throws CaseEnd where it cannot be
   */
  readonly setup: (probe: Probe) => Promise<T>;
}

/** What a rule works with: one case's view of a run. */
export interface Probe {
  readonly target: Target;
  /** True when a violation has been seen and the case is run again to confirm it. */
  readonly confirming: boolean;
  /** The run's seed: what is generated from it is the same in each run that has it. */
  readonly seed: number;
  /** Seconds that the deployment's `Date` is ahead of this machine's clock; `undefined`: it sends none. */
  readonly clockOffsetSeconds: number | undefined;
  /** Every error answer of the run so far; rules of the phase `record` judge them. */
  readonly errors: readonly ErrorAnswer[];
  /** How the run's answers so far agree with the deployment's document. */
  readonly documentLog: Session["documentLog"];
  /** Every value that stood for `${unique}` in a write of the run so far. */
  readonly uniqueValues: readonly UniqueValue[];
  /** The test issuer's keys, where the run publishes them. */
  readonly publishedKeys: PublishedKeys | undefined;
  /** For a token that is sent more than once; see `Session.newAge`. */
  newAge(): number;
  /** A version 4 UUID that the seed and the label determine; names nothing that exists. */
  uuid(label: string): string;
  /** The organizations to work with, from the profile or the list. */
  organizations(): ReturnType<Controls["organizations"]>;
  /**
   * Looks until what it sees is what was hoped for, or the run's patience is at its end: a write
   * that was accepted need not show at once.
   * @param times how many times that patience; default 1
   * @returns the last look
   * @throws Interrupted
   */
  eventually<T>(look: () => Promise<T>, hoped: (seen: T) => boolean, times?: number): Promise<T>;
  /**
   * Waits, while other cases go on.
   * @throws Interrupted
   */
  wait(ms: number): Promise<void>;
  /**
   * What several cases share: set up by the first that asks, and anew by each case that confirms.
   * All of them lean on the controls that it leans on.
   * @throws CaseEnd where the set-up ends so; then every case that uses it ends like that
   */
  use<T>(fixture: Fixture<T>): Promise<T>;
  /**
   * An organization of the profile or the list.
   * @throws CaseEnd where there is none: not provisioned
   */
  organization(role: "primary" | "other"): Promise<string>;
  /**
   * The accepted good request for an operation.
   * @throws CaseEnd where no good request is accepted
   */
  control(operation: OperationId, options?: ControlOptions): Promise<Control>;
  /** The same, for the few cases that go on without a control. */
  tryControl(operation: OperationId, options?: ControlOptions): Promise<ControlResult>;
  /**
   * Sends a request of the case's operation that is to be refused, beside no control: whether a good one is
   * accepted says nothing about how an error is told.
   * @param options.organization the organization in the path; default: the primary one
   * @returns `undefined` where nothing was sent
   */
  provoke(
    mutation: Mutation,
    options?: Pick<AttemptOptions, "organization">,
  ): Promise<Provoked | undefined>;
  /**
   * Sends the control's request with one mutation, and returns what came back.
   * @throws CaseEnd where it could not be sent, or has no control
   */
  attempt(mutation: Mutation, options?: AttemptOptions): Promise<Attempt>;
  /** The same, for the few cases that go on without it. */
  tryAttempt(mutation: Mutation, options?: AttemptOptions): Promise<AttemptResult>;
  /**
   * Finds that the request with one mutation is rejected. In a case of level OBSERVE, here and in
   * `accepts`, the finding is what the deployment answered. That it was accepted is proof, but for a
   * change whose answer depends on time.
   * @param options.status the only status that counts as rejection; default: see `reception`
   * @param options.doubt why the answer proves nothing, whatever it is; `undefined` where it does
   */
  rejects(
    mutation: Mutation | InvalidMutation,
    options?: AttemptOptions & {
      status?: number;
      doubt?: (attempt: Attempt) => Promise<Finding | undefined>;
    },
  ): Promise<Finding>;
  /** Finds that the request with one mutation is accepted as its control is. */
  accepts(mutation: Mutation, options?: AttemptOptions): Promise<Finding>;
}

/** A probe, and the controls that its case has leaned on, for the engine. */
export interface CaseProbe {
  readonly probe: Probe;
  readonly used: ReadonlySet<Control>;
  /**
   * How long it has waited for time to pass, in milliseconds, or `undefined` where it has not; for what several cases
   * share, the first that asked.
   */
  readonly waitedMs: number | undefined;
}

/** Makes the probe for one case. `name` is `<rule id>/<case id>`. */
export function createProbe(
  session: Session,
  controls: Controls,
  name: string,
  testCase: RuleCase,
  confirming: boolean,
): CaseProbe {
  const { target } = session;
  const used = new Set<Control>();
  let waitedMs: number | undefined;
  const observing = testCase.level === "OBSERVE";
  const { unmarked } = testCase;
  const uuid = (label: string): string => seededUuid(session.seed, label);

  async function wait(ms: number): Promise<void> {
    const began = performance.now();
    await session.wait(ms);
    waitedMs = (waitedMs ?? 0) + performance.now() - began;
  }

  async function tryAttempt(
    mutation: Mutation,
    options: AttemptOptions = {},
  ): Promise<AttemptResult> {
    const id = options.operation ?? testCase.operation;
    if (!id) throw new TypeError(`${name} sends a request of no operation`);
    const impossible = mutation.inapplicable?.(target);
    if (impossible !== undefined) {
      return { finding: { kind: "not-applicable", reason: phrase`${impossible}` } };
    }
    const callback = mutation.remote ? await session.openCallback() : undefined;
    if (callback && "unreachable" in callback) {
      return { finding: { kind: "not-applicable", reason: phrase`${callback.unreachable}` } };
    }
    const operation = OPERATIONS[id];
    const found = await controls.get(options.tokenOf ?? id, { bound: options.bound, unmarked });
    if ("refusal" in found) return { finding: found.refusal.finding };
    const { control } = found;
    used.add(control);
    if (unmarked && control.operation.writes) await leanOnMarked(control);
    const { primary, other } = await controls.organizations();
    const place = {
      ...control.place,
      ...(options.organization !== undefined && { organization: options.organization }),
      ...(options.changeId !== undefined && { changeId: options.changeId }),
    };
    const organization = place.organization ?? primary;
    const context: MutationContext = {
      target,
      operation,
      form: control.form,
      organization,
      otherOrganization: [other, primary].find((one) => one !== undefined && one !== organization),
      uuid,
      callback: callback?.url,
    };
    const sent = await sendChanged(mutation, context, place, options);
    if ("lacking" in sent) return { finding: sent.lacking };
    const { reply, segments, differences, onContractRoute } = sent;
    const evidence: Evidence = {
      probes: [reply.exchange.id],
      controls: [control.exchange],
      differences,
    };
    if (reply.crashed) {
      const reason = phrase`the deployment went down at this request, sent alone, without an answer`;
      return { finding: { kind: "inconclusive", code: "crash", reason, evidence } };
    }
    return { attempt: { control, reply, segments, evidence, callback, onContractRoute } };
  }

  /** An unmarked write is not sent once more at the end; see `Controls.repeat`. */
  async function leanOnMarked({ operation, form }: Control): Promise<void> {
    const marked = await controls.get(operation.id, { bound: form.bound });
    if ("control" in marked) used.add(marked.control);
  }

  /** Sends the plain request for a place with one mutation. */
  async function sendChanged(
    mutation: Mutation,
    context: MutationContext,
    place: PathParams,
    { purpose, age = ageOf(mutation) }: Pick<AttemptOptions, "purpose" | "age">,
  ): Promise<Sent | NoToken> {
    const { operation } = context;
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
      spec: unmarked ? withoutMarks(request) : request,
      token,
      tokenNote: { ...note, mutation: mutation.name },
      unique,
      organization: place.organization,
      purpose: purpose ?? (confirming ? "confirming" : "unwanted"),
    });
    if (!reply) return { lacking: WRITE_LIMIT_REACHED };
    const onContractRoute = isContractRoute(target, operation, request);
    return { reply, segments, differences, onContractRoute };
  }

  /** Those whose fate is the same share an age, because a good token is minted once a second then. */
  function ageOf(mutation: Mutation): number {
    if (mutation.sign) return FORGED_AGE;
    return mutatesToken(mutation) ? session.newAge() : GOOD_AGE;
  }

  const provoke: Probe["provoke"] = async (mutation, options = {}) => {
    const operation = OPERATIONS[testCase.operation ?? "listOrganizations"];
    const { primary, other } = await controls.organizations();
    const known = await controls.get(operation.id);
    const plain =
      "control" in known
        ? known.control
        : {
            form: likelyForm(session.clockOffsetSeconds ?? 0, target.bindingClaim !== undefined),
            place: {
              ...(operation.organization && { organization: primary ?? uuid("organization") }),
              ...(operation.change && { changeId: uuid("change") }),
            },
          };
    const place = { ...plain.place, ...options };
    const organization = place.organization ?? primary;
    const { form } = plain;
    const context = { target, operation, form, organization, otherOrganization: other, uuid };
    const sent = await sendChanged(mutation, context, place, {});
    if ("lacking" in sent) return undefined;
    const { reply, differences } = sent;
    return { reply, evidence: { probes: [reply.exchange.id], differences } };
  };

  const probe: Probe = {
    target,
    confirming,
    seed: session.seed,
    clockOffsetSeconds: session.clockOffsetSeconds,
    get errors() {
      return session.errors;
    },
    documentLog: session.documentLog,
    uniqueValues: session.uniqueValues,
    publishedKeys: session.publishedKeys,
    newAge: () => session.newAge(),
    uuid,
    wait,
    eventually: (look, hoped, times) =>
      eventually({ patienceMs: session.patienceMs, wait }, look, hoped, times),
    organizations: () => controls.organizations(),
    async use<T>({ name: label, scope, needs = [], setup }: Fixture<T>) {
      const lacks = namedNeeds(unmetNeeds(target, needs));
      if (lacks.length > 0) endCase(notProvisioned(...lacks));
      if (confirming) return setup(probe);
      const owner = scope === "run" ? "shared" : (name.split("/", 1)[0] ?? "");
      const key = `${owner} ${label}`;
      let known = session.found.get(key);
      if (!known) {
        const asOthers = { ...testCase, unmarked: false };
        const shared = createProbe(session, controls, sharedName(owner, label), asOthers, false);
        const value = setup(shared.probe).finally(() => {
          waitedMs = sumOf(waitedMs, shared.waitedMs);
        });
        known = { value, used: shared.used };
        session.found.set(key, known);
      }
      try {
        return (await known.value) as T;
      } finally {
        for (const control of known.used) used.add(control);
      }
    },
    async organization(role) {
      const found = (await controls.organizations())[role];
      return found ?? endCase(notProvisioned(`organizations.${role}`));
    },
    async control(operation, options) {
      const found = await probe.tryControl(operation, options);
      return "control" in found ? found.control : endCase(found.refusal.finding);
    },
    async tryControl(operation, options) {
      const found = await controls.get(operation, { ...options, unmarked });
      if ("control" in found) used.add(found.control);
      return found;
    },
    async attempt(mutation, options) {
      const result = await tryAttempt(mutation, options);
      return "attempt" in result ? result.attempt : endCase(result.finding);
    },
    tryAttempt,
    provoke,
    async rejects(mutation, options = {}) {
      const attempt = await probe.attempt(mutation, options);
      if (observing) return observation(attempt);
      const doubt = await options.doubt?.(attempt);
      if (doubt) return doubt;
      const finding = rejection(attempt, options.status, dependsOnTime(mutation));
      if (finding.kind === "pass" && "check" in mutation) {
        session.noteRejection(mutation.check, attempt.reply.status);
      }
      return finding;
    },
    async accepts(mutation, options = {}) {
      const attempt = await probe.attempt(mutation, { purpose: "wanted", ...options });
      return observing ? observation(attempt) : acceptance(attempt);
    },
  };
  return {
    probe,
    used,
    get waitedMs() {
      return waitedMs;
    },
  };
}

/** What two waited; `undefined` where neither has. */
export function sumOf(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : one + other;
}

/** What is sent for several cases has a name of its own: which of them asked first is chance. */
function sharedName(owner: string, label: string): string {
  return `${owner}/${label.replaceAll(/[^\w@.?=&-]+/g, "-").slice(0, LONGEST_NAME)}`;
}
