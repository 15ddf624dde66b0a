import { ruleOfCase, SHARED } from "../contract/ids.ts";
import { SECOND_TRIES, tryAgain } from "../http/second-tries.ts";
import { dependsOnTime, type Mutation } from "../mutations/mutation.ts";
import { namedNeeds, unmetNeeds } from "../profile/need.ts";
import { provoke, tryAttempt } from "./attempt.ts";
import {
  beginWrites,
  type CaseProbe,
  type CaseRun,
  isAnew,
  noteWaited,
  type Trial,
  trialFor,
  waitFor,
} from "./case-run.ts";
import type { Control } from "./controls/control.ts";
import type { Controls } from "./controls/controls.ts";
import { endCase, type Finding, notProvisioned } from "./finding.ts";
import { acceptance, observation, rejection } from "./judge-attempt.ts";
import type { Attempt, AttemptOptions, Fixture, Probe } from "./probe.ts";
import { seededUuid } from "./request.ts";
import type { CaseData } from "./rule.ts";
import type { Session } from "./session.ts";
import type { WriteGrant } from "./write/budget.ts";

const LONGEST_NAME = 80;

/**
 * Creates the probe for one case, named `<rule id>/<case id>`.
 * @param grant of the stage of writes that it is in; default: it is in none
 */
export function createProbe(
  session: Session,
  controls: Controls,
  name: string,
  testCase: CaseData,
  trial: Trial = "ordinary",
  grant?: WriteGrant,
): CaseProbe<Probe, Control> {
  const used = new Set<Control>();
  const { operation: own } = testCase;
  const grants = new Map(grant && own ? [[own, grant] as const] : []);
  const run: CaseRun = {
    trial,
    session,
    controls,
    name,
    testCase,
    grants,
    used,
    waitedMs: undefined,
  };
  const confirming = isAnew(run);
  const wait = (ms: number): Promise<void> => waitFor(run, ms);

  const probe: Probe = {
    target: session.target,
    get document() {
      return session.target.document;
    },
    confirming,
    tellsMore: !confirming && session.tellsMore,
    besideWrites: trial === "beside writes",
    seed: session.seed,
    get clockOffsetSeconds() {
      return session.clockOffsetSeconds;
    },
    seen: session.seen,
    get publishedKeys() {
      return session.publishedKeys;
    },
    outages: session.outages,
    get planned() {
      return session.planned;
    },
    newAge: () => session.newAge(),
    uuid: (label) => seededUuid(session.seed, label),
    wait,
    eventually: (look, hoped, times) => session.eventually(wait, look, hoped, times),
    mayMissWrites: ({ probes }) => session.mayMissWrites(probes),
    judgeSettled: (judge) => judgeSettled(run, probe, judge),
    beginWrites(operation) {
      const { inAll, ofRule } = beginWrites(run, operation).atOnce;
      return Math.max(1, Math.min(inAll, ofRule));
    },
    original: () => controls.original(),
    organizations: () => controls.organizations(),
    use: (fixture) => useFixture(run, probe, fixture),
    async organization(role) {
      const found = (await controls.organizations())[role];
      return found ?? endCase(notProvisioned(`organizations.${role}`));
    },
    async control(operation, options) {
      const found = await probe.tryControl(operation, options);
      return "control" in found ? found.control : endCase(found.refusal.finding);
    },
    async tryControl(operation, options) {
      const found = await controls.get(operation, {
        ...options,
        unmarked: testCase.control?.unmarked,
      });
      if ("control" in found && options?.bracketed !== false) run.used.add(found.control);
      return found;
    },
    attempt: (mutation, options) => attempt(run, mutation, options),
    tryAttempt: (mutation, options) => tryAttempt(run, mutation, options),
    provoke: (mutation, options) => provoke(run, mutation, options),
    rejects: (mutation, options = {}) => rejects(run, mutation, options),
    async accepts(mutation, options = {}) {
      const sent = await attempt(run, mutation, { purpose: "wanted", ...options });
      return isObserving(run) ? observation(sent) : acceptance(sent);
    },
  };
  return {
    probe,
    used: run.used,
    get waitedMs() {
      return run.waitedMs;
    },
  };
}

