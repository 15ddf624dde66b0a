import type { InvalidMutation } from "../../../src/mutations/mutation.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import type { IssuerKey } from "../../../src/profile/target.ts";
import { ORDERS } from "../../../src/tokens/sign.ts";
import { keyInUse, onceKnown, validSignature } from "./known-issuer.ts";

/**
 * ECDSA signatures that only a faulty verifier accepts. None needs the issuer's key: where tokens are
 * issued, those that change a valid signature use that of an issued token.
 */

function ecdsaKey(facts: Facts): IssuerKey | undefined {
  return keyInUse(facts, (alg) => alg in ORDERS);
}

function ecdsa(
  name: string,
  what: string,
  signature: (valid: Buffer, order: Buffer) => Uint8Array,
): InvalidMutation {
  return {
    name: `ecdsa-${name}`,
    what: `in an ECDSA signature ${what}`,
    refused: {
      check: "signature",
      why: "an ECDSA signature is R and S, both from 1 to n - 1, side by side at a fixed length",
      source: "contract, Receiver checks 1; RFC 7518 §3.4; CVE-2022-21449",
    },
    token: {
      key: ecdsaKey,
      sign: (input, draft) =>
        signature(validSignature(input, draft), Buffer.from(ORDERS[draft.key.alg] ?? "", "hex")),
    },
    signsAsIssuer: false,
    inapplicable: onceKnown((target) =>
      ecdsaKey(target) ? undefined : "the issuer has no key for ECDSA",
    ),
  };
}

/** A non-negative integer in DER, X.690 section 8.3. */
function derInteger(bytes: Buffer): Buffer {
  const from = bytes.findIndex((byte) => byte !== 0);
  const digits = bytes.subarray(from < 0 ? -1 : from);
  const sign = (digits[0] ?? 0) > 127 ? [0] : [];
  return Buffer.from([2, digits.length + sign.length, ...sign, ...digits]);
}

/** R and S as a DER sequence. */
function inDer(signature: Buffer): Buffer {
  const half = signature.length / 2;
  const numbers = [signature.subarray(0, half), signature.subarray(half)].map(derInteger);
  const content = Buffer.concat(numbers);
  const length = content.length > 127 ? [0x81, content.length] : [content.length];
  return Buffer.concat([Buffer.from([0x30, ...length]), content]);
}

/** A number with as many bytes as the order. */
function small(value: number, order: Buffer): Buffer {
  const bytes = Buffer.alloc(order.length);
  bytes.writeUInt8(value, order.length - 1);
  return bytes;
}

export const ecdsaForgeries: readonly InvalidMutation[] = [
  ecdsa("zero", "R and S are 0", (valid) => Buffer.alloc(valid.length)),
  ecdsa("order", "R and S are the order of the curve", (_valid, order) =>
    Buffer.concat([order, order]),
  ),
  ecdsa("one-zero", "R is 1 and S is 0", (_valid, order) =>
    Buffer.concat([small(1, order), small(0, order)]),
  ),
  ecdsa("zero-der", "R and S are 0, in DER", () => Buffer.from("3006020100020100", "hex")),
  ecdsa("der", "R and S are right, but in DER", inDer),
  ecdsa("padded", "R and S are right, but each has one more zero byte in front", (valid) => {
    const half = valid.length / 2;
    const zero = Buffer.alloc(1);
    return Buffer.concat([zero, valid.subarray(0, half), zero, valid.subarray(half)]);
  }),
  ecdsa("short", "S lacks its last byte", (valid) => valid.subarray(0, -1)),
];
