import { AUDIENCE } from "./mistakes/audience.ts";
import { BINDING } from "./mistakes/binding.ts";
import { CREDENTIALS } from "./mistakes/credentials.ts";
import { EXPIRY } from "./mistakes/expiry.ts";
import { ISSUER } from "./mistakes/issuer.ts";
import type { Mistake } from "./mistakes/mistake.ts";
import { PARAMETERS } from "./mistakes/parameters.ts";
import { POLICY } from "./mistakes/policy.ts";
import { REQUIRED_CLAIMS } from "./mistakes/required-claims.ts";
import { SCOPE } from "./mistakes/scope.ts";
import { SIGNATURE } from "./mistakes/signature.ts";
import type { Part } from "./outcome.ts";

/** Mistakes by what they are about. `signature` has those of finding the token too. */
export const MISTAKES: Readonly<Partial<Record<Part, readonly Mistake[]>>> = {
  signature: [...SIGNATURE, ...CREDENTIALS],
  issuer: ISSUER,
  audience: AUDIENCE,
  expiry: EXPIRY,
  claims: REQUIRED_CLAIMS,
  scope: SCOPE,
  binding: BINDING,
  policy: POLICY,
  request: PARAMETERS,
};