function isObserving({ testCase }: CaseRun): boolean {
  return testCase.level === "OBSERVE";
}

async function attempt(
  run: CaseRun,
  mutation: Mutation,
  options?: AttemptOptions,
): Promise<Attempt> {
  const result = await tryAttempt(run, mutation, options);
  return "attempt" in result ? result.attempt : endCase(result.finding);
}

async function rejects(
  run: CaseRun,
  mutation: Parameters<Probe["rejects"]>[0],
  options: NonNullable<Parameters<Probe["rejects"]>[1]>,
): Promise<Finding> {
  const sent = await attempt(run, mutation, options);
  if (isObserving(run)) return observation(sent);
  const doubt = await options.doubt?.(sent);
  if (doubt) return doubt;
  const finding = rejection(sent, options.status, dependsOnTime(mutation));
  if (finding.kind === "pass" && mutation.refused) {
    const { check } = mutation.refused;
    run.session.seen.rejections.push({ check, status: sent.reply.status });
  }
  return finding;
}

async function judgeSettled(
  run: CaseRun,
  probe: Probe,
  judge: (probe: Probe) => Promise<Finding>,
): Promise<Finding> {
  const { session, controls, name, testCase, trial } = run;
  const row = SECOND_TRIES.unsettled;
  const leftMs = (finding: Finding): number | undefined =>
    session.settlesInMs(besideEachOther(finding));
  return tryAgain(
    row,
    await judge(probe),
    (finding) => leftMs(finding) !== undefined,
    async (finding) => {
      await waitFor(run, leftMs(finding) ?? 0);
      const how = trial === "apart" ? trial : trialFor(row);
      const again = createProbe(session, controls, name, testCase, how);
      try {
        return await judge(again.probe);
      } finally {
        for (const control of again.used) run.used.add(control);
        noteWaited(run, again.waitedMs);
      }
    },
    (ms) => waitFor(run, ms),
  );
}

/** See `Probe.use`. */
async function useFixture<T>(run: CaseRun, probe: Probe, fixture: Fixture<T>): Promise<T> {
  const { session, controls, name, testCase } = run;
  const { name: label, scope, needs = [], setup } = fixture;
  const lacks = namedNeeds(unmetNeeds(session.target, needs));
  if (lacks.length > 0) endCase(notProvisioned(...lacks));
  if (isAnew(run)) return setup(probe);
  const owner = scope === "run" ? SHARED : ruleOfCase(name);
  const key = `${owner} ${label}`;
  let known = session.found.get(key);
  if (!known) {
    // Neither may depend on which of the cases that share it came first.
    const asOthers: CaseData = {
      ...testCase,
      control: { ...testCase.control, unmarked: false },
      level: "MUST",
    };
    const shared = createProbe(session, controls, sharedName(owner, label), asOthers);
    const value = setup(shared.probe).finally(() => noteWaited(run, shared.waitedMs));
    known = { value, used: shared.used };
    session.found.set(key, known);
  }
  try {
    return (await known.value) as T;
  } finally {
    for (const control of known.used) run.used.add(control);
  }
}

/** The answers that contradict each other or leave a case undecided; one alone shows all itself. */
function besideEachOther(finding: Finding): readonly string[] {
  if (finding.kind !== "fail" && finding.kind !== "inconclusive") return [];
  const probes = finding.evidence?.probes ?? [];
  return probes.length > 1 ? probes : [];
}

/** A name for requests that several cases share. It does not depend on which case came first. */
function sharedName(owner: string, label: string): string {
  return `${owner}/${label.replaceAll(/[^\w@.?=&-]+/g, "-").slice(0, LONGEST_NAME)}`;
}
