import { OPERATIONS, type Scope } from "../../contract/operations.ts";
import { bindingOf, isBound, reject } from "../checks.ts";
import type { Call, Check, Handler } from "../model.ts";
import type { CheckPatch } from "../patches.ts";
import type { Patch } from "../steps.ts";
import type { Faults } from "./fault.ts";

const how =
  "Decisions are cached for speed, and the cache key is the token, without route and organization.";

const tooEarly =
  "The token is put into the cache when it is decoded, before its claims are compared.";

/**
 * Faults of a cache whose key is only the token: a decision about one request is used for others, or a token counts as
 * checked before it was.
 */
export const REMEMBERED_FAULTS: Faults = {
  "issuer-remembered-unchecked": {
    title: "Does not check `iss` in a token that it has seen before",
    rule: "receiver.issuer",
    how: tooEarly,
    checkIssuer: rememberingUnchecked(),
  },
  "audience-remembered-unchecked": {
    title: "Does not check `aud` in a token that it has seen before",
    rule: "receiver.audience",
    how: tooEarly,
    checkAudience: rememberingUnchecked(),
  },
  "audience-trusted-after-two": {
    title: "Does not check `aud` in a token that it sees for the third time",
    rule: "receiver.audience",
    how: "Only tokens that are used more than twice are cached, by a count that is kept before any check.",
    checkAudience: rememberingUnchecked(2),
  },
  "expiry-remembered-unchecked": {
    title: "Does not check `exp` in a token that it has seen before",
    rule: "receiver.expiry",
    how: tooEarly,
    checkExpiry: rememberingUnchecked(),
  },
  "scope-remembered-unchecked": {
    title: "Does not check `scope` in a token that it has seen before",
    rule: "receiver.scope",
    how: tooEarly,
    checkScope: rememberingUnchecked(),
  },
  "scope-of-first-route": {
    title: "Requires the scope of the route on which a token was used first",
    rule: "receiver.scope-sufficient",
    how: "A gateway caches the policy of a route with the token, and the cache key is the token alone.",
    checkScope: refusingElsewhere,
  },
  "scope-remembered": {
    title: "Accepts a token everywhere after its scope was sufficient once",
    rule: "receiver.scope",
    how,
    checkScope: remembering(),
  },
  "binding-remembered": {
    title: "Accepts a token for all organizations after it was accepted for its own",
    rule: "receiver.binding",
    how,
    checkBinding: remembering(namesOrganization),
  },
  "policy-remembered": {
    title: "Skips local policy for a token after its subject was allowed once",
    rule: "receiver.local-policy",
    how,
    applyPolicy: remembering(namesOrganization),
  },
  "decisions-remembered": {
    title: "Skips all checks for a token that was accepted once",
    rule: "receiver.scope",
    how,
    checkScope: remembering(),
    checkBinding: remembering(namesOrganization),
    applyPolicy: remembering(namesOrganization),
  },
  "scope-refusal-remembered": {
    title: "Refuses a token everywhere after its scope was insufficient once",
    rule: "receiver.scope-sufficient",
    how,
    checkScope: repeatingRefusals,
  },
  "binding-refusal-remembered": {
    title: "Refuses a token on its own organization after it was refused on another",
    rule: "receiver.binding-accepted",
    how,
    checkBinding: repeatingRefusals,
  },
  "refusals-remembered": {
    title: "Refuses a token forever after it was refused once",
    rule: "receiver.scope-sufficient",
    how: "A list of bad tokens saves repeated work, and every refused token is added to it.",
    checkScope: repeatingRefusals,
    checkBinding: repeatingRefusals,
    applyPolicy: repeatingRefusals,
  },
  "expiry-remembered": {
    title: "Does not check again whether an accepted token has expired",
    rule: "receiver.expiry",
    how: "Verified tokens are cached for minutes, whatever their remaining lifetime.",
    checkExpiry: remembering(),
  },
  "binding-kept-for-connection": {
    title: "Applies the binding of a write to what follows on its connection",
    rule: "receiver.binding",
    how: "A write opens a session for its organization, and the session belongs to the connection.",
    ...keptForConnection(() => true),
  },
  "binding-kept-for-connection-in-writes": {
    title: "Applies the binding of a write to the writes that follow on its connection",
    rule: "receiver.binding",
    how: "A write opens a transaction for its organization, and later writes of the connection join it.",
    ...keptForConnection(({ operation }) => OPERATIONS[operation].writes),
  },
};

/** Skips a check for a token that has come to it this many times before. */
function rememberingUnchecked(times: number = 1): CheckPatch {
  return (original) => {
    const tokens = new Map<string, number>();
    return (call) => {
      const { token = "" } = call;
      const seen = tokens.get(token) ?? 0;
      if (seen >= times) return undefined;
      tokens.set(token, seen + 1);
      return original(call);
    };
  };
}

/** Skips a check for a token that has passed it where it decides anything. Default: everywhere */
function remembering(decides: (call: Call) => boolean = () => true): CheckPatch {
  return (original) => {
    const tokens = new Set<string>();
    return async (call) => {
      const { token = "" } = call;
      if (tokens.has(token)) return;
      await original(call);
      if (decides(call)) tokens.add(token);
    };
  };
}

/** Checks 6 and 7 decide nothing where the path names no organization. */
function namesOrganization({ orgId }: Call): boolean {
  return orgId !== undefined;
}

/** Repeats the refusal of a token that has failed a check. */
function repeatingRefusals(original: Check): Check {
  const refusals = new Map<string, unknown>();
  return async (call) => {
    const { token = "" } = call;
    if (refusals.has(token)) throw refusals.get(token);
    try {
      await original(call);
    } catch (refusal) {
      refusals.set(token, refusal);
      throw refusal;
    }
  };
}

/** Refuses a token on routes of another scope than that of the first route that accepted it. */
function refusingElsewhere(original: Check): Check {
  const scopes = new Map<string | undefined, Scope>();
  return (call) => {
    void original(call);
    const { scope } = OPERATIONS[call.operation];
    const first = scopes.get(call.token) ?? scope;
    scopes.set(call.token, first);
    if (first !== scope)
      throw reject(call, "checkScope", "The policy of the token is another one.");
  };
}

/** Keeps the binding of a carried out write for its connection, where it applies later. */
function keptForConnection(applies: (call: Call) => boolean): Patch {
  const bindings = new WeakMap<object, unknown>();
  const keeping =
    (original: Handler): Handler =>
    (call) => {
      const answer = original(call);
      if (isBound(call)) bindings.set(call.connection, bindingOf(call));
      return answer;
    };
  return {
    checkBinding: (original) => (call) => {
      const { claims, connection, receiver } = call;
      return original(
        bindings.has(connection) && applies(call)
          ? { ...call, claims: { ...claims, [receiver.bindingClaim]: bindings.get(connection) } }
          : call,
      );
    },
    editOrganization: keeping,
    submitChange: keeping,
  };
}
