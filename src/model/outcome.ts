import type { ReceiverCheck } from "../contract/checks.ts";

/** How binding a sentence is where it decides. What is only observed is open. */
export type Binding = "MUST" | "SHOULD";

/** What one check says. A check that has nothing to look at says nothing. */
export type Outcome = Passes | Fails | Open;

/** It holds. `level` says how binding the sentence is by which a request that passes is accepted. */
export interface Passes {
  readonly is: "passes";
  readonly level: Binding;
  /** Id of the sentence in `fixtures/requirements.yaml`. */
  readonly sentence: string;
}

/** It does not hold, so the request is rejected. */
export interface Fails {
  readonly is: "fails";
  readonly level: Binding;
  readonly sentence: string;
  readonly reason: Reason;
}

/** Neither follows from the contract and from what is known of the deployment. */
export interface Open {
  readonly is: "open";
  readonly gap: Gap;
}

/** Why a check fails, as a fact. `words.ts` makes a phrase of it. */
export interface Reason {
  readonly what: ReasonName;
  /** The claim, header parameter or other member that it is about. */
  readonly name?: string | undefined;
  readonly value?: unknown;
  readonly wanted?: unknown;
  /** How long ago, or how far ahead. */
  readonly seconds?: number | undefined;
}

export type ReasonName =
  | "no token"
  | "other credentials"
  | "token elsewhere"
  | "not compact"
  | "empty segments"
  | "junk in encoding"
  | "not a claims set"
  | "not in UTF-8"
  | "no algorithm"
  | "unsecured"
  | "not an algorithm of the issuer"
  | "another algorithm of the key"
  | "critical extension"
  | "malformed crit"
  | "unencoded payload"
  | "unsigned"
  | "brings its key"
  | "no key verifies"
  | "key of another issuer"
  | "leading zero"
  | "missing"
  | "wrong type"
  | "differs"
  | "expired"
  | "not yet valid"
  | "lacks scope"
  | "bound elsewhere"
  | "denied"
  | "unknown subject"
  | "no such route"
  | "no id"
  | "no such organization"
  | "no such change"
  | "unknown parameter"
  | "out of bounds"
  | "invalid body"
  | "body not JSON";

/** What leaves a question open. */
export interface Gap {
  readonly what: GapName;
  /** The sentence that is silent or can be read in two ways. Absent where only something of the deployment is not known. */
  readonly sentence?: string | undefined;
  readonly name?: string | undefined;
  readonly value?: unknown;
  readonly wanted?: unknown;
  readonly seconds?: number | undefined;
}

/** Questions that the contract leaves open. */
export type ContractGap =
  | "how it is sent"
  | "long token"
  | "near a route"
  | "kid"
  | "algorithm of the key"
  | "crit"
  | "b64"
  | "spelling of base64url"
  | "spelling of JSON"
  | "repeated member"
  | "nested token"
  | "typ"
  | "spelling of a URL"
  | "array"
  | "clock skew"
  | "spelling of a time"
  | "lifetime"
  | "odd claim"
  | "separator of scopes"
  | "wildcard"
  | "null binding"
  | "spelling of an id"
  | "list of organizations"
  | "name of the binding claim"
  | "binding in the list"
  | "privileges in claims"
  | "body"
  | "query"
  | "header field";

/** What may not be known of the deployment. */
const UNKNOWN_FACTS = [
  "keys not known",
  "issuers not known",
  "audience not known",
  "binding claim not known",
  "policy not known",
  "organization not known",
  "change not known",
] as const;

export type UnknownFact = (typeof UNKNOWN_FACTS)[number];

export type GapName = ContractGap | UnknownFact;

/** Whether the contract leaves a question open, and not only what is known of the deployment. */
export function isOfContract({ what }: Gap): boolean {
  return !(UNKNOWN_FACTS as readonly GapName[]).includes(what);
}

export function passes(sentence: string, level: Binding = "MUST"): Passes {
  return { is: "passes", level, sentence };
}

export function fails(
  sentence: string,
  what: ReasonName,
  facts: Omit<Reason, "what"> = {},
  level: Binding = "MUST",
): Fails {
  return { is: "fails", level, sentence, reason: { what, ...facts } };
}

/** A failure that is only advice. */
export function should(
  sentence: string,
  what: ReasonName,
  facts: Omit<Reason, "what"> = {},
): Fails {
  return fails(sentence, what, facts, "SHOULD");
}

export function open(what: GapName, sentence?: string, facts: Omit<Gap, "what"> = {}): Open {
  return { is: "open", gap: { what, ...(sentence !== undefined && { sentence }), ...facts } };
}

/** The receiver check that a check of the model belongs to; `claims`: of the table "Token claims" alone; `request`: of no token. */
export type Part = ReceiverCheck | "claims" | "request";
