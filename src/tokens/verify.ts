import { compactVerify, errors, importJWK } from "jose";

import { type ReceiverCheck, SMALL_SKEW_SECONDS } from "../contract/checks.ts";
import { CLAIMS } from "../contract/claims.ts";
import { OPERATION_IDS, OPERATIONS } from "../contract/operations.ts";
import { isUuid } from "../contract/uuid.ts";
import type { JsonObject } from "../lib/json.ts";
import type { IssuerKey, Target } from "../profile/target.ts";
import type { ParsedToken } from "./parse.ts";

/** The result of one receiver check for a token. */
export interface Examined {
  /** `undefined` for the claims that every token must have. */
  readonly check: ReceiverCheck | undefined;
  /** `undefined` where only the receiver can know. */
  readonly holds: boolean | undefined;
  /** The reason, as a phrase. It may quote the token's claims. */
  readonly why: string;
}

const REQUIRED = CLAIMS.filter((claim) => claim.required).map(({ name }) => name);

/**
 * Checks a token against a profile, in the order of the receiver checks, and then the claims that
 * every token must have. Sends nothing: the keys are the profile's.
 * @param token the text that `parsed` was read from
 * @param nowSeconds since the epoch
 * @param span words for a number of seconds, such as "3 min"
 */
export async function examineToken(
  token: string,
  parsed: ParsedToken,
  target: Target | undefined,
  nowSeconds: number,
  span: (seconds: number) => string,
): Promise<Examined[]> {
  const { claims } = parsed;
  return [
    { check: "signature", ...(await signature(token, parsed.header, target)) },
    { check: "issuer", ...equals("iss", claims["iss"], target?.testIssuer.url) },
    { check: "audience", ...audience(claims["aud"], target?.audience) },
    { check: "expiry", ...expiry(claims["exp"], nowSeconds, span) },
    { check: "scope", ...scope(claims["scope"]) },
    { check: "binding", ...binding(claims, target) },
    { check: "policy", ...policy(claims, target) },
    { check: undefined, ...required(parsed, nowSeconds) },
  ];
}

type Judged = Pick<Examined, "holds" | "why">;

function no(why: string): Judged {
  return { holds: false, why };
}

function yes(why: string): Judged {
  return { holds: true, why };
}

function unknown(why: string): Judged {
  return { holds: undefined, why };
}

const NO_PROFILE = unknown("there is no profile to compare it with");

async function signature(
  token: string,
  { alg, kid }: JsonObject,
  target: Target | undefined,
): Promise<Judged> {
  if (typeof alg !== "string") return no("`alg` is not a string");
  if (token.endsWith(".") || /^none$/i.test(alg)) return no("it is unsigned");
  if (!target) return NO_PROFILE;
  const { keys, algorithms } = target.testIssuer;
  const named = keys.find((key) => key.kid === kid);
  for (const key of named ? [named, ...keys.filter((one) => one !== named)] : keys) {
    const verified = await verifies(token, alg, key);
    if (typeof verified === "string") return no(verified);
    if (!verified) continue;
    if (kid !== undefined && key !== named) {
      return unknown(
        `the key ${key.kid} verifies it, but \`kid\` names ${named ? "another" : "none of the JWKS"}`,
      );
    }
    const declared = algorithms.includes(alg) ? "" : ", which the profile does not declare";
    return yes(`the key ${key.kid} verifies it with ${alg}${declared}`);
  }
  const why = named ? `the key ${named.kid}, which \`kid\` names,` : "no key of the profile's JWKS";
  return no(named ? `${why} does not verify it` : `${why} verifies it`);
}

/** Whether a key verifies the token. A phrase says why no key ever could. */
async function verifies(token: string, alg: string, key: IssuerKey): Promise<boolean | string> {
  try {
    await compactVerify(token, await importJWK(key.publicJwk, alg), { algorithms: [alg] });
    return true;
  } catch (error) {
    const unsupported = error instanceof errors.JOSENotSupported && /crit|b64/i.test(error.message);
    return unsupported ? "`crit` names an extension that is not known" : false;
  }
}

