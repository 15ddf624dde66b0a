import { OPERATIONS } from "../contract/operations.ts";
import type { Controls } from "../probe/controls.ts";
import type { RuleCase } from "../probe/rule-case.ts";
import { type Need, namedNeeds, unmetNeeds, isOfBody } from "../profile/need.ts";
import type { Target } from "../profile/target.ts";

/** What a target does not give of what a case needs. */
export interface Provision {
  /** What nothing but the profile can provide. */
  readonly lacks: readonly Need[];
  /** What is looked for at the deployment. */
  readonly open: readonly Need[];
}

/**
 * Whether a case sends a PATCH or POST itself. One that has to be refused counts too: a deployment
 * that accepts it writes.
 */
export function mayWrite({ operation, writes: itself = false }: RuleCase): boolean {
  return itself || (operation !== undefined && OPERATIONS[operation].writes);
}

/** Whether a case cannot be judged without a PATCH or POST, of its own or of another case. */
export function needsWrite(testCase: RuleCase): boolean {
  return mayWrite(testCase) || testCase.judgesWriteOf !== undefined;
}

/**
 * What a case needs: what it declares, and what the requests do that it sends.
 * @param hasControl whether it rests on the good request of its operation
 */
export function needsOf(testCase: RuleCase, hasControl: boolean): Need[] {
  const { operation: id, needs = [] } = testCase;
  const operation = id === undefined || !hasControl ? undefined : OPERATIONS[id];
  return [
    // Nobody consents to writes in an organization that only the list shows.
    ...(needsWrite(testCase) ? (["writes", "organizations.primary"] as const) : []),
    ...needs,
    ...(operation?.writes ? [`operations.${operation.id}.body` as const] : []),
    ...(operation?.organization ? (["organizations.primary"] as const) : []),
    ...(operation?.change ? (["operations.readChange.changeId"] as const) : []),
  ];
}

/**
 * What a target does not give of these needs. What a document may give is not missed while it is unread:
 * `--dry-run` fetches nothing.
 */
export function provisionOf(target: Target, needs: readonly Need[]): Provision {
  const { openapi, document } = target;
  const isUnread = openapi !== undefined && document === undefined;
  const unmet = unmetNeeds(target, needs).filter((need) => !(isUnread && isOfBody(need)));
  const open = unmet.filter((need) => mayBeFound(target, need, needs));
  return { lacks: namedNeeds(unmet.filter((need) => !open.includes(need))), open };
}

function mayBeFound(target: Target, need: Need, needs: readonly Need[]): boolean {
  const { listOrganizations, readChangesFeed, submitChange } = target.operations;
  switch (need) {
    case "organizations.primary":
      return listOrganizations !== undefined && !needs.includes("writes");
    case "organizations.other":
      return listOrganizations !== undefined;
    case "operations.readChange.changeId":
      return readChangesFeed !== undefined || (submitChange !== undefined && target.writes);
    default:
      return false;
  }
}

/**
 * Looks for what is needed at the deployment: organizations in its list, a change in its feed or among
 * those that the suite submits.
 * @returns what was found of it
 * @throws Interrupted
 */
export async function discover(
  controls: Controls,
  needs: ReadonlySet<Need>,
): Promise<ReadonlySet<Need>> {
  const found = new Set<Need>();
  for (const role of ["primary", "other"] as const) {
    const need = `organizations.${role}` as const;
    if (needs.has(need) && (await controls.organizations())[role] !== undefined) found.add(need);
  }
  if (needs.has("operations.readChange.changeId")) {
    const change = await controls.get("readChange");
    const isUnknown = "refusal" in change && change.refusal.finding.kind === "not-provisioned";
    if (!isUnknown) found.add("operations.readChange.changeId");
  }
  return found;
}
