import type { Call, Check, CheckName, Receiver } from "../model.ts";
import type { Patch } from "../steps.ts";
import type { Fault } from "./fault.ts";

/** Faults of a cache whose key is the token alone: what was decided of one request is taken for decided of others. */

const how =
  "Decisions are cached for speed, and the key of the cache is the token, without route and organization.";

export const REMEMBERED_FAULTS: readonly Fault[] = [
  {
    name: "scope-remembered",
    title: "Takes a token whose scope was enough once for good everywhere",
    rule: "receiver.scope",
    how,
    ...remembering("checkScope"),
  },
  {
    name: "binding-remembered",
    title: "Takes a token that was good for its own organization for good for all",
    rule: "receiver.binding",
    how,
    ...remembering("checkBinding"),
  },
  {
    name: "policy-remembered",
    title: "Takes a token whose subject was allowed something once for allowed everything",
    rule: "receiver.local-policy",
    how,
    ...remembering("applyPolicy"),
  },
  {
    name: "decisions-remembered",
    title: "Asks nothing more of a token that was accepted once",
    rule: "receiver.scope",
    how,
    ...remembering("checkScope"),
    more: [remembering("checkBinding"), remembering("applyPolicy")],
  },
  {
    name: "scope-refusal-remembered",
    title: "Refuses a token everywhere whose scope was not enough once",
    rule: "receiver.scope-sufficient",
    how,
    ...refusalRemembering("checkScope"),
  },
  {
    name: "binding-refusal-remembered",
    title: "Refuses a token on its own organization too, once it was refused on another",
    rule: "receiver.binding-accepted",
    how,
    ...refusalRemembering("checkBinding"),
  },
  {
    name: "refusals-remembered",
    title: "Refuses a token for good that was refused once",
    rule: "receiver.scope-sufficient",
    how: "A list of bad tokens spares the work for those that come again, and whatever is refused goes there.",
    ...refusalRemembering("checkScope"),
    more: [refusalRemembering("checkBinding"), refusalRemembering("applyPolicy")],
  },
  {
    name: "expiry-remembered",
    title: "Does not ask again whether a token that was accepted has expired",
    rule: "receiver.expiry",
    how: "Verified tokens are cached for minutes, whatever is left of their lifetime.",
    ...remembering("checkExpiry"),
  },
];

type CheckPatch = Extract<Patch, { readonly step: CheckName }>;

/** A check that is not made again of a token that has passed it. */
function remembering(step: CheckName): CheckPatch {
  const tokensOf = memory();
  const patch =
    (original: Check): Check =>
    async (call) => {
      const tokens = tokensOf(call);
      if (tokens.has(call.token ?? "")) return;
      await original(call);
      // What is no decision about one organization is not worth keeping.
      if (step === "checkScope" || step === "checkExpiry" || call.orgId !== undefined)
        tokens.set(call.token ?? "", true);
    };
  return { step, patch };
}

/** A check that is not made again of a token that has failed it. */
function refusalRemembering(step: CheckName): CheckPatch {
  const tokensOf = memory();
  const patch =
    (original: Check): Check =>
    async (call) => {
      const tokens = tokensOf(call);
      const token = call.token ?? "";
      if (tokens.has(token)) throw tokens.get(token);
      try {
        await original(call);
      } catch (refusal) {
        tokens.set(token, refusal);
        throw refusal;
      }
    };
  return { step, patch };
}

/** What each receiver remembers of tokens. */
function memory(): (call: Call) => Map<string, unknown> {
  const memories = new WeakMap<Receiver["store"], Map<string, unknown>>();
  return ({ receiver: { store } }) => {
    const known = memories.get(store) ?? new Map<string, unknown>();
    memories.set(store, known);
    return known;
  };
}
