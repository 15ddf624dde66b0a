import type { InvalidMutation } from "../mutation.ts";
import { otherAudience } from "./audience.ts";
import { boundNowhere } from "./binding.ts";
import { expired } from "./expiry.ts";
import { untrustedIssuer } from "./issuer.ts";
import { deniedSubject } from "./policy.ts";
import { otherScopes } from "./scope.ts";
import { forgedSignature } from "./signature.ts";

/** A receiver check's name, and the simplest mutation that fails only that check. */
export interface CheckMutation {
  readonly name: string;
  readonly mutation: InvalidMutation;
}

/** One mutation for each receiver check, in the contract's order. */
export const oneForEachCheck: readonly CheckMutation[] = [
  forgedSignature,
  untrustedIssuer,
  otherAudience,
  expired,
  otherScopes,
  boundNowhere,
  deniedSubject,
].map((mutation) => ({ name: mutation.check, mutation }));
