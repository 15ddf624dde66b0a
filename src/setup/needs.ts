import { OPERATIONS } from "../contract/operations.ts";
import type { Controls } from "../probe/controls/controls.ts";
import { type CaseData, mayWrite } from "../probe/rule.ts";
import type { Facts } from "../profile/facts.ts";
import { isOfBody, namedNeeds, type Need, unmetNeeds } from "../profile/need.ts";

/** The needs of a case that a target does not meet. */
export interface Provision {
  /** Needs that only the profile can meet. */
  readonly lacks: readonly Need[];
  /** Needs that the deployment may meet; the run looks for them. */
  readonly open: readonly Need[];
}

/** Whether a case cannot be judged without a PATCH or POST, of its own or of another case. */
export function needsWrite(testCase: CaseData): boolean {
  return mayWrite(testCase) || testCase.writes !== undefined;
}

/**
 * The needs of a case: those that it declares, and those of the requests that it sends.
 * @param hasControl whether it rests on the control of its operation
 */
export function needsOf(testCase: CaseData, hasControl: boolean): Need[] {
  const { operation: id, needs = [] } = testCase;
  const operation = id === undefined || !hasControl ? undefined : OPERATIONS[id];
  return [
    // Consent to writes does not cover an organization that only the list shows.
    ...(needsWrite(testCase) ? (["writes", "organizations.primary"] as const) : []),
    ...needs,
    ...(operation?.writes ? [`operations.${operation.id}.body` as const] : []),
    ...(operation?.organization ? (["organizations.primary"] as const) : []),
    ...(operation?.change ? (["operations.readChange.changeId"] as const) : []),
  ];
}

/**
 * Sorts out which of these needs a target does not meet. A need that a document may meet does not
 * count as missing while the document is unread, because `--dry-run` fetches nothing.
 */
export function provisionOf(facts: Facts, needs: readonly Need[]): Provision {
  const { openapi, document } = facts;
  const isUnread = openapi !== undefined && document === undefined;
  const unmet = unmetNeeds(facts, needs).filter((need) => !(isUnread && isOfBody(need)));
  const open = unmet.filter((need) => mayBeFound(facts, need, needs));
  return { lacks: namedNeeds(unmet.filter((need) => !open.includes(need))), open };
}

function mayBeFound(facts: Facts, need: Need, needs: readonly Need[]): boolean {
  const { listOrganizations, readChangesFeed, submitChange } = facts.operations;
  switch (need) {
    case "organizations.primary":
      return listOrganizations !== undefined && !needs.includes("writes");
    case "organizations.other":
      return listOrganizations !== undefined;
    case "operations.readChange.changeId":
      return readChangesFeed !== undefined || (submitChange !== undefined && facts.writes);
    default:
      return false;
  }
}

/**
 * Looks for needs at the deployment: organizations in its list, and a change in its feed or among the
 * changes that the suite submits.
 * @returns the needs that were met
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
