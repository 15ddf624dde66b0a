import type { OperationId } from "../../contract/operations.ts";
import { canonicalJson } from "../../lib/json.ts";
import type { Observe } from "../outgoing-request.ts";
import { reception } from "../reception.ts";

/** Good requests that were refused because their token had been accepted on another operation before. */
export interface HeldToFirstUse {
  /** The operation that accepted the tokens first. */
  readonly first: OperationId;
  /** The operation that refused them then, and accepts tokens that are used there first. */
  readonly next: OperationId;
  readonly refused: number;
}

/** Where each token was accepted first. A gateway may cache the policy of that route with the token. */
export interface FirstUses {
  /** The operation that accepted the token of a refused good request before, unless another one accepted such a token after it. */
  before(exchange: string): OperationId | undefined;
  /** The most frequent pair of operations; `undefined` where no twin shows that the first use decides. */
  summary(): HeldToFirstUse | undefined;
}

interface Use {
  /** Equal for twins: the claims except those of the time. */
  readonly kind: string;
  readonly accepted: Set<OperationId>;
  /** Operations that refused it in a good request, one for each refusal. */
  readonly refused: OperationId[];
}

/** So often a refusal is no accident. */
const TIMES = 2;
/** Claims in which two tokens of the same kind differ. */
const OF_THE_TIME: ReadonlySet<string> = new Set(["iat", "exp", "nbf", "jti"]);

/**
 * Records where each token of a run was accepted. A token that exactly one operation accepted is held to that one where another
 * operation refused it. The order of the answers plays no part, because requests with one token may be under way together.
 */
export function createFirstUses(observe: Observe): FirstUses {
  const uses = new Map<string, Use>();
  const tokenOf = new Map<string, string>();

  observe(({ reply, sending }) => {
    const { token, operation, purpose, tokenNote } = sending;
    if (token === undefined || operation === undefined) return;
    const received = reception(reply);
    if (received !== "accepted" && (received !== "rejected" || purpose !== "control")) return;
    const use = uses.get(token) ?? {
      kind: kindOf(tokenNote?.claims),
      accepted: new Set(),
      refused: [],
    };
    uses.set(token, use);
    if (received === "accepted") use.accepted.add(operation);
    else {
      use.refused.push(operation);
      tokenOf.set(reply.exchange.id, token);
    }
  });

  /** Whether any token was accepted on both operations, so that its first use decides nothing. */
  function areShared(one: OperationId, other: OperationId): boolean {
    return [...uses.values()].some(({ accepted }) => accepted.has(one) && accepted.has(other));
  }

  /** The operation to which a token is held; `undefined` if there is none, or several accepted it. */
  function firstOf({ accepted }: Use): OperationId | undefined {
    return accepted.size === 1 ? [...accepted][0] : undefined;
  }

  return {
    before(exchange) {
      const use = uses.get(tokenOf.get(exchange) ?? "");
      const first = use && firstOf(use);
      const next = use?.refused.at(-1);
      if (first === undefined || next === undefined || first === next) return undefined;
      return areShared(first, next) ? undefined : first;
    },
    summary() {
      const counts = new Map<string, HeldToFirstUse>();
      for (const use of uses.values()) {
        const first = firstOf(use);
        for (const next of first === undefined ? [] : use.refused) {
          if (first === undefined || first === next || areShared(first, next)) continue;
          const hasTwin = [...uses.values()].some(
            (twin) => twin.kind === use.kind && firstOf(twin) === next,
          );
          if (!hasTwin) continue;
          const key = `${first} ${next}`;
          counts.set(key, { first, next, refused: (counts.get(key)?.refused ?? 0) + 1 });
        }
      }
      const pairs = [...counts.values()].toSorted((a, b) => b.refused - a.refused);
      const all = pairs.reduce((sum, pair) => sum + pair.refused, 0);
      return all >= TIMES ? pairs[0] : undefined;
    },
  };
}

function kindOf(claims: Readonly<Record<string, unknown>> | undefined): string {
  return canonicalJson(
    Object.fromEntries(Object.entries(claims ?? {}).filter(([name]) => !OF_THE_TIME.has(name))),
  );
}
