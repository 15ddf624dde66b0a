import { compactVerify, decodeJwt } from "jose";

import { OPERATIONS, SCOPES } from "../contract/operations.ts";
import { isObject } from "../lib/json.ts";
import type { Keys } from "./keys.ts";
import type { Call, Check, CheckName } from "./model.ts";
import { Refusal } from "./refusal.ts";
import { mayAccess } from "./store.ts";

/** The clock difference to the issuer that is tolerated, in seconds; check 4 of the contract. */
export const CLOCK_SKEW_SECONDS = 5;

/** Credentials of RFC 6750 section 2.1; the scheme is in any case (RFC 9110 section 11.1). */
const BEARER = /^Bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/** JWS Compact Serialization, RFC 7515 section 7.1, with the strict base64url alphabet. */
const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** Takes the access token from the one `Authorization` header. */
function readCredentials(call: Call): void {
  const [value, ...more] = call.authorization;
  if (value === undefined) throw reject(call, "readCredentials", "An access token is required.");
  const token = BEARER.exec(value)?.[1];
  if (token === undefined || more.length > 0) {
    throw reject(call, "readCredentials", "Authorization must be `Bearer` and one access token.");
  }
  call.token = token;
}

/**
 * Check 1: the signature is valid against the issuer's JWKS. Only keys of that JWKS count; `jwk`, `jku`,
 * `x5c` and `x5u` in the token are ignored. No header extension is supported, so a token with `crit` is
 * always refused (RFC 7515 section 4.1.11; RFC 7797 section 7 forbids `b64: false` in a JWT).
 */
async function verifySignature(call: Call): Promise<void> {
  const token = call.token ?? "";
  if (!COMPACT_JWS.test(token)) throw invalidSignature(call);
  const keys = await keysFor(call, token);
  let verified: Awaited<ReturnType<typeof compactVerify>>;
  try {
    verified = await compactVerify(token, keys.find, { algorithms: [...keys.algorithms] });
  } catch (error) {
    throw error instanceof Refusal ? error : invalidSignature(call);
  }
  if (Object.hasOwn(verified.protectedHeader, "crit")) throw invalidSignature(call);
  call.header = { ...verified.protectedHeader };
  call.claims = parseClaims(call, verified.payload);
}

/** The keys of the issuer that a token names; those of the test issuer if the issuer is unknown. */
async function keysFor({ receiver }: Call, token: string): Promise<Keys> {
  const { own, steps } = receiver;
  return own && issuerNamed(token) === own.issuer ? own.keys : steps.issuerKeys(receiver);
}

function issuerNamed(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

function invalidSignature(call: Call): Refusal {
  return reject(call, "verifySignature", "The access token's signature is not valid.");
}

/** Reads a JWS payload as a JWT Claims Set: an object in UTF-8 JSON, RFC 7519 section 7.2. */
function parseClaims(call: Call, payload: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(payload);
    const claims: unknown = JSON.parse(text);
    if (isObject(claims)) return claims;
  } catch {
    // Not UTF-8 or not JSON: the same answer as for JSON that is not an object.
  }
  throw reject(call, "verifySignature", "The access token's payload is not a set of claims.");
}

/** `typ`, where it is present, names a JWT or an access token (RFC 7519 section 5.1, RFC 9068 section 2.1). */
function checkType(call: Call): void {
  const { typ } = call.header;
  if (typ === undefined) return;
  if (typeof typ === "string" && /^(?:application\/)?(?:at\+)?jwt$/i.test(typ)) return;
  throw reject(call, "checkType", "The token is not of a type that is accepted here.");
}

/** Check 2: `iss` is a trusted authorization server, compared as an exact string. */
export function checkIssuer(call: Call): void {
  const { issuer, own } = call.receiver;
  const { iss } = call.claims;
  // The keys that verified the signature were those of the issuer that the token names.
  if (iss !== issuer && (own === undefined || iss !== own.issuer)) {
    throw reject(call, "checkIssuer", "The access token's issuer is not trusted.");
  }
}

/** Check 3: `aud` is this receiver's base URL, or an array that contains it (RFC 7519 section 4.1.3). */
export function checkAudience(call: Call): void {
  const { aud } = call.claims;
  const { baseUrl } = call.receiver;
  if (aud === baseUrl || (Array.isArray(aud) && aud.includes(baseUrl))) return;
  throw reject(call, "checkAudience", "The access token is meant for another audience.");
}