function equals(name: string, value: unknown, wanted: string | undefined): Judged {
  if (value === undefined) return no(`\`${name}\` is missing`);
  if (wanted === undefined) return NO_PROFILE;
  if (value === wanted) return yes(wanted);
  return no(`it is ${JSON.stringify(value)}, not ${wanted}${nearly(value, wanted)}`);
}

function audience(value: unknown, wanted: string | undefined): Judged {
  if (Array.isArray(value) && wanted !== undefined && value.includes(wanted)) {
    return unknown(`it is a list with ${wanted}; the contract says that it equals it`);
  }
  return equals("aud", value, wanted);
}

/** Names differences that a reader overlooks easily. */
function nearly(value: unknown, wanted: string): string {
  if (typeof value !== "string") return "";
  if (plain(value) === plain(wanted)) return "; a slash or blank at the end differs";
  return plain(value).toLowerCase() === plain(wanted).toLowerCase() ? "; the case differs" : "";
}

function plain(text: string): string {
  return text.trim().replace(/\/+$/, "");
}

function expiry(exp: unknown, now: number, span: (seconds: number) => string): Judged {
  if (exp === undefined) return no("`exp` is missing");
  if (typeof exp !== "number") return no("`exp` is not a number");
  if (exp > now) return yes(`expires in ${span(exp - now)}`);
  const skew = now - exp <= SMALL_SKEW_SECONDS ? "; a receiver may allow for that much skew" : "";
  return no(`expired ${span(now - exp)} ago${skew}`);
}

function scope(value: unknown): Judged {
  if (value === undefined) return no("`scope` is missing");
  if (typeof value !== "string") return no("`scope` is not a string");
  const granted = value.split(" ");
  const covers = OPERATION_IDS.filter((id) => granted.includes(OPERATIONS[id].scope));
  const lacking = OPERATION_IDS.filter((id) => !covers.includes(id));
  if (covers.length === 0) return no("it covers no operation");
  const list = lacking.map((id) => `${id} (${OPERATIONS[id].scope})`).join(", ");
  return yes(`it covers ${covers.join(", ")}${list === "" ? "" : `; not ${list}`}`);
}

function binding(claims: JsonObject, target: Target | undefined): Judged {
  if (!target) return NO_PROFILE;
  const { bindingClaim, organizations, denied } = target;
  if (bindingClaim === undefined) {
    return unknown("the profile has no claimsNamespace, so the claim's name is not known");
  }
  const value = claims[bindingClaim];
  if (value === undefined) return yes("it is unbound");
  if (!isUuid(value)) {
    return no(`${bindingClaim} is not a UUID, so it equals no organization`);
  }
  const is = (id: string | undefined): boolean => id?.toLowerCase() === value.toLowerCase();
  if (is(organizations.primary)) return yes(`good for ${value} alone, organizations.primary`);
  if (is(organizations.other)) return yes(`good for ${value} alone, organizations.other`);
  if (is(denied?.organization)) return yes(`good for ${value} alone, denied.organization`);
  return unknown(`good for ${value} alone, which the profile does not name`);
}

/** The only part of local policy that the suite knows is the denial that the profile names. */
function policy(claims: JsonObject, target: Target | undefined): Judged {
  const { denied, bindingClaim = "" } = target ?? {};
  const hidden = "local policy cannot be seen from outside";
  if (!denied || claims["sub"] !== denied.subject) return unknown(hidden);
  const bound = claims[bindingClaim];
  const pair = `the profile says that ${denied.subject} may not act on ${denied.organization}: 403`;
  return bound === denied.organization ? no(pair) : unknown(`${hidden}; ${pair}`);
}

function required({ claims, repeated }: ParsedToken, now: number): Judged {
  const missing = REQUIRED.filter((name) => !Object.hasOwn(claims, name));
  if (missing.length > 0) return no(`${missing.join(", ")} required, but missing`);
  if (repeated.length > 0) {
    return unknown(`${repeated.join(", ")} more than once: receivers take the last or reject it`);
  }
  const { iat, nbf, sub } = claims;
  if (typeof iat !== "number") return no("`iat` is not a number");
  if (typeof sub !== "string") return no("`sub` is not a string");
  if (iat > now) return unknown("`iat` is in the future: one of the clocks is wrong");
  if (typeof nbf === "number" && nbf > now) return unknown("`nbf` is in the future");
  return yes("every required claim is present");
}
