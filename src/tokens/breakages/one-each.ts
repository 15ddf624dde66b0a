import type { Breakage } from "../change.ts";
import { otherAudience } from "./audience.ts";
import { boundNowhere } from "./binding.ts";
import { expired } from "./expiry.ts";
import { untrustedIssuer } from "./issuer.ts";
import { deniedSubject } from "./policy.ts";
import { otherScopes } from "./scope.ts";
import { forgedSignature } from "./signature.ts";

/** A receiver check by its name, and the plainest breakage that fails it and no other. */
export interface CheckBreakage {
  readonly name: string;
  readonly breakage: Breakage;
}

/** One for each receiver check, in the contract's order. */
export const oneForEachCheck: readonly CheckBreakage[] = [
  { name: "signature", breakage: forgedSignature },
  { name: "issuer", breakage: untrustedIssuer },
  { name: "audience", breakage: otherAudience },
  { name: "expiry", breakage: expired },
  { name: "scope", breakage: otherScopes },
  { name: "binding", breakage: boundNowhere },
  { name: "policy", breakage: deniedSubject },
];
