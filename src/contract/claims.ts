import type { ReceiverCheck } from "./checks.ts";

/** A token claim that rules test. */
export interface Claim {
  readonly name: string;
  /** The contract's table "Token claims" says MUST. */
  readonly required: boolean;
  /** The JSON type, RFC 7519 §2: a string (StringOrURI) or a number (NumericDate). */
  readonly type: "text" | "time";
  /** The receiver check that reads it, and its rule. */
  readonly checkedBy?: { readonly rule: string; readonly check: ReceiverCheck };
  /** The profile key that sets its value in good tokens. */
  readonly givenBy?: string;
}

/**
 * The claims of the contract's table "Token claims", and `nbf` of RFC 7519 §4.1.5. The binding claim
 * is missing because each deployment names its own.
 */
export const CLAIMS: readonly Claim[] = [
  {
    name: "iss",
    required: true,
    type: "text",
    checkedBy: { rule: "receiver.issuer", check: "issuer" },
    givenBy: "testIssuer.url",
  },
  { name: "sub", required: true, type: "text", givenBy: "subject" },
  {
    name: "aud",
    required: true,
    type: "text",
    checkedBy: { rule: "receiver.audience", check: "audience" },
    givenBy: "audience",
  },
  { name: "iat", required: true, type: "time" },
  {
    name: "exp",
    required: true,
    type: "time",
    checkedBy: { rule: "receiver.expiry", check: "expiry" },
  },
  { name: "nbf", required: false, type: "time" },
  {
    name: "scope",
    required: true,
    type: "text",
    checkedBy: { rule: "receiver.scope", check: "scope" },
  },
  { name: "grant_type", required: false, type: "text" },
];

/** The claims that a receiver check reads, in the order of the checks. */
export const CHECKED_CLAIMS: readonly Required<Pick<Claim, "name" | "checkedBy">>[] =
  CLAIMS.flatMap(({ name, checkedBy }) => (checkedBy ? [{ name, checkedBy }] : []));

/** Names of the claims that are points in time. Their values differ from token to token. */
export const TIME_CLAIMS: readonly string[] = CLAIMS.filter(({ type }) => type === "time").map(
  ({ name }) => name,
);

/** Names of the claims that differ between any two tokens of one issuer. */
export const OF_EACH_TOKEN: ReadonlySet<string> = new Set([
  ...TIME_CLAIMS,
  "jti",
  "auth_time",
  "sid",
]);
