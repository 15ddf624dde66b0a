import { isObject } from "../../lib/json.ts";
import { isNumericDate } from "../checks.ts";
import type { Call, Check } from "../model.ts";
import { SUBJECT } from "../store.ts";
import { passing, refusing, type Fault, type FaultWords } from "./fault.ts";

/** Claims that are missing and not missed, and claims that do no harm and are refused. */
export const CLAIM_FAULTS: readonly Fault[] = [
  {
    name: "sub-missing-accepted",
    title: "Takes a token without `sub` for one of the service's own",
    rule: "receiver.required-claims",
    how: "The subject is looked up by the client, and `sub` only goes into the log.",
    step: "checkRequiredClaims",
    patch: supposingSubject((sub) => sub === undefined),
  },
  {
    name: "sub-void-accepted",
    title: "Takes a token whose `sub` is null or empty for one of the service's own",
    rule: "receiver.required-claims",
    how: "The claim's presence is asked for, but not whether it names anybody.",
    step: "checkRequiredClaims",
    patch: supposingSubject((sub) => sub === null || sub === ""),
  },
  {
    name: "iat-missing-accepted",
    title: "Accepts a token without `iat`",
    rule: "receiver.required-claims",
    how: "No check is about `iat`, and so nobody notices that it is not there.",
    step: "checkRequiredClaims",
    patch: passing(({ claims: { sub, iat } }) => Boolean(sub) && iat === undefined),
  },
  {
    name: "iat-void-accepted",
    title: "Takes anything in `iat`",
    rule: "receiver.required-claims",
    how: "The claim's presence is asked for, but not whether it is a time.",
    step: "checkRequiredClaims",
    patch: passing(({ claims: { sub, iat } }) => Boolean(sub) && iat !== undefined),
  },

  refused("grant-type-required", {
    title: "Refuses a token without `grant_type`",
    how: "What the contract advises is taken for what it demands.",
    when: ({ claims }) => claims["grant_type"] === undefined,
  }),
  refused("grant-type-client-credentials-only", {
    title: "Accepts tokens of the client credentials flow only",
    how: "The deployment offers that flow alone, and so nobody has tried another.",
    when: ({ claims }) => claims["grant_type"] === "authorization_code",
  }),
  refused("nested-claims-refused", {
    title: "Refuses a token with a nested claim",
    how: "Claims are read into a map of plain values.",
    when: ({ claims }) => Object.values(claims).some(isObject),
  }),
  refused("azp-refused", {
    title: "Refuses a token whose `azp` is not the service's own client",
    how: "The middleware is one for signing users in, and is given a client id.",
    when: ({ claims }) => claims["azp"] !== undefined,
  }),
  refused("unknown-headers-refused", {
    title: "Refuses a token with an unknown header parameter",
    how: "The header is read into a closed type.",
    when: ({ header }) => Object.keys(header).some((name) => !/^(?:alg|kid|typ)$/.test(name)),
  }),
  refused("json-written-anew", {
    title: "Refuses a token whose JSON is not as short as can be",
    how: "The claims are parsed and written anew before the signature is verified.",
    when: ({ claims, token }) => segment(token, 1) !== JSON.stringify(claims),
  }),
  refused("header-json-written-anew", {
    title: "Refuses a token whose header is not as short as can be",
    how: "The header is looked up among those that were seen before, as text.",
    when: ({ header, token }) => segment(token, 0) !== JSON.stringify(header),
  }),
  refused("whole-seconds-only", {
    title: "Refuses a token whose times are not whole seconds",
    how: "Times are read into integers.",
    when: ({ claims }) => isFraction(claims["exp"]) || isFraction(claims["iat"]),
  }),
  refused("repeated-scope-refused", {
    title: "Refuses a token that grants a scope twice",
    how: "Scopes are put into a table with a unique key.",
    when: ({ claims: { scope } }) =>
      typeof scope === "string" && new Set(scope.split(" ")).size < scope.split(" ").length,
  }),
  refused("nbf-refused", {
    title: "Refuses a token with `nbf`",
    how: "The claim is compared with `iat`, which it is thought to be later than.",
    when: ({ claims: { nbf, iat } }) => isNumericDate(nbf) && isNumericDate(iat) && nbf <= iat,
  }),
];

function refused(
  name: string,
  { when, ...told }: FaultWords & { readonly when: (call: Call) => boolean },
): Fault {
  return {
    ...told,
    name,
    rule: "receiver.claims-accepted",
    step: "checkRequiredClaims",
    patch: refusing("checkRequiredClaims", when),
  };
}

/** Puts the service's own subject in the place of one that is not there. */
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
