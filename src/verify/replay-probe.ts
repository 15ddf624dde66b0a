import { controlId, ruleOfCase, SHARED } from "../contract/ids.ts";
import { type OperationId, OPERATIONS } from "../contract/operations.ts";
import type { PlannedCase } from "../engine/plan.ts";
import type { Exchange, HttpRequest } from "../http/exchange.ts";
import { dependsOnTime, type Mutation, type MutationContext } from "../mutations/mutation.ts";
import { present } from "../probe/compose.ts";
import { isContractRoute } from "../probe/contract-route.ts";
import type { Control } from "../probe/controls/control.ts";
import { sharedName } from "../probe/create-probe.ts";
import {
  endCase,
  type Evidence,
  exchangesOf,
  type Finding,
  notProvisioned,
} from "../probe/finding.ts";
import { acceptance, observation, rejection } from "../probe/judge-attempt.ts";
import type { Attempt, AttemptOptions, Fixture, Probe } from "../probe/probe.ts";
import { type PathParams, seededUuid } from "../probe/request.ts";
import type { UniqueValue } from "../probe/unique-value.ts";
import type { Facts } from "../profile/facts.ts";
import { namedNeeds, unmetNeeds } from "../profile/need.ts";
import type { ReplayContext } from "./checked-case.ts";
import { differencesFromMade, goodAt, hasMadeMembers } from "./made-request.ts";
import { notRecorded, NotRecorded, onlyRecorded } from "./missing.ts";
import {
  controlAmong,
  isUnclear,
  type Pool,
  takeFrom,
  withoutRepeated,
  writtenBy,
} from "./recorded-exchanges.ts";
import { recordedReply } from "./recorded-reply.ts";

