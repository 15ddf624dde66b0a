import { sign as cryptoSign } from "node:crypto";

import type { IssuerKey, Target } from "../../profile/target.ts";
import { ORDERS } from "../../tokens/ecdsa.ts";
import { privateKeyOf, signRaw } from "../../tokens/sign.ts";
import type { InvalidMutation } from "../mutation.ts";

/** ECDSA signatures that only a wrong verifier takes for valid. */

/** The issuer's key that it is done with: the control's, else one that the profile declares, else any. */
function ecdsaKey({ testIssuer }: Target): IssuerKey | undefined {
  const keys = [testIssuer.key, ...testIssuer.keys].filter(({ alg }) => alg in ORDERS);
  return keys.find(({ alg }) => testIssuer.algorithms.includes(alg)) ?? keys[0];
}

function ecdsa(
  name: string,
  what: string,
  signature: (valid: Buffer, order: Buffer, input: string, key: IssuerKey) => Uint8Array,
): InvalidMutation {
  return {
    name: `ecdsa-${name}`,
    check: "signature",
    what: `in an ECDSA signature ${what}`,
    why: "an ECDSA signature is R and S, both from 1 to n - 1, side by side at a fixed length",
    source: "contract, Receiver checks 1; RFC 7518 §3.4; CVE-2022-21449",
    key: ecdsaKey,
    inapplicable: (target) =>
      ecdsaKey(target) ? undefined : "the test issuer has no key for ECDSA",
    sign: (input, { key }) =>
      signature(
        signRaw(key.alg, key, input),
        Buffer.from(ORDERS[key.alg] ?? "", "hex"),
        input,
        key,
      ),
  };
}

/** A number in as many bytes as the order has. */
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
  ecdsa("der", "R and S are right, but in DER", (_valid, _order, input, key) =>
    cryptoSign(`sha${key.alg.slice(2)}`, Buffer.from(input), {
      key: privateKeyOf(key),
      dsaEncoding: "der",
    }),
  ),
  ecdsa("padded", "R and S are right, but each has one more zero byte in front", (valid) => {
    const half = valid.length / 2;
    const zero = Buffer.alloc(1);
    return Buffer.concat([zero, valid.subarray(0, half), zero, valid.subarray(half)]);
  }),
  ecdsa("short", "S lacks its last byte", (valid) => valid.subarray(0, -1)),
];
