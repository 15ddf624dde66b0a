import { type InvalidMutation, type Mutation, open } from "../../../src/mutations/mutation.ts";
import { signedText, signRaw } from "../../../src/tokens/sign.ts";

/** Header extensions: critical ones, and `b64`, which no JWT may use. */

const critical = {
  check: "signature",
  why: "a signature is invalid when `crit` names an extension that the receiver does not understand",
  source: "contract, Receiver checks 1; RFC 7515 §4.1.11",
  requirement: "rfc7515.crit",
} as const;

export const criticalExtensions: readonly InvalidMutation[] = [
  {
    name: "crit-unknown",
    what: "`crit` names an unknown extension",
    refused: critical,
    token: { header: { crit: ["conformance"], conformance: true } },
  },
  {
    name: "crit-unknown-absent",
    what: "`crit` names an unknown extension, which is missing from the header",
    refused: critical,
    token: { header: { crit: ["conformance"] } },
  },
  {
    name: "crit-string",
    what: "`crit` is a string, not an array",
    refused: { ...critical, requirement: "rfc7515.crit-wellformed" },
    level: "SHOULD",
    token: { header: { crit: "conformance", conformance: true } },
  },
];

const unencoded = {
  refused: {
    check: "signature",
    why: "the payload of a JWT is always encoded",
    source: "RFC 7797 §7",
    requirement: "rfc7797.b64",
  },
  level: "SHOULD",
  signsAsIssuer: true,
} as const;

export const unencodedPayloads: readonly InvalidMutation[] = [
  {
    name: "b64-false",
    what: "`b64` is false, and `crit` says so; the payload is encoded nevertheless",
    refused: {
      check: "signature",
      why: "a receiver that supports `b64` must not decode such a payload, and one that does not must reject it because of `crit`",
      source: "RFC 7515 §4.1.11; RFC 7797 §7",
      requirement: "rfc7515.crit",
    },
    level: "MUST",
    token: { header: { b64: false, crit: ["b64"] } },
  },
  {
    ...unencoded,
    name: "b64-false-signed-raw",
    what: "`b64` is false, and `crit` says so; the signature is over the payload as it is",
    token: {
      header: { b64: false, crit: ["b64"] },
      sign: (input, { key }) => {
        const [header = "", payload = ""] = input.split(".");
        return signRaw(key.alg, key, `${header}.${Buffer.from(payload, "base64url").toString()}`);
      },
    },
  },
  {
    ...unencoded,
    name: "b64-false-raw",
    what: "`b64` is false, and `crit` says so; the payload is not encoded",
    token: {
      header: { b64: false, crit: ["b64"] },
      text: ({ header }, { key, claims }) => signedText(key, `${header}.${JSON.stringify(claims)}`),
    },
  },
];

export const openExtensions: readonly Mutation[] = [
  open("crit-empty", "`crit` is an empty array", { token: { header: { crit: [] } } }),
  open("crit-registered", "`crit` names `alg`, which is not an extension", {
    token: { header: { crit: ["alg"] } },
  }),
  open("crit-null", "`crit` is null", { token: { header: { crit: null } } }),
  open("b64-false-uncritical", "`b64` is false, and no `crit` says so", {
    token: { header: { b64: false } },
  }),
];
