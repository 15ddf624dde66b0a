import { entityTag } from "../entity-tag.ts";
import type { Answer, Call } from "../model.ts";
import type { Patch } from "../steps.ts";
import { mayAccess } from "../store.ts";
import type { Fault } from "./fault.ts";

/** Faults of a cache that knows the last entity tag of each URL, and answers for the service. */
export const ENTITY_TAG_FAULTS: readonly Fault[] = [
  {
    name: "not-modified-from-cache",
    title: "Answers If-None-Match before it checks the token, if the ETag is current",
    rule: "receiver.token-required",
    how: "A cache of entity tags by URL comes before authentication.",
    ...answeredByTag(({ status }) => status === 401),
  },
  {
    name: "not-modified-despite-policy",
    title: "Answers If-None-Match before it applies local policy, if the ETag is current",
    rule: "receiver.local-policy",
    how: "A middleware compares entity tags, and the handler after it applies the policy.",
    ...answeredByTag(
      ({ status }, { claims, orgId = "" }) => status === 403 && !mayAccess(claims["sub"], orgId),
    ),
  },
];

/** Answers 304 in place of some refusals. */
function answeredByTag(isHidden: (refusal: Answer, call: Call) => boolean): Patch {
  return {
    finish(original) {
      const tags = new Map<string, string>();
      return (answer, receiver, call) => {
        const finished = original(answer, receiver, call);
        if (call?.method !== "GET") return finished;
        const known = tags.get(call.url);
        const isCurrent = known !== undefined && known === call.headers["if-none-match"];
        if (isCurrent && isHidden(finished, call)) return { status: 304 };
        if (finished.status !== 200) return finished;
        const etag = entityTag(finished.body);
        tags.set(call.url, etag);
        return { ...finished, headers: { ...finished.headers, etag } };
      };
    },
  };
}
