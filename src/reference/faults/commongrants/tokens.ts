import { type Faults, ownedBy } from "../fault.ts";

/** Faults in what the published protocol says of tokens beside the contract. */
export const TOKEN_FAULTS: Faults = ownedBy("commongrants.tokens", {
  "cg-expiry-two-minutes": {
    title: "Accepts a token two minutes after its `exp`",
    how: "The clock skew of a library is set to 120 seconds.",
    checkExpiry: (original) => (call) => {
      const { exp } = call.claims;
      if (typeof exp !== "number") return original(call);
      const claims = { ...call.claims };
      call.claims = { ...claims, exp: exp + 120 };
      const checked = original(call);
      call.claims = claims;
      return checked;
    },
  },
});
