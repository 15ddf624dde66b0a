import type { JsonObject } from "../lib/json.ts";

/**
 * A token as the model is asked about it: what a reader sees, and what verifying it shows. It can be made from a token
 * (`read-token.ts`), from a draft (`draftedToken`), or from what a report keeps of a token, which has no signature.
 */
export interface AskedToken {
  /** What is wrong with its text, or unusual in it. Empty for most. */
  readonly flaws: ReadonlySet<Flaw>;
  /** `undefined` where it cannot be read. Of members of the same name, the last one counts. */
  readonly header: JsonObject | undefined;
  readonly claims: JsonObject | undefined;
  /** Names that occur more than once in the header or in the claims. */
  readonly repeated: readonly string[];
  readonly signature: Signature;
  /** The number of characters of its text. */
  readonly length: number;
}

export type Flaw =
  /** It is not three segments, separated by dots. */
  | "not compact"
  /** It is, apart from empty segments. */
  | "empty segments"
  /** Header or payload have characters that are not base64url. */
  | "junk in encoding"
  | "not UTF-8"
  | "byte order mark"
  | "nested deeply"
  /** Its payload is another token. */
  | "nested token";

/** What verifying the signature with the keys of the trusted issuers shows. */
export type Signature =
  /** There is none. */
  | { readonly is: "empty" }
  /** No key verifies it under the `alg` of the header. */
  | {
      readonly is: "invalid";
      /** What everybody knows that is the secret of an HMAC, where something is. */
      readonly keyedBy?: KeyForm | undefined;
      readonly spelled?: Spelling | undefined;
    }
  | {
      readonly is: "valid";
      /** The issuer whose key verifies it. */
      readonly issuer: string;
      readonly kid?: unknown;
      /** The `alg` of the key's JWK. */
      readonly alg?: unknown;
      /** Whether it covers the payload as it is, without base64url; RFC 7797. */
      readonly unencoded?: true;
      readonly spelled?: Spelling;
    };

/** A form of a public key: as PEM, as the text of its JWK, as DER, and the number of an RSA key or a coordinate; or no key at all. */
export type KeyForm = "PEM" | "JWK" | "DER" | "number" | "empty";

/** How the text of a signature deviates from base64url, or its number from its length. */
type Spelling = "with junk" | "otherwise" | "with a leading zero";

/** A token that is signed as it should be: `draft` before anything is wrong with its text. */
export function draftedToken(
  draft: { readonly header: JsonObject; readonly claims: JsonObject },
  issuer: string,
): AskedToken {
  const { header, claims } = draft;
  const { kid, alg } = header;
  return {
    flaws: new Set(),
    header,
    claims,
    repeated: [],
    signature: { is: "valid", issuer, kid, alg },
    length: 0,
  };
}

/**
 * A token as a report keeps it, without its signature. What is not kept is taken to be in order; ask about it only what its
 * members show, or tell what is known of its signature.
 */
export function recordedToken(
  note: { readonly header?: JsonObject | undefined; readonly claims?: JsonObject | undefined },
  signature: Signature = { is: "invalid" },
): AskedToken {
  const { header, claims } = note;
  return { flaws: new Set(), header, claims, repeated: [], signature, length: 0 };
}
