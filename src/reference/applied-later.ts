import type { Handler } from "./model.ts";

/** An edit that is answered and recorded at once, and shows after some milliseconds. */
export function appliedLater(edit: Handler, delayMs: number): Handler {
  return (call) => {
    const { organizations } = call.receiver.store;
    const before = call.organization;
    const answer = edit(call);
    const after = before && organizations.get(before.id);
    if (before && after) {
      organizations.set(before.id, before);
      setTimeout(() => organizations.set(after.id, after), delayMs).unref();
    }
    return answer;
  };
}
