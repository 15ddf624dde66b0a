import type { OperationId } from "../../contract/operations.ts";
import { canonicalJson } from "../../lib/json.ts";
import type { Observe } from "../answered.ts";
import { reception } from "../reception.ts";

/** Good requests that were refused because their token had been accepted on another operation before. */
export interface HeldToFirstUse {
  /** The operation that accepted the tokens first. */
  readonly first: OperationId;
  /** The operation that refused them then, and accepts tokens that are used there first. */
  readonly next: OperationId;
  /** How often. */
  readonly refused: number;
}

/** Where each token was accepted first. A gateway may cache the policy of that route with the token. */
export interface FirstUses {
  /** The operation that accepted the token of a refused good request before, unless another one accepted such a token after it. */
  before(exchange: string): OperationId | undefined;
  /** The most frequent pair of operations; `undefined` where no twin shows that the first use decides. */
  summary(): HeldToFirstUse | undefined;
}

/** A good request with a token that another operation had accepted. */
interface Refused {
  readonly first: OperationId;
  readonly next: OperationId;
  /** Equal for twins: the claims except those of the time. */
  readonly twin: string;
}

/** So often a refusal is no accident. */
const TIMES = 2;
/** Claims in which two tokens of the same kind differ. */
const OF_THE_TIME: ReadonlySet<string> = new Set(["iat", "exp", "nbf", "jti"]);

/** Records where each token of a run was accepted first. */
export function createFirstUses(observe: Observe): FirstUses {
  const firstOf = new Map<string, OperationId>();
  const refused = new Map<string, Refused>();
  /** Twins that were used on an operation first, by whether it accepted them. */
  const fresh = { accepted: new Set<string>(), refused: new Set<string>() };
  /** Pairs of operations of which the second one accepted a token of the first one. */
  const shared = new Set<string>();

  observe(({ reply, sending }) => {
    const { token, operation, purpose, tokenNote } = sending;
    if (token === undefined || operation === undefined) return;
    const received = reception(reply);
    if (received !== "accepted" && received !== "rejected") return;
    const first = firstOf.get(token);
    const twin = `${operation} ${kindOf(tokenNote?.claims)}`;
    const isElsewhere = first !== undefined && first !== operation;
    if (received === "accepted") {
      if (first === undefined) firstOf.set(token, operation);
      if (isElsewhere) shared.add(`${first} ${operation}`);
    }
    if (purpose !== "control") return;
    if (!isElsewhere) fresh[received === "accepted" ? "accepted" : "refused"].add(twin);
    else if (received === "rejected") {
      refused.set(reply.exchange.id, { first, next: operation, twin });
    }
  });

  function isHeld({ first, next }: Refused): boolean {
    return !shared.has(`${first} ${next}`);
  }

  return {
    before(exchange) {
      const one = refused.get(exchange);
      return one && isHeld(one) ? one.first : undefined;
    },
    summary() {
      const counts = new Map<string, HeldToFirstUse>();
      for (const one of refused.values()) {
        const { first, next, twin } = one;
        if (!isHeld(one) || !fresh.accepted.has(twin) || fresh.refused.has(twin)) continue;
        const key = `${first} ${next}`;
        counts.set(key, { first, next, refused: (counts.get(key)?.refused ?? 0) + 1 });
      }
      const [most] = [...counts.values()].toSorted((a, b) => b.refused - a.refused);
      return most && most.refused >= TIMES ? most : undefined;
    },
  };
}

function kindOf(claims: Readonly<Record<string, unknown>> | undefined): string {
  return canonicalJson(
    Object.fromEntries(Object.entries(claims ?? {}).filter(([name]) => !OF_THE_TIME.has(name))),
  );
}
