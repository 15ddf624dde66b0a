import { OPERATIONS, type OperationId } from "../contract/operations.ts";
import { planRun } from "../engine/plan.ts";
import type { Setup } from "../engine/setup.ts";
import type { SuiteError } from "../lib/errors.ts";
import { CaseEnd } from "../probe/case-end.ts";
import type { Control } from "../probe/control.ts";
import type { Controls } from "../probe/controls.ts";
import type { Finding } from "../probe/finding.ts";
import { phrase } from "../probe/phrase.ts";
import { createProbe } from "../probe/probe.ts";
import type { Rule } from "../probe/rule.ts";
import { silenced } from "../probe/session.ts";
import type { Target } from "../profile/target.ts";
import type { Bench, Check } from "./check.ts";

/** What the profile leaves out, and how much of a verdict that costs. */
export async function profileChecks(
  bench: Bench,
  rules: readonly Rule[],
  document: Documented,
): Promise<Check[]> {
  const { target } = bench;
  const lacks = await rehearse(bench, rules);
  return [
    await documentCheck(document),
    writesCheck(target, rules),
    ...[...lacks]
      .toSorted(([, a], [, b]) => b - a)
      .map(([key, cases]) => missingKey(key, cases, bench.setup)),
  ];
}

/** What a run takes from the deployment's answers where the profile does not say it. */
const FOUND_OUT = /^(?:organizations\.|operations\.readChange\.changeId$)/;

function missingKey(key: string, cases: number, { letsSomebodyIn }: Setup): Check {
  const line = { id: `profile.${key}`, title: "Missing key" };
  if (!letsSomebodyIn && FOUND_OUT.test(key)) {
    return {
      ...line,
      state: "unknown",
      detail: `${key} may be found out once tokens are accepted`,
    };
  }
  return {
    ...line,
    state: "problem",
    detail: `${key}: without it ${musts(cases)} cannot be judged.`,
    remedy: HOW[key] ?? `Add ${key} to the profile.`,
    side: "profile",
  };
}

const BODY = "Add a body that the deployment accepts, or name its OpenAPI document: openapi.";
const INVALID =
  "Add a body that the deployment has to refuse, or name its OpenAPI document: openapi.";

const HOW: Readonly<Record<string, string>> = {
  claimsNamespace: "Add the deployment's {claims_namespace}: the binding claim without /org_id.",
  "organizations.primary": "Add the id of an organization that the subject may act on.",
  "organizations.other": "Add the id of a second organization that the subject may act on.",
  denied:
    "Add a second subject that may act on organizations.other and not on organizations.primary, and the primary one as organization.",
  "operations.editOrganization.body": BODY,
  "operations.submitChange.body": BODY,
  "operations.editOrganization.invalidBody": INVALID,
  "operations.submitChange.invalidBody": INVALID,
  "operations.readChange.changeId": "Add the id of a change that exists in organizations.primary.",
};

/** A target with its OpenAPI document, or why there is none. */
export interface Documented {
  readonly target: Target;
  /** It cannot be read. */
  readonly problem?: SuiteError;
}

async function documentCheck({ target, problem }: Documented): Promise<Check> {
  const line = { id: "profile.openapi", title: "openapi" };
  if (problem) {
    const { message: detail, hint: remedy } = problem;
    return { ...line, state: "problem", detail: `${detail}.`, remedy, side: "profile" };
  }
  const { openapi, document } = target;
  if (!document) {
    return openapi === undefined
      ? { ...line, state: "ok", detail: "none is named, and none is needed" }
      : { ...line, state: "unknown", detail: "the base URL comes first" };
  }
  const problems = await document.problems();
  const routes = Object.values(document.operations).filter(Boolean).length;
  const invalid = problems.length > 0 ? `, but not valid: ${problems[0]}` : "";
  return { ...line, state: "ok", detail: `read, with ${routes} of the six routes${invalid}` };
}

function writesCheck(target: Target, rules: readonly Rule[]): Check {
  const line = { id: "profile.writes", title: "writes" };
  if (target.writes) {
    const detail = `consent to change ${target.organizations.primary}, and nothing else`;
    return { ...line, state: "ok", detail };
  }
  if (target.consent) {
    const detail = "consent to change organizations.primary, which the profile does not name";
    return { ...line, state: "unknown", detail };
  }
  const open = planRun(target, rules, []).cases.filter(
    ({ level, settled }) =>
      level === "MUST" && settled?.kind === "not-provisioned" && settled.keys.includes("writes"),
  );
  const detail = `no consent to changes: without it ${musts(open.length)} cannot be judged.`;
  const remedy =
    "Add writes: true, and organizations.primary, which a run may change then; or run with --read-only, for a verdict that is partial at best.";
  return { ...line, state: "problem", detail, remedy, side: "profile" };
}

/**
 * Runs every MUST case without sending anything, to see which ask for what the profile lacks before
 * they would send their first request.
 * @returns how many do, by key
 */
async function rehearse(bench: Bench, rules: readonly Rule[]): Promise<Map<string, number>> {
  const { target } = bench;
  const session = { ...silenced(bench.session), target };
  const controls = borrowed(bench);
  const lacks = new Map<string, number>();
  for (const { caseId, rule, testCase, level, settled } of planRun(target, rules, []).cases) {
    // The other side is known to lack what its cases declare.
    if (level !== "MUST" || (rule.side !== undefined && !settled)) continue;
    const { probe } = createProbe(session, controls, caseId, testCase, false);
    const finding =
      settled ??
      (await rule
        .probe(probe, testCase)
        .catch((error: unknown) => (error instanceof CaseEnd ? error.finding : undefined)));
    if (finding?.kind !== "not-provisioned") continue;
    for (const key of finding.keys) {
      if (key !== "writes") lacks.set(key, (lacks.get(key) ?? 0) + 1);
    }
  }
  // What a body has to have in it goes without saying where there is no body.
  for (const key of lacks.keys()) {
    if (lacks.has(/ in (.+)$/.exec(key)?.[1] ?? "")) lacks.delete(key);
  }
  return lacks;
}

/** The controls that were found; a write's, which is never sent, is made up from that of a read. */
function borrowed({ target, controls, setup }: Bench): Controls {
  const [any] = accepted(setup);
  return {
    ...controls,
    get(id) {
      const known = setup.results.get(id);
      const { writes } = OPERATIONS[id];
      if (writes && target.writes && target.operations[id]?.body !== undefined && any) {
        return Promise.resolve({ control: { ...any, operation: OPERATIONS[id] } });
      }
      return Promise.resolve(known ?? { refusal: { finding: UNTRIED } });
    },
  };
}

const UNTRIED: Finding = { kind: "inconclusive", reason: phrase`it was not tried` };

function accepted({ results }: Setup): Control[] {
  const found = [...results].flatMap(([id, result]): [OperationId, Control][] =>
    "control" in result ? [[id, result.control]] : [],
  );
  // One below an organization has a place.
  return found
    .toSorted(([a], [b]) => Number(OPERATIONS[b].organization) - Number(OPERATIONS[a].organization))
    .map(([, control]) => control);
}

function musts(count: number): string {
  return `${count} MUST case${count === 1 ? "" : "s"}`;
}