/** Check 4: `exp` is a number that has not passed; `nbf`, where present, has. */
export function checkExpiry(call: Call): void {
  const { exp, nbf } = call.claims;
  const now = call.receiver.steps.now();
  if (!isNumericDate(exp) || now >= exp + CLOCK_SKEW_SECONDS) {
    throw reject(
      call,
      "checkExpiry",
      "The access token has expired, or does not say when it will.",
    );
  }
  if (nbf !== undefined && !(isNumericDate(nbf) && nbf <= now + CLOCK_SKEW_SECONDS)) {
    throw reject(call, "checkExpiry", "The access token is not valid yet.");
  }
}

/** Whether `exp` has passed by no more than the tolerated difference. */
export function isWithinSkew(exp: unknown, now: number): boolean {
  return isNumericDate(exp) && exp <= now && now < exp + CLOCK_SKEW_SECONDS;
}

/** The other claims that the contract requires in every token. */
function checkRequiredClaims(call: Call): void {
  const { sub, iat } = call.claims;
  if (typeof sub !== "string" || sub === "" || !isNumericDate(iat)) {
    throw reject(call, "checkRequiredClaims", "The access token must have `sub` and `iat`.");
  }
}

/** A NumericDate of RFC 7519 section 2. JSON's `1e400` becomes Infinity, which is not one. */
export function isNumericDate(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** Check 5: `scope` is a space-separated list that contains the operation's scope exactly. */
export function checkScope(call: Call): void {
  const required = OPERATIONS[call.operation].scope;
  const { scope } = call.claims;
  if (typeof scope === "string" && scope.split(" ").includes(required)) return;
  throw reject(call, "checkScope", `This needs the scope ${required}.`);
}

/** Whether the claims of a token grant every scope of the contract. */
export function grantsEveryScope({ scope }: Call["claims"]): boolean {
  const granted = String(scope).split(" ");
  return SCOPES.every((one) => granted.includes(one));
}

/**
 * Check 6: an organization-binding claim that is present, with any value, must equal the target. The list
 * has no target; there the claim limits the result.
 */
export function checkBinding(call: Call): void {
  if (call.orgId === undefined || !isBound(call)) return;
  if (bindingOf(call) !== call.orgId) {
    throw elsewhere(call);
  }
}

/** The refusal of a token that is bound to another organization. */
export function elsewhere(call: Call): Refusal {
  return reject(call, "checkBinding", "The access token is for another organization.");
}

/** The value of the organization-binding claim, whatever it is; `undefined` if the token has none. */
export function bindingOf({ claims, receiver }: Pick<Call, "claims" | "receiver">): unknown {
  return claims[receiver.bindingClaim];
}

/** Whether the token carries the organization-binding claim. */
export function isBound(call: Call): boolean {
  return Object.hasOwn(call.claims, call.receiver.bindingClaim);
}

/** Check 7: the receiver's own policy, which no token overrides. */
export function applyPolicy(call: Call): void {
  if (call.orgId === undefined || mayAccess(call.claims["sub"], call.orgId)) return;
  throw reject(call, "applyPolicy", "The subject may not act on this organization.");
}

/** Looks up the organization of the path. Comes last: only permitted callers learn what exists. */
function findOrganization(call: Call): void {
  if (call.orgId === undefined) return;
  call.organization = call.receiver.store.organizations.get(call.orgId);
  if (!call.organization) throw new Refusal(404, "There is no such organization.");
}

/** The refusal of a call by one of the receiver's checks, with the status that `rejectionStatus` gives it. */
export function reject(call: Call, check: CheckName, message: string): Refusal {
  return new Refusal(call.receiver.steps.rejectionStatus(check), message);
}

/** Every check as the contract requires it. */
export const CHECKS: Readonly<Record<CheckName, Check>> = {
  readCredentials,
  verifySignature,
  checkType,
  checkIssuer,
  checkAudience,
  checkExpiry,
  checkRequiredClaims,
  checkScope,
  checkBinding,
  applyPolicy,
  findOrganization,
};
