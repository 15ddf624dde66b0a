import { controlledOperation } from "../../contract/ids.ts";
import type { SendContext } from "../attempts.ts";
import type { HttpRequest, Reply } from "../exchange.ts";
import type { Outages } from "./outage.ts";

/**
 * Requests that are sent no more, because they have lost their connection twice: at first, it may be, together with others, and then
 * although nothing else was under way. They may end the process that answers. Good requests are always sent again.
 */
export interface SpentRequests {
  /** The last reply to such a request, marked as `spent`; `undefined` where it may be sent. */
  find(spec: HttpRequest, context: Pick<SendContext, "caseId">): Reply | undefined;
  /** Must be called for every try, when it is known whether it was sent alone. */
  note(spec: HttpRequest, context: Pick<SendContext, "caseId">, reply: Reply): void;
}

const TIMES = 2;

export function createSpentRequests(outages: Pick<Outages, "isLostAlone">): SpentRequests {
  /** How often requests have lost their connection since they were last answered. */
  const lost = new Map<string, number>();
  const spent = new Map<string, Reply>();
  return {
    find: (spec, context) => spent.get(keyOf(spec, context)),
    note(spec, context, reply) {
      if (controlledOperation(context.caseId) !== undefined) return;
      const key = keyOf(spec, context);
      const { fault } = reply.exchange;
      if (fault?.kind !== "reset" && fault?.kind !== "cut") {
        if (reply.status !== 0) lost.delete(key);
        return;
      }
      const times = (lost.get(key) ?? 0) + 1;
      lost.set(key, times);
      const isAlone = reply.crashed || outages.isLostAlone(context.caseId);
      if (times >= TIMES && isAlone) spent.set(key, { ...reply, spent: true });
    },
  };
}

/** Tokens and values that are new in each try make no difference. */
function keyOf({ method, path }: HttpRequest, { caseId }: Pick<SendContext, "caseId">): string {
  return `${caseId} ${method} ${path}`;
}
