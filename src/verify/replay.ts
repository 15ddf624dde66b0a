import { controlId, controlledOperation } from "../contract/ids.ts";
import { OPERATIONS, type OperationId } from "../contract/operations.ts";
import { confirmed, needsConfirming } from "../engine/confirm.ts";
import type { PlannedCase } from "../engine/plan.ts";
import type { Exchange } from "../http/exchange.ts";
import type { Mutation } from "../mutations/mutation.ts";
import { dependsOnTime } from "../mutations/mutation.ts";
import { CaseEnd } from "../probe/case-end.ts";
import { isContractRoute } from "../probe/contract-route.ts";
import type { Control } from "../probe/controls/control.ts";
import type { Evidence, Finding } from "../probe/finding.ts";
import { acceptance, observation, rejection } from "../probe/judge-attempt.ts";
import type { Attempt, AttemptOptions, Probe } from "../probe/probe.ts";
import { wasLetIn } from "../probe/reception.ts";
import { seededUuid } from "../probe/seeded-uuid.ts";
import type { Facts } from "../profile/facts.ts";
import { NotRecorded, onlyRecorded, recordedReply } from "./recorded-reply.ts";

/** The data by which a case is judged again. */
export interface ReplayContext {
  readonly facts: Facts;
  readonly seed: number;
  readonly exchanges: ReadonlyMap<string, Exchange>;
}

/** What a rule finds in the recorded answers of a case. */
export interface Replayed {
  readonly finding: Finding;
  readonly flaky: boolean;
  /** A violation that a second try must confirm, but the record has no second try. */
  readonly unconfirmed: boolean;
  /** The rule used a control. */
  readonly controlled: boolean;
}

/**
 * Runs a case's rule on the record: each request that it would send gets the recorded answer.
 * @returns `undefined` when the rule asks for something that the record does not have
 */
export async function replay(
  planned: PlannedCase,
  evidence: Evidence,
  context: ReplayContext,
): Promise<Replayed | undefined> {
  let controlled = false;
  const lean = (): void => {
    controlled = true;
  };
  const run = async (
    probes: readonly string[],
    confirming: boolean,
  ): Promise<{ finding: Finding; left: readonly string[] }> => {
    const left = [...probes];
    const known = { ...evidence, probes: left };
    const probe = replayProbe(planned, known, context, { confirming, lean });
    try {
      return { finding: await planned.testCase.judge(probe), left };
    } catch (error) {
      if (error instanceof CaseEnd) return { finding: error.finding, left };
      throw error;
    }
  };
  try {
    const { probes } = evidence;
    const first = await run(probes, false);
    const isViolation = needsConfirming(first.finding, planned);
    if (first.left.length === 0) {
      return rests(first.finding, probes)
        ? { finding: first.finding, flaky: false, unconfirmed: isViolation, controlled }
        : undefined;
    }
    // If two tries disagree, the one that proves something comes last.
    const order = isViolation
      ? probes
      : [...first.left, ...probes.slice(0, probes.length - first.left.length)];
    const one = isViolation ? first : await run(order, false);
    if (!needsConfirming(one.finding, planned)) return undefined;
    const two = await run(one.left, true);
    const both = confirmed(one.finding, two.finding);
    return two.left.length === 0 && rests(both.finding, probes)
      ? { ...both, unconfirmed: false, controlled }
      : undefined;
  } catch {
    // A rule may fail in any way on a forged record. Then it has judged nothing.
    return undefined;
  }
}

/** Whether a finding rests on these probes, in this order. */
function rests(finding: Finding, probes: readonly string[]): boolean {
  const own = "evidence" in finding ? (finding.evidence?.probes ?? []) : [];
  return own.length === probes.length && own.every((id, at) => id === probes[at]);
}

/**
 * A probe that sends nothing.
 * @param evidence its probes are consumed in order as the rule asks for them
 * @throws NotRecorded from the probe, for anything that is not recorded
 */
