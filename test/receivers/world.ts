import { readFileSync } from "node:fs";

import type { JSONWebKeySet } from "jose";

import { BUNDLED_JWKS } from "../support/run-against.ts";

/** The configuration of every receiver in the tests. */
export interface ReceiverOptions {
  readonly jwks: JSONWebKeySet;
  readonly issuer: string;
  readonly claimsNamespace: string;
}

/** What receivers trust: the bundled issuer. */
export const BUNDLED: ReceiverOptions = {
  jwks: JSON.parse(readFileSync(BUNDLED_JWKS, "utf8")) as JSONWebKeySet,
  issuer: "https://issuer.example.com",
  claimsNamespace: "https://example.com",
};

/** The same with the keys of these algorithms alone. */
export function trusting(
  options: ReceiverOptions,
  algorithms: readonly string[] = ["RS256", "ES256"],
): ReceiverOptions {
  const keys = options.jwks.keys.filter(({ alg = "" }) => algorithms.includes(alg));
  return { ...options, jwks: { keys } };
}

export interface RunningReceiver {
  readonly baseUrl: string;
  /** A profile without `testIssuer.keys`. */
  readonly profile: Record<string, unknown>;
  close(): Promise<void>;
}

export const SUBJECT = "sync-client";
export const PRIMARY = "7d2a94c1-0f5e-4e83-b6a7-91c3d8e0425f";
export const OTHER = "e4058b3f-c6d2-4197-8f0b-3a7e5d91c268";
export const DENIED = "1b93f7de-58a4-4c06-9d21-f6e0b7c4835a";

/** What a profile says of a write. */
export const WRITE = {
  contentType: "application/json",
  body: { mission: "conformance ${unique}" },
  invalidBody: { name: 7 },
} as const;

/** The profile of a receiver whose operations are described by `operations`. */
export function profileOf(
  baseUrl: string,
  { issuer, claimsNamespace, jwks }: ReceiverOptions,
  operations: Record<string, unknown>,
): Record<string, unknown> {
  return {
    baseUrl,
    claimsNamespace,
    testIssuer: { url: issuer, algorithms: [...new Set(jwks.keys.map((key) => key.alg))] },
    subject: SUBJECT,
    organizations: { primary: PRIMARY, other: OTHER },
    denied: { subject: SUBJECT, organization: DENIED },
    writes: true,
    operations,
  };
}

/** The rules about what a stack and its library decide, on a read and a write, because all operations share that. */
export const OF_THE_STACK: readonly string[] = [
  "receiver.{token-required,signature,issuer,audience,scope,scope-sufficient,binding,binding-accepted,required-claims}/*@{viewOrganization,editOrganization}",
  "errors.*",
];
