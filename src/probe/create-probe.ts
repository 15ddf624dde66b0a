import { OPERATIONS } from "../contract/operations.ts";
import { mutatesToken } from "../mutations/mint.ts";
import { type Mutation, type MutationContext, dependsOnTime } from "../mutations/mutation.ts";
import { namedNeeds, unmetNeeds } from "../profile/need.ts";
import { aged } from "../tokens/draft.ts";
import { endCase } from "./case-end.ts";
import { chooseToken } from "./choose-token.ts";
import { composeRequest } from "./compose.ts";
import { isContractRoute } from "./contract-route.ts";
import type { Control } from "./control.ts";
import type { Controls } from "./controls.ts";
import type { Difference } from "./difference.ts";
import { eventually } from "./eventually.ts";
import type { Evidence, Finding } from "./finding.ts";
import { likelyForm } from "./forms.ts";
import { acceptance, observation, rejection } from "./judge-attempt.ts";
import { notProvisioned } from "./not-provisioned.ts";
import { phrase } from "./phrase.ts";
import type { Attempt, AttemptOptions, AttemptResult, Fixture, Probe } from "./probe.ts";
import type { PathParams } from "./request.ts";
import type { RuleCase } from "./rule-case.ts";
import { seededUuid } from "./seeded.ts";
import { FORGED_AGE, GOOD_AGE, type Session } from "./session.ts";
import type { NoToken } from "./token-source.ts";
import { withoutMarks } from "./unmarked.ts";
import { WRITE_LIMIT_REACHED } from "./write/writes.ts";

const LONGEST_NAME = 80;

/** A changed request that was sent. */
type Sent = Pick<Attempt, "reply" | "segments" | "onContractRoute"> & {
  readonly differences: readonly Difference[];
};

/** A probe, and the controls that its case rests on. */
export interface CaseProbe {
  readonly probe: Probe;
  readonly used: ReadonlySet<Control>;
  /**
   * Milliseconds that the case has waited for time to pass, or `undefined` where it has not. The wait
   * of a shared fixture counts for the first case that used it.
   */
  readonly waitedMs: number | undefined;
}

/**
 * Creates the probe for one case. `name` is `<rule id>/<case id>`; `confirming` says whether it
 * confirms a violation, `besideWrites` whether other cases may write at the same time.
 */
export function createProbe(
  session: Session,
  controls: Controls,
  name: string,
  testCase: RuleCase,
  confirming: boolean,
  besideWrites = false,
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
    noteWaited(performance.now() - began);
  }

  function noteWaited(ms: number): void {
    waitedMs = (waitedMs ?? 0) + ms;
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
    if (unmarked && control.operation.writes) await useMarkedControl(control);
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

  /**
   * The case also rests on the marked control, because an unmarked write is not repeated at the end;
   * see `Controls.repeat`.
   */
  async function useMarkedControl({ operation, form }: Control): Promise<void> {
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

  /**
   * Mutations with the same result share an age, so that a good token is signed only once a second.
   */
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
    besideWrites,
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
    mayMissWrites: ({ probes }) => session.settlesInMs(probes) !== undefined,
    async judgeSettled(judge) {
      const finding = await judge(probe);
      const leftMs = session.settlesInMs(besideEachOther(finding));
      if (leftMs === undefined) return finding;
      await wait(leftMs);
      const anew = createProbe(session, controls, name, testCase, true);
      try {
        return await judge(anew.probe);
      } finally {
        for (const control of anew.used) used.add(control);
        if (anew.waitedMs !== undefined) noteWaited(anew.waitedMs);
      }
    },
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
          if (shared.waitedMs !== undefined) noteWaited(shared.waitedMs);
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

/**
 * The answers that contradict each other, or that leave a case undecided. A single answer cannot
 * miss what it shows itself.
 */
function besideEachOther(finding: Finding): readonly string[] {
  if (finding.kind !== "fail" && finding.kind !== "inconclusive") return [];
  const probes = finding.evidence?.probes ?? [];
  return probes.length > 1 ? probes : [];
}

/** A name for requests that several cases share. It does not depend on which case came first. */
function sharedName(owner: string, label: string): string {
  return `${owner}/${label.replaceAll(/[^\w@.?=&-]+/g, "-").slice(0, LONGEST_NAME)}`;
}
