import { isBound } from "../checks.ts";
import type { Call } from "../model.ts";
import { reject } from "../reject.ts";
import { accessibleIds } from "../store.ts";
import type { Fault } from "./fault.ts";

/** A fault with which check 6 passes some calls. */
export function passing(
  name: string,
  title: string,
  how: string,
  passes: (call: Call) => boolean,
): Fault {
  return {
    name,
    title,
    rule: "receiver.binding",
    how,
    step: "checkBinding",
    patch: (original) => (call) => {
      if (isBound(call) && passes(call)) return;
      return original(call);
    },
  };
}

/** A fault with which the list shows a bound token everything that its subject may see. */
export function listing(
  name: string,
  title: string,
  how: string,
  shows: (call: Call) => boolean,
): Fault {
  return {
    name,
    title,
    rule: "receiver.binding-list",
    how,
    step: "visibleOrganizations",
    patch: (original) => (call) =>
      isBound(call) && shows(call)
        ? accessibleIds(call.receiver.store, call.claims["sub"])
        : original(call),
  };
}

/** The binding claim of a call's token, as it is; `undefined` where there is none. */
export function claimOf({ claims, receiver }: Pick<Call, "claims" | "receiver">): unknown {
  return claims[receiver.bindingClaim];
}

/** The claim if it is a string, otherwise a text that no id contains. */
export function text(call: Pick<Call, "claims" | "receiver">): string {
  const claim = claimOf(call);
  return typeof claim === "string" ? claim : "\u0000";
}

/** Answers that the token is bound to another organization. */
export function elsewhere(call: Call): Error {
  return reject(call, "checkBinding", "The access token is for another organization.");
}
