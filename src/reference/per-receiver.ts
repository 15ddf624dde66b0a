import type { Receiver } from "./model.ts";

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
