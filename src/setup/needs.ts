import { OPERATIONS, type OperationId } from "../contract/operations.ts";
import { type Mutation, type WishContext, needsPrivateKey } from "../mutations/mutation.ts";
import type { Controls } from "../probe/controls/controls.ts";
import { noClient } from "../probe/no-client.ts";
import type { Phrase } from "../probe/phrase.ts";
import { type CaseData, mayWrite, mutationsOf } from "../probe/rule.ts";
import type { Facts } from "../profile/facts.ts";
import { type Need, namedNeeds, unmetNeeds, isOfBody } from "../profile/need.ts";
import { clientsFor, deniesAnotherSubject } from "../tokens/issuing-clients.ts";

interface Provision {
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

/** A need of a case's tokens, and why the profile's clients do not meet it. */
interface TokenLack {
  readonly need: Need;
  readonly because?: Phrase;
}

/**
 * The needs that keep a case from getting its tokens where tokens are issued: `testIssuer` where only
 * the test issuer's key can make them, `authorizationServer` where the issuer's public keys must be
 * known, and `authorizationServer.clients` where no client can get such a token.
 * @returns an empty list where the suite signs its own tokens
 */
export function lackingTokens(facts: Facts, testCase: CaseData): TokenLack[] {
  if (!facts.issued) return [];
  return mutationsOf(testCase).flatMap((one) => lackingFor(facts, testCase.operation, one));
}

function lackingFor(facts: Facts, id: OperationId | undefined, mutation: Mutation): TokenLack[] {
  if (needsPrivateKey(mutation)) return [{ need: "testIssuer" }];
  if (mutation.usesPublicKey && !facts.authorizationServer)
    return [{ need: "authorizationServer" }];
  if (!mutation.asks || id === undefined) return [];
  const { primary, other } = facts.organizations;
  const context: WishContext = {
    target: facts,
    operation: OPERATIONS[id],
    organization: primary,
    otherOrganization: other,
  };
  const wish = mutation.asks(context);
  if (!wish) return [{ need: "testIssuer" }];
  if (facts.issued?.command) return [];
  const asked = {
    scopes: wish.scopes ?? [OPERATIONS[id].scope],
    exact: wish.scopes !== undefined,
    organization: wish.organization,
    denied: wish.denied === true && deniesAnotherSubject(facts),
  };
  if (clientsFor(facts, asked).length > 0) return [];
  return [{ need: "authorizationServer.clients", because: noClient(facts, asked) }];
}
