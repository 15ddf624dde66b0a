import type { InvalidMutation, UnspecifiedMutation } from "../../../src/mutations/mutation.ts";
import { base64url } from "../../../src/tokens/compact.ts";
import { signRaw } from "../../../src/tokens/sign.ts";

/** Header extensions: critical ones, and `b64`, which no JWT may use. */

const critical = {
  check: "signature",
  why: "a signature is invalid when `crit` names an extension that the receiver does not understand",
  source: "contract, Receiver checks 1; RFC 7515 §4.1.11",
  requirement: "rfc7515.crit",
} as const;

export const criticalExtensions: readonly InvalidMutation[] = [
  {
    ...critical,
    name: "crit-unknown",
    what: "`crit` names an unknown extension",
    header: { crit: ["conformance"], conformance: true },
  },
  {
    ...critical,
    name: "crit-unknown-absent",
    what: "`crit` names an unknown extension, which is missing from the header",
    header: { crit: ["conformance"] },
  },
  {
    ...critical,
    name: "crit-string",
    requirement: "rfc7515.crit-wellformed",
    level: "SHOULD",
    what: "`crit` is a string, not an array",
    header: { crit: "conformance", conformance: true },
  },
];

const unencoded = {
  check: "signature",
  level: "SHOULD",
  why: "the payload of a JWT is always encoded",
  source: "RFC 7797 §7",
  requirement: "rfc7797.b64",
} as const;

export const unencodedPayloads: readonly InvalidMutation[] = [
  {
    ...unencoded,
    level: "MUST",
    why: "a receiver that supports `b64` must not decode such a payload, and one that does not must reject it because of `crit`",
    source: "RFC 7515 §4.1.11; RFC 7797 §7",
    requirement: "rfc7515.crit",
    name: "b64-false",
    what: "`b64` is false, and `crit` says so; the payload is encoded nevertheless",
    header: { b64: false, crit: ["b64"] },
  },
  {
    ...unencoded,
    name: "b64-false-signed-raw",
    what: "`b64` is false, and `crit` says so; the signature is over the payload as it is",
    header: { b64: false, crit: ["b64"] },
    signsAsIssuer: true,
    sign: (input, { key }) => {
      const [header = "", payload = ""] = input.split(".");
      return signRaw(key.alg, key, `${header}.${Buffer.from(payload, "base64url").toString()}`);
    },
  },
  {
    ...unencoded,
    name: "b64-false-raw",
    what: "`b64` is false, and `crit` says so; the payload is not encoded",
    header: { b64: false, crit: ["b64"] },
    signsAsIssuer: true,
    text: ({ header }, { key, claims }) => {
      const input = `${header}.${JSON.stringify(claims)}`;
      return `${input}.${base64url(signRaw(key.alg, key, input))}`;
    },
  },
];

export const openExtensions: readonly UnspecifiedMutation[] = [
  {
    name: "crit-empty",
    level: "OBSERVE",
    what: "`crit` is an empty array",
    header: { crit: [] },
  },
  {
    name: "crit-registered",
    level: "OBSERVE",
    what: "`crit` names `alg`, which is not an extension",
    header: { crit: ["alg"] },
  },
  {
    name: "crit-null",
    level: "OBSERVE",
    what: "`crit` is null",
    header: { crit: null },
  },
  {
    name: "b64-false-uncritical",
    level: "OBSERVE",
    what: "`b64` is false, and no `crit` says so",
    header: { b64: false },
  },
];
