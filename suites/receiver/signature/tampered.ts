import { otherCase } from "../../../src/lib/words.ts";
import {
  type InvalidMutation,
  type Mutation,
  signedAnew,
} from "../../../src/mutations/mutation.ts";
import {
  signForeign,
  tamperedPayload,
  unsigned,
  withMembers,
} from "../../../src/mutations/token/signature.ts";
import { base64url, compact, decodeSegment, type Segments } from "../../../src/tokens/compact.ts";
import { freshJti } from "../../shared/mutations/valid-variations.ts";

/** Good tokens that were changed after they were signed. */

function tampered(
  name: string,
  what: string,
  tamper: (segments: Segments) => Partial<Segments>,
): InvalidMutation {
  return unsigned(name, what, {
    token: { text: (segments) => compact({ ...segments, ...tamper(segments) }) },
  });
}

function resigned(
  name: string,
  what: string,
  mutation: (bytes: Buffer) => Uint8Array,
): InvalidMutation {
  return tampered(name, what, ({ signature }) => ({
    signature: base64url(mutation(Buffer.from(signature, "base64url"))),
  }));
}

/** The same JSON value as another text. */
function respaced(segment: string): string {
  return base64url(JSON.stringify(decodeSegment(segment), null, 1));
}

function flipped(bytes: Buffer, index: number): Uint8Array {
  return bytes.map((byte, at) => (at === index ? byte ^ 1 : byte));
}

const bitFlipped = resigned(
  "signature-bit-flipped",
  "one bit in the middle of the signature is flipped",
  (bytes) => flipped(bytes, bytes.length >> 1),
);

const lastBitFlipped = resigned(
  "signature-last-bit-flipped",
  "the last bit of the signature is flipped",
  (bytes) => flipped(bytes, bytes.length - 1),
);

const tamperedHeader = tampered(
  "header-tampered",
  "a header parameter was added after signing",
  ({ header }) => ({ header: withMembers(header, { tampered: true }) }),
);

export const tamperedTokens: readonly InvalidMutation[] = [
  tampered(
    "payload-respaced",
    "spaces were added to the payload's JSON after signing",
    (token) => ({
      payload: respaced(token.payload),
    }),
  ),
  tampered("header-respaced", "spaces were added to the header's JSON after signing", (token) => ({
    header: respaced(token.header),
  })),
  tamperedHeader,
  tampered("header-swapped", "`kid` was changed after signing", ({ header }) => ({
    header: withMembers(header, { kid: "tampered" }),
  })),
  unsigned("signature-segment-missing", "the third segment is missing with its dot", {
    token: { text: ({ header, payload }) => `${header}.${payload}` },
  }),
  resigned("signature-truncated", "the signature lacks its last three bytes", (bytes) =>
    bytes.subarray(0, -3),
  ),
  resigned("signature-halved", "the second half of the signature is missing", (bytes) =>
    bytes.subarray(0, bytes.length / 2),
  ),
  bitFlipped,
  lastBitFlipped,
  resigned("signature-extended", "a zero byte follows the signature", (bytes) =>
    Buffer.concat([bytes, Buffer.alloc(1)]),
  ),
  resigned("signature-zeros", "every byte of the signature is zero", (bytes) =>
    Buffer.alloc(bytes.length),
  ),
  resigned(
    "signature-arbitrary",
    "the signature consists of other bytes of the right length",
    (bytes) => bytes.map((_, at) => (at * 151 + 7) & 0x7f),
  ),
  tampered("signature-not-base64", "the signature is `!!!!`, which encodes nothing", () => ({
    signature: "!!!!",
  })),
];

/** A token that is accepted, and then what is changed of it. */
export interface OnceAccepted extends InvalidMutation {
  /** How the accepted token differs from other good ones. */
  readonly accepted: Mutation;
}

const signedByOther: InvalidMutation = unsigned(
  "forged",
  "a key that is not the issuer's signed it",
  {
    token: {
      text: async (segments, draft) => {
        const signature = await signForeign(`${segments.header}.${segments.payload}`, draft);
        return compact({ ...segments, signature: base64url(signature) });
      },
    },
  },
);

const inOtherCase = tampered(
  "signature-other-case",
  "a letter of the signature is in the other case",
  ({ signature }) => ({
    signature: signature.replace(/[a-z]/i, otherCase),
  }),
);

function onceAccepted(mutation: InvalidMutation, accepted: Mutation = signedAnew): OnceAccepted {
  return {
    ...mutation,
    name: `accepted-${mutation.name}`,
    what: `the token was accepted a moment ago; now ${mutation.what}`,
    accepted,
  };
}

/**
 * Changes to a token that was just accepted, to find a receiver that remembers tokens by only a part
 * of them. One of the tokens has a `jti`, because a receiver may remember by that.
 */
export const tamperedOnceAccepted: readonly OnceAccepted[] = [
  ...[bitFlipped, lastBitFlipped, inOtherCase, tamperedHeader, tamperedPayload, signedByOther].map(
    (mutation) => onceAccepted(mutation),
  ),
  onceAccepted(
    { ...signedByOther, name: "jti-forged", what: `${signedByOther.what}; it has a \`jti\`` },
    { ...signedAnew, ...freshJti, what: "it has a `jti`" },
  ),
];
