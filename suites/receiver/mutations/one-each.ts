import type { InvalidMutation } from "../../../src/mutations/mutation.ts";
import { otherAudience } from "../../../src/mutations/token/audience.ts";
import { boundNowhere } from "../../../src/mutations/token/binding.ts";
import { expired } from "../../../src/mutations/token/expiry.ts";
import { untrustedIssuer } from "../../../src/mutations/token/issuer.ts";
import { deniedSubject } from "../../../src/mutations/token/policy.ts";
import { forgedSignature } from "../../../src/mutations/token/signature.ts";
import { otherScopes } from "../../shared/mutations/scope.ts";

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
].map((mutation) => ({ name: mutation.refused.check, mutation }));
