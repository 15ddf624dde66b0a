import { type OperationId, OPERATIONS } from "../contract/operations.ts";
import { type Mutation, needsPrivateKey, type WishContext } from "../mutations/mutation.ts";
import { noClient } from "../probe/no-client.ts";
import type { Phrase } from "../probe/phrase.ts";
import { type CaseData, mutationsOf } from "../probe/rule.ts";
import type { Facts } from "../profile/facts.ts";
import type { Need } from "../profile/need.ts";
import { clientsFor, deniesAnotherSubject } from "../tokens/issuing-clients.ts";

/** A need of a case's tokens, and why the profile's clients do not meet it. */
export interface TokenLack {
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
