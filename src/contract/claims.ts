import type { ReceiverCheck } from "./checks.ts";

/** A claim of a token that rules are about. */
export interface Claim {
  readonly name: string;
  /** Contract, "Token claims": every token has it. */
  readonly required: boolean;
  /** RFC 7519: text (StringOrURI), or a NumericDate. */
  readonly type: "text" | "time";
  /** The rule whose receiver check looks at it. */
  readonly checkedBy?: { readonly rule: string; readonly check: ReceiverCheck };
  /** The key of the profile that says what good tokens have there. */
  readonly givenBy?: string;
}

/** The contract's table "Token claims", and `nbf` of RFC 7519; the binding claim's name is the deployment's. */
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

/** Those that a receiver check looks at, in the order of the checks. */
export const CHECKED_CLAIMS: readonly Required<Pick<Claim, "name" | "checkedBy">>[] =
  CLAIMS.flatMap(({ name, checkedBy }) => (checkedBy ? [{ name, checkedBy }] : []));

/** Names of those that are points in time: they differ from token to token. */
export const TIME_CLAIMS: readonly string[] = CLAIMS.filter(({ type }) => type === "time").map(
  ({ name }) => name,
);
