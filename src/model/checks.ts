import { algorithm } from "./checks/algorithm.ts";
import { audience } from "./checks/audience.ts";
import { binding } from "./checks/binding.ts";
import { claimsSet } from "./checks/claims-set.ts";
import { content } from "./checks/content.ts";
import { credentials } from "./checks/credentials.ts";
import { expiry } from "./checks/expiry.ts";
import { extensions } from "./checks/extensions.ts";
import { fields } from "./checks/fields.ts";
import { issuer } from "./checks/issuer.ts";
import { notBefore } from "./checks/not-before.ts";
import { grantType, unknownMembers } from "./checks/other-members.ts";
import { parameters } from "./checks/parameters.ts";
import { policy } from "./checks/policy.ts";
import { issuedAt, subject } from "./checks/required-claims.ts";
import { change, organization } from "./checks/resource.ts";
import { scope } from "./checks/scope.ts";
import { serialization } from "./checks/serialization.ts";
import { signature } from "./checks/signature.ts";
import { type } from "./checks/type.ts";
import type { Check } from "./question.ts";

/** The checks in the contract's order, each with the receiver check or other part of the contract that it belongs to. */
export const PART_OF = {
  credentials: "signature",
  serialization: "signature",
  algorithm: "signature",
  extensions: "signature",
  signature: "signature",
  claimsSet: "signature",
  type: "signature",
  issuer: "issuer",
  audience: "audience",
  expiry: "expiry",
  notBefore: "expiry",
  subject: "claims",
  issuedAt: "claims",
  grantType: "claims",
  unknownMembers: "claims",
  scope: "scope",
  binding: "binding",
  policy: "policy",
  organization: "request",
  change: "request",
  parameters: "request",
  content: "request",
  fields: "request",
} as const;

export type CheckName = keyof typeof PART_OF;

/** A check for each name: `CHECKS`, or these with some replaced. */
export type Checks = Readonly<Record<CheckName, Check>>;

/** Every check as the contract has it. To ask about a receiver that makes one of them wrongly, replace it. */
export const CHECKS: Checks = {
  credentials,
  serialization,
  algorithm,
  extensions,
  signature,
  claimsSet,
  type,
  issuer,
  audience,
  expiry,
  notBefore,
  subject,
  issuedAt,
  grantType,
  unknownMembers,
  scope,
  binding,
  policy,
  organization,
  change,
  parameters,
  content,
  fields,
};

export const CHECK_NAMES: readonly CheckName[] = Object.keys(PART_OF) as CheckName[];
