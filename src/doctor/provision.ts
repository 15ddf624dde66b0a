import { type Plan, settleOpen } from "../engine/plan.ts";
import type { SuiteError } from "../lib/errors.ts";
import { countEach } from "../lib/group-by.ts";
import { counted } from "../lib/words.ts";
import type { Need } from "../profile/need.ts";
import type { Target } from "../profile/target.ts";
import type { Setup } from "../setup/diagnose.ts";
import { type Bench, type Check, type Line, ok, unknown } from "./check.ts";

/**
 * Checks what the profile leaves out, and how many MUST cases cannot be judged because of it.
 * @param permitted the plan as it is once the profile consents to writes, so that what is missing then is named now
 */
export async function profileChecks(
  { target, setup }: Bench,
  plan: Plan,
  permitted: Plan,
  document: Documented,
): Promise<Check[]> {
  const lacks = casesLacking(plan);
  const open = casesLacking(
    settleOpen(
      { ...plan, cases: plan.cases.filter(({ settled }) => !settled) },
      foundOf(target, setup),
    ),
  );
  if (setup.acceptsSomeToken) {
    for (const [key, cases] of open) lacks.set(key, (lacks.get(key) ?? 0) + cases);
  }
  const then = [...casesLacking(permitted)].filter(([key]) => !lacks.has(key));
  const later = setup.acceptsSomeToken ? [] : [...open.keys()].filter((key) => !lacks.has(key));
  return [
    await documentCheck(document),
    writesCheck(target, lacks.get("writes") ?? 0),
    ...[...lacks]
      .filter(([key]) => key !== "writes")
      .toSorted(([, a], [, b]) => b - a)
      .map(([key, cases]) => missingKey(key, cases)),
    ...then.map(([key, cases]) => missingKey(key, cases, ", once writes is true")),
    ...later.map((key) => unknown(lineOf(key), `${key} may be found once tokens are accepted`)),
  ];
}

/** Number of MUST cases that are settled because of a missing key, by key. */
function casesLacking({ cases }: Plan): Map<Need, number> {
  return countEach(
    cases.flatMap(({ level, settled }) =>
      // What issued tokens lack is named by its causes; see `tokenKindChecks`.
      level === "MUST" && settled?.kind === "not-provisioned" && !settled.because
        ? settled.keys
        : [],
    ),
  );
}

/** What the deployment has shown, and what a run may still find: a change that it submits. */
function foundOf(target: Target, { found = new Set() }: Setup): ReadonlySet<Need> {
  const { operations, writes } = target;
  return new Set<Need>([
    ...found,
    ...(writes && operations.submitChange ? (["operations.readChange.changeId"] as const) : []),
  ]);
}

function missingKey(key: Need, cases: number, when = ""): Check {
  return {
    ...lineOf(key),
    state: "problem",
    detail: `${key}: without it ${counted(cases, "MUST case")} cannot be judged${when}.`,
    remedy: HOW[key] ?? `Add ${key} to the profile.`,
    side: "profile",
  };
}

function lineOf(key: Need): Line {
  return { id: `profile.${key}`, title: "Missing key" };
}

const BODY = "Add a body that the deployment accepts, or name its OpenAPI document: openapi.";
const INVALID =
  "Add a body that the deployment must refuse, or name its OpenAPI document: openapi.";

const HOW: Readonly<Partial<Record<Need, string>>> = {
  claimsNamespace:
    "Add the deployment's {claims_namespace}: the name of the binding claim without /org_id.",
  "organizations.primary": "Add the id of an organization that the subject may act on.",
  "organizations.other": "Add the id of a second organization that the subject may act on.",
  denied:
    "Add a second subject that may act on `organizations.other` and not on `organizations.primary`, and the primary one as organization.",
  "operations.editOrganization.body": BODY,
  "operations.submitChange.body": BODY,
  "operations.editOrganization.invalidBody": INVALID,
  "operations.submitChange.invalidBody": INVALID,
  "operations.readChange.changeId":
    "Add the id of a change that exists in `organizations.primary`.",
};

export interface Documented {
  readonly target: Target;
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
      ? ok(line, "none is named, and none is needed")
      : unknown(line, "known once the base URL is right");
  }
  const [wrong] = await document.problems();
  const [unresolved] = document.unresolved;
  const routes = Object.values(document.operations).filter(Boolean).length;
  const invalid = wrong === undefined ? "" : `, but not valid: ${wrong}`;
  const unjudged = unresolved ? `; ${unresolved.problem}: what it stands for is not judged` : "";
  return ok(line, `read, with ${routes} of the six routes${invalid}${unjudged}`);
}

function writesCheck(target: Target, cases: number): Check {
  const line = { id: "profile.writes", title: "writes" };
  if (target.writes) {
    const { primary, other } = target.organizations;
    const also = target.otherWrites ? `${other} in cases about it` : "nothing else";
    return ok(line, `consent to change ${primary}, and ${also}`);
  }
  if (target.consent) {
    return unknown(
      line,
      "consent to change `organizations.primary`, which the profile does not name",
    );
  }
  if (cases === 0) return ok(line, "no consent to changes, and no MUST case needs it");
  const detail = `no consent to changes: without it ${counted(cases, "MUST case")} cannot be judged.`;
  const remedy =
    "Set writes: true in the profile, and name `organizations.primary`: a run then changes that organization. Or run with --read-only: the verdict is then partial at best.";
  return { ...line, state: "problem", detail, remedy, side: "profile" };
}
