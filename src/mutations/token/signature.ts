import type { JsonObject } from "../../lib/json.ts";
import { base64url, compact, decodeSegment } from "../../tokens/compact.ts";
import type { TokenDraft } from "../../tokens/draft.ts";
import { foreignKey } from "../../tokens/foreign-keys.ts";
import { signAside } from "../../tokens/sign.ts";
import type { InvalidMutation, Mutation } from "../mutation.ts";

/** The simplest ways to fail check 1. The files beside this one have the others, by kind. */

/** A token whose signature no trusted key verifies. */
export function unsigned(name: string, what: string, mutation: Partial<Mutation>): InvalidMutation {
  return {
    name,
    what,
    refused: {
      check: "signature",
      why: "the signature does not verify with any key of the issuer's JWKS",
      source: "contract, Receiver checks 1; RFC 7515 §5.2",
    },
    ...mutation,
  };
}

/** Signs as the issuer would, with a key that is not trusted. */
export function signForeign(input: string, { key }: TokenDraft): Promise<Uint8Array> {
  return signAside(key.alg, foreignKey(key.alg), input);
}

/** A segment with further members in its JSON object. */
export function withMembers(segment: string, members: JsonObject): string {
  return base64url(JSON.stringify({ ...decodeSegment(segment), ...members }));
}

export const forgedSignature: InvalidMutation = unsigned(
  "forged",
  "signed with a key that is not the issuer's, under the issuer's `kid`",
  { token: { sign: signForeign } },
);

export const strippedSignature: InvalidMutation = unsigned(
  "stripped",
  "the signature was removed: the third segment is empty",
  { token: { sign: () => new Uint8Array() } },
);

export const tamperedPayload: InvalidMutation = unsigned(
  "payload-tampered",
  "a claim was added after signing",
  {
    token: {
      text: (segments) =>
        compact({ ...segments, payload: withMembers(segments.payload, { tampered: true }) }),
    },
  },
);

export const algNone: InvalidMutation = {
  name: "alg-none",
  what: "`alg` is none and the signature is empty",
  refused: {
    check: "signature",
    why: "an unsecured JWS has no signature at all",
    source: "contract, Receiver checks 1; RFC 7518 §3.6; CVE-2015-9235",
  },
  token: { header: { alg: "none" }, sign: () => new Uint8Array() },
};