function replayProbe(
  { caseId, testCase }: PlannedCase,
  evidence: Omit<Evidence, "probes"> & { readonly probes: string[] },
  { facts, seed, exchanges }: ReplayContext,
  { confirming, lean }: { readonly confirming: boolean; readonly lean: () => void },
): Probe {
  const observing = testCase.level === "OBSERVE";
  const { probes, controls = [], differences } = evidence;

  /** The next recorded probe, if it is the one that the rule asks for. */
  function next(fits: (exchange: Exchange) => boolean): Exchange {
    const exchange = exchanges.get(probes[0] ?? "");
    if (!exchange || !fits(exchange)) throw new NotRecorded("another request");
    probes.shift();
    return exchange;
  }

  function sent({ name }: Mutation): Exchange {
    return next(
      (exchange) => exchange.caseId === caseId && exchange.request.token?.mutation === name,
    );
  }

  function controlOf(id: string | undefined): Control {
    const exchange = exchanges.get(id ?? "");
    const operation = exchange && controlledOperation(exchange.caseId);
    if (!exchange || operation === undefined) throw new NotRecorded("a control");
    return onlyRecorded<Control>({
      operation: OPERATIONS[operation],
      exchange: exchange.id,
      reply: recordedReply(exchange),
    });
  }

  function attempt(mutation: Mutation, options: AttemptOptions = {}): Promise<Attempt> {
    const id = options.operation ?? testCase.operation;
    if (mutation.remote || id === undefined) throw new NotRecorded("what was fetched");
    const exchange = sent(mutation);
    lean();
    const { method, url, headers, body } = exchange.request;
    return Promise.resolve(
      onlyRecorded<Attempt>({
        reply: recordedReply(exchange),
        evidence: { probes: [exchange.id], controls: controls.slice(0, 1), differences },
        get control() {
          return controlOf(controls[0]);
        },
        get onContractRoute() {
          const path = url.startsWith(facts.origin) ? url.slice(facts.origin.length) : url;
          return isContractRoute(facts, OPERATIONS[id], { method, path, headers, body });
        },
      }),
    );
  }

  /** The organizations of the profile, because the content of a list is not recorded. */
  function organizations(): { primary: string; other: string } {
    const { primary, other } = facts.organizations;
    if (primary === undefined || other === undefined) throw new NotRecorded("the list");
    return { primary, other };
  }

  return onlyRecorded<Probe>({
    target: facts,
    seed,
    confirming,
    newAge: () => 0,
    uuid: (label) => seededUuid(seed, label),
    organizations: () => Promise.resolve(organizations()),
    organization: (role) => Promise.resolve(organizations()[role]),
    control: (operation) => Promise.resolve(knownControl(operation)),
    tryControl: (operation) => Promise.resolve({ control: knownControl(operation) }),
    provoke(mutation) {
      const exchange = sent(mutation);
      return Promise.resolve({
        reply: recordedReply(exchange),
        evidence: { probes: [exchange.id], differences },
      });
    },
    attempt,
    tryAttempt: async (mutation, options) => ({ attempt: await attempt(mutation, options) }),
    async rejects(mutation, options = {}) {
      const made = await attempt(mutation, options);
      if (observing) return observation(made);
      const doubt = await options.doubt?.(made);
      return doubt ?? rejection(made, options.status, dependsOnTime(mutation));
    },
    async accepts(mutation, options) {
      const made = await attempt(mutation, options);
      return observing ? observation(made) : acceptance(made);
    },
  });

  /** An accepted control: a probe of the case, or one of its controls. */
  function knownControl(operation: OperationId): Control {
    const isOf = (exchange: Exchange | undefined): boolean =>
      exchange?.caseId === controlId(operation) && exchange.response !== undefined;
    const asProbe = exchanges.get(probes[0] ?? "");
    const id = isOf(asProbe) ? probes.shift() : controls[0];
    const exchange = exchanges.get(id ?? "");
    const status = exchange?.response?.status ?? 0;
    if (!exchange || !isOf(exchange) || !wasLetIn({ status, exchange })) {
      throw new NotRecorded("a control");
    }
    lean();
    return controlOf(id);
  }
}