/** What is known of a replay beside its finding. */
export interface Marks {
  /** The rule used a control. */
  controlled: boolean;
  /** The finding may rest on something that is not recorded. */
  doubtful: boolean;
  /** The finding may rest on something that is not recorded, and only a pass beside a violation contradicts it. */
  incomplete: boolean;
  /** The run may have sent requests again, so that another of them counted. */
  troubled: boolean;
  /** The exchanges whose requests are recorded otherwise than the rule makes them, and what it makes, as a phrase. */
  readonly differing: { readonly id: string; readonly what: string }[];
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

/**
 * A probe that sends nothing: each request gets its recorded answer.
 * @throws NotRecorded from the probe, for anything that is not recorded
 */
export function replayProbe(tried: ReplayedTry): Probe {
  const { planned, context, pool, evidence, confirming, marks } = tried;
  const { facts, exchanges, senders } = context;
  const { seed, leftBehind = [] } = context.report;
  const { caseId, testCase } = planned;
  const isObserving = testCase.level === "OBSERVE";
  const target = withoutBodies(facts);
  const named = exchangesOf(evidence).flatMap((id) => exchanges.get(id) ?? []);

  /** The control that the evidence names: where it names a bound and an unbound one, the one that was accepted first in the run. */
  function knownControl(operation: OperationId, bound?: boolean): Control {
    const all = senders.get(controlId(operation)) ?? [];
    const first = controlAmong(all, operation, facts, bound);
    const control =
      controlAmong(named, operation, facts, first?.form.bound) ??
      controlAmong(named, operation, facts, bound) ??
      first;
    return control ?? notRecorded("request");
  }

  /** The request that a mutation makes of a place, and its answer. */
  function sent(
    mutation: Mutation,
    control: Control,
    { organization, changeId }: Pick<AttemptOptions, "organization" | "changeId">,
    id: OperationId,
  ): Exchange {
    const { primary, other } = facts.organizations;
    const place: PathParams = {
      ...control.place,
      ...(organization !== undefined && { organization }),
      ...(changeId !== undefined && { changeId }),
    };
    const own = place.organization ?? primary;
    const made: MutationContext = {
      target: facts,
      operation: OPERATIONS[id],
      form: control.form,
      organization: own,
      otherOrganization: [other, primary].find((one) => one !== undefined && one !== own),
      uuid: (label) => seededUuid(seed, label),
    };
    const good = exchanges.get(control.exchange);
    const plain = good && control.operation.id === id ? goodAt(good, place, made) : undefined;
    const { exchange, differences } = takeFrom(
      pool,
      mutation,
      made,
      place,
      (one) => (plain ? differencesFromMade(plain, one, mutation, { ...made, target }) : []),
      (one) => plain === undefined || hasMadeMembers(plain, one, mutation, made),
    );
    for (const what of differences) marks.differing.push({ id: exchange.id, what });
    return exchange;
  }

  function attempt(mutation: Mutation, options: AttemptOptions = {}): Attempt {
    const id = options.operation ?? testCase.operation;
    if (id === undefined) return notRecorded("request");
    const control = knownControl(options.tokenOf ?? id, options.bound);
    marks.controlled = true;
    const exchange = sent(mutation, control, options, id);
    const { method, url, headers, body } = exchange.request;
    return onlyRecorded<Attempt>({
      control,
      reply: recordedReply(exchange),
      evidence: {
        probes: [exchange.id],
        controls: [control.exchange],
        differences: evidence.differences,
      },
      get onContractRoute() {
        const path = url.startsWith(facts.origin) ? url.slice(facts.origin.length) : url;
        const request = unredacted({ method, path, headers, body }, mutation);
        return isContractRoute(facts, OPERATIONS[id], request);
      },
    });
  }

  async function use<T>({ name, scope, needs = [], setup }: Fixture<T>): Promise<T> {
    const lacks = namedNeeds(unmetNeeds(facts, needs));
    if (lacks.length > 0) endCase(notProvisioned(...lacks));
    if (confirming) return setup(probe);
    const sender = sharedName(scope === "run" ? SHARED : ruleOfCase(caseId), name);
    const sentForAll = senders.get(sender) ?? [];
    if (sentForAll.some(isUnclear)) marks.troubled = true;
    const shared = replayProbe({
      ...tried,
      planned: {
        ...planned,
        caseId: sender,
        testCase: {
          ...testCase,
          control: { ...testCase.control, unmarked: false },
          level: "MUST",
        },
      },
      pool: withoutRepeated(sentForAll),
    });
    return setup(shared);
  }

  /** A recorded write of the run, or one that it left behind. Those that were not accepted need not be recorded. */
  function findWrite(fits: (written: UniqueValue) => unknown): UniqueValue | undefined {
    const written = [...exchanges.values()].flatMap((one) => writtenBy(one, facts) ?? []);
    const accepted = leftBehind.flatMap(({ value, operation }) =>
      value === undefined
        ? []
        : [onlyRecorded<UniqueValue>({ value, operation, received: "accepted" }, "run")],
    );
    if (accepted.length === 0) return written.find(fits) ?? notRecorded("run");
    const found = written.find(fits) ?? accepted.find(fits);
    if (!found) marks.incomplete = true;
    return found;
  }

  /** The organizations of the profile, because the content of a list may not be recorded. */
  function organizations(): { primary: string; other: string } {
    const { primary, other } = facts.organizations;
    if (primary === undefined || other === undefined) return notRecorded("answer");
    return { primary, other };
  }

  const probe: Probe = onlyRecorded<Probe>({
    target,
    seed,
    confirming,
    tellsMore: false,
    get besideWrites() {
      marks.troubled = true;
      return false;
    },
    seen: onlyRecorded<Probe["seen"]>({
      uniqueValues: onlyRecorded({ find: findWrite } as Partial<readonly UniqueValue[]>, "run"),
    }),
    newAge: () => 0,
    outages: { crashes: [], isGone: false, lostAgain: [] },
    uuid: (label) => seededUuid(seed, label),
    wait: () => Promise.resolve(),
    async eventually(look, hoped) {
      for (let seen = await look(); ;) {
        if (hoped(seen)) return seen;
        const next = await unlessMissing(look);
        if (next === undefined) return seen;
        seen = next;
      }
    },
    async judgeSettled(judge): Promise<Finding> {
      // Where it was judged again after all writes had to show, only that is named.
      const first = await unlessMissing(() => judge(probe));
      const shown = first?.evidence?.probes ?? [];
      if (first && shown.every((id) => evidence.probes.includes(id))) return first;
      const anew = (): Promise<Finding> => judge(replayProbe({ ...tried, confirming: true }));
      if (!first) return anew();
      marks.troubled = true;
      return (await unlessMissing(anew)) ?? first;
    },
    use,
    organizations: () => Promise.resolve(organizations()),
    organization: (role) => Promise.resolve(organizations()[role]),
    async control(operation, options) {
      marks.controlled = true;
      return knownControl(operation, options?.bound);
    },
    async tryControl(operation, options) {
      marks.controlled = true;
      return { control: knownControl(operation, options?.bound) };
    },
    provoke(mutation, options = {}) {
      const id = testCase.operation ?? "listOrganizations";
      const exchange = sent(mutation, knownControl(id), options, id);
      return Promise.resolve({
        reply: recordedReply(exchange),
        evidence: { probes: [exchange.id], differences: evidence.differences },
      });
    },
    attempt: async (mutation, options) => attempt(mutation, options),
    tryAttempt: async (mutation, options) => ({ attempt: attempt(mutation, options) }),
    async rejects(mutation, options = {}): Promise<Finding> {
      const made = attempt(mutation, options);
      if (isObserving) return observation(made);
      const doubt = await options.doubt?.(made);
      return doubt ?? rejection(made, options.status, dependsOnTime(mutation));
    },
    async accepts(mutation, options): Promise<Finding> {
      const made = attempt(mutation, options);
      return isObserving ? observation(made) : acceptance(made);
    },
  });
  return probe;
}

/** A recorded request with what the mutation presents as credentials, of some token: in the record they are redacted. */
function unredacted(request: HttpRequest, { authorization }: Mutation): HttpRequest {
  if (!authorization) return request;
  const headers = request.headers.filter(([name]) => name.toLowerCase() !== "authorization");
  return present({ ...request, headers }, authorization("token"));
}

/** The facts for rules, which must not judge by the word that stands for an invalid body. */
export function withoutBodies(facts: Facts): Facts {
  const operations = Object.entries(facts.operations).map(([id, operation]) => [
    id,
    operation && "invalidBody" in operation
      ? Object.defineProperty({ ...operation }, "invalidBody", {
          get: () => notRecorded("profile"),
        })
      : operation,
  ]);
  return { ...facts, operations: Object.fromEntries(operations) as Facts["operations"] };
}

/** A value, or `undefined` where something that it needs is not recorded. */
export async function unlessMissing<T>(value: () => Promise<T>): Promise<T | undefined> {
  try {
    return await value();
  } catch (error) {
    if (error instanceof NotRecorded) return undefined;
    throw error;
  }
}
