import { isObject } from "../../lib/json.ts";
import { isNumericDate } from "../checks.ts";
import type { Call, Check } from "../model.ts";
import { passing, refusing } from "../patches.ts";
import { SUBJECT } from "../store.ts";
import { type FaultEntry, type Faults, ownedBy, type When } from "./fault.ts";

/** Faults that accept tokens without required claims, or refuse tokens with harmless claims. */
export const CLAIM_FAULTS: Faults = ownedBy("receiver.claims-accepted", {
  "sub-missing-accepted": {
    title: "Treats a token without `sub` as one of the service's own",
    rule: "receiver.required-claims",
    how: "The code finds the subject by the client, and only logs `sub`.",
    checkRequiredClaims: supposingSubject((sub) => sub === undefined),
  },
  "sub-void-accepted": {
    title: "Treats a token whose `sub` is null or empty as one of the service's own",
    rule: "receiver.required-claims",
    how: "The code tests whether the claim is present, but not whether it has a value.",
    checkRequiredClaims: supposingSubject((sub) => sub === null || sub === ""),
  },
  "iat-missing-accepted": {
    title: "Accepts a token without `iat`",
    rule: "receiver.required-claims",
    how: "No check uses `iat`, so nobody notices its absence.",
    checkRequiredClaims: passing(({ claims: { sub, iat } }) => Boolean(sub) && iat === undefined),
  },
  "iat-void-accepted": {
    title: "Accepts any value of `iat`",
    rule: "receiver.required-claims",
    how: "The code tests whether the claim is present, but not whether it is a time.",
    checkRequiredClaims: passing(({ claims: { sub, iat } }) => Boolean(sub) && iat !== undefined),
  },

  "grant-type-required": refused({
    title: "Refuses a token without `grant_type`",
    how: "The code requires what the contract only recommends.",
    when: ({ claims }) => claims["grant_type"] === undefined,
  }),
  "grant-type-client-credentials-only": refused({
    title: "Accepts only tokens of the client credentials flow",
    how: "The deployment offers only that flow, so nobody has tried the other one.",
    when: ({ claims }) => claims["grant_type"] === "authorization_code",
  }),
  "nested-claims-refused": refused({
    title: "Refuses a token with a nested claim",
    how: "Claims are read into a map of scalar values.",
    when: ({ claims }) => Object.values(claims).some(isObject),
  }),
  "azp-refused": refused({
    title: "Refuses a token whose `azp` is not the service's own client",
    how: "The middleware is made for user login, and is configured with a client id.",
    when: ({ claims }) => claims["azp"] !== undefined,
  }),
  "unknown-headers-refused": refused({
    title: "Refuses a token with an unknown header parameter",
    how: "The header is read into a type with a fixed set of members.",
    when: ({ header }) => Object.keys(header).some((name) => !/^(?:alg|kid|typ)$/.test(name)),
  }),
  "json-written-anew": refused({
    title: "Refuses a token whose payload is not compact JSON",
    how: "The claims are parsed and serialized again before the signature is verified.",
    when: ({ claims, token }) => segment(token, 1) !== JSON.stringify(claims),
  }),
  "header-json-written-anew": refused({
    title: "Refuses a token whose header is not compact JSON",
    how: "The header is looked up as text among headers that were seen before.",
    when: ({ header, token }) => segment(token, 0) !== JSON.stringify(header),
  }),
  "whole-seconds-only": refused({
    title: "Refuses a token whose times are not whole seconds",
    how: "Times are read into integers.",
    when: ({ claims }) => isFraction(claims["exp"]) || isFraction(claims["iat"]),
  }),
  "repeated-scope-refused": refused({
    title: "Refuses a token that grants a scope twice",
    how: "Scopes are inserted into a table with a unique key.",
    when: ({ claims: { scope } }) =>
      typeof scope === "string" && new Set(scope.split(" ")).size < scope.split(" ").length,
  }),
  "nbf-refused": refused({
    title: "Refuses a token with `nbf`",
    how: "The claim is compared with `iat`, which the author expected to be later.",
    when: ({ claims: { nbf, iat } }) => isNumericDate(nbf) && isNumericDate(iat) && nbf <= iat,
  }),
});

function refused({ when, ...fault }: When<[Call]>): FaultEntry {
  return { ...fault, checkRequiredClaims: refusing("checkRequiredClaims", when) };
}

/** Replaces a missing subject by the service's own. */
function supposingSubject(isMissing: (sub: unknown) => boolean): (original: Check) => Check {
  return (original) => (call) => {
    if (isMissing(call.claims["sub"])) call.claims = { ...call.claims, sub: SUBJECT };
    return original(call);
  };
}

function segment(token: string | undefined, index: 0 | 1): string {
  return Buffer.from(token?.split(".")[index] ?? "", "base64url").toString();
}

function isFraction(value: unknown): boolean {
  return isNumericDate(value) && !Number.isInteger(value);
}
