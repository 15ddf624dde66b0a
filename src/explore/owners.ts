import type { CheckName } from "../model/checks.ts";

/** The rule that owns each check of the model, where a request that fails it is accepted. */
export const REJECTING: Readonly<Record<CheckName | "route", string | undefined>> = {
  credentials: "receiver.token-required",
  serialization: "receiver.token-required",
  algorithm: "receiver.signature",
  extensions: "receiver.signature",
  signature: "receiver.signature",
  claimsSet: "receiver.signature",
  type: "receiver.signature",
  issuer: "receiver.issuer",
  audience: "receiver.audience",
  expiry: "receiver.expiry",
  notBefore: "receiver.expiry",
  subject: "receiver.required-claims",
  issuedAt: "receiver.required-claims",
  grantType: undefined,
  unknownMembers: undefined,
  scope: "receiver.scope",
  binding: "receiver.binding",
  policy: "receiver.local-policy",
  organization: "errors.not-found",
  change: "errors.not-found",
  parameters: "pagination.bounds-rejected",
  content: undefined,
  fields: undefined,
  route: undefined,
};

/** The rules that own requests which must be accepted. */
export const ACCEPTING: ReadonlySet<string> = new Set([
  "receiver.scope-sufficient",
  "receiver.binding-accepted",
  "receiver.claims-accepted",
  "pagination.bounds-accepted",
]);

/** The rules that own what a walk through pages shows. */
export const WALKED = [
  "pagination.results-info",
  "pagination.echo",
  "pagination.page-length",
  "pagination.partition",
  "pagination.totals",
] as const;

/** Every rule that may own an explored case. */
export const OWNERS: ReadonlySet<string> = new Set([
  ...Object.values(REJECTING).flatMap((rule) => rule ?? []),
  "pagination.unknown-parameter",
  ...ACCEPTING,
  ...WALKED,
]);
