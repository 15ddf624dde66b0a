import type { Receiver, Answer, Call, Handler } from "./model.ts";

/**
 * The state that several patches share: for each receiver a value, made when it is first asked for. A patch that shares
 * nothing keeps its state in a variable, because it is applied once to each receiver.
 */
export function perReceiver<State>(start: () => State): (receiver: Receiver) => State {
  const states = new WeakMap<Receiver["store"], { readonly state: State }>();
  return ({ store }) => {
    const known = states.get(store) ?? { state: start() };
    states.set(store, known);
    return known.state;
  };
}

/** The answer to a write, and the body that it was given for. */
interface Stored {
  readonly body: string;
  readonly answer: Answer;
}

/** The answers to writes by their idempotency key. */
export const storedAnswersOf: (receiver: Receiver) => Map<string, Stored> = perReceiver(
  () => new Map<string, Stored>(),
);

/** The idempotency key of a call; `undefined` where it has none. */
export function idempotencyKeyOf({ headers }: Call): string | undefined {
  const key = headers["idempotency-key"];
  return typeof key === "string" ? key : undefined;
}

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
