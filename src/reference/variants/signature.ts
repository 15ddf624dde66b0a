import { isObject } from "../../lib/json.ts";
import { reject } from "../checks.ts";
import { fetchedKeys } from "../fetched-keys.ts";
import type { Call, Check } from "../model.ts";
import { changingAnswers, refusing, skipped } from "../patches.ts";
import { accepting, type Received, splitToken, verifies } from "../received.ts";
import type { Variants } from "./variant.ts";

/** The longest `Authorization` that a server with small limits accepts. */
const SHORT_HEADER = 2048;

/** Freedoms in how a signature is verified, in what is checked before, and in which `typ` a token must have. */
export const SIGNATURE_VARIANTS: Variants = {
  "kid-ignored": {
    title: "Every key of the issuer for the algorithm is tried, whatever `kid` says",
    verifySignature: accepting(
      (token, call) =>
        !isOfOwnIssuer(token, call) &&
        call.receiver.keys.published.some(({ kid }) =>
          verifies({ ...token, header: { ...token.header, kid } }, call),
        ),
    ),
  },
  "base64-leniently-read": {
    title: "base64 padding and the standard base64 alphabet are accepted too",
    verifySignature: (original) => (call) => {
      call.token = call.token?.replaceAll("=", "").replaceAll("+", "-").replaceAll("/", "_");
      return original(call);
    },
  },
  "keys-fetched": {
    title: "The issuer's keys are fetched by URL, and cached for a second",
    served: true,
    issuerKeys: () => fetchedKeys(1000),
  },
  "rs256-declared-alone": {
    title: "Only RS256 is supported, and the profile says so",
    uses: ["algorithms"],
    verifySignature: signedWith(["RS256"]),
    describe: (profile) => ({
      ...profile,
      testIssuer: { ...(profile["testIssuer"] as object), algorithms: ["RS256"] },
    }),
  },
  "other-algorithms-alone": {
    title: "Only ES256 and EdDSA are supported, and the profile says so",
    uses: ["algorithms"],
    verifySignature: signedWith(["ES256", "EdDSA"]),
    describe: (profile) => ({
      ...profile,
      testIssuer: {
        ...(profile["testIssuer"] as object),
        algorithm: "ES256",
        algorithms: ["ES256", "EdDSA"],
      },
    }),
  },
  "long-headers-refused": {
    title: "Long headers are answered with 431 and no body",
    // A token with a thousand characters of other scopes is too long for it.
    warned: ["receiver.scope-sufficient"],
    ...changingAnswers((answer, call) =>
      (call?.authorization.join().length ?? 0) > SHORT_HEADER ? { status: 431 } : answer,
    ),
  },
  "at-jwt-only": {
    title: "`typ` must be at+jwt, RFC 9068 section 4",
    uses: ["typ"],
    checkType: refusing(
      "checkType",
      ({ header }) => !/^(?:application\/)?at\+jwt$/i.test(String(header["typ"])),
    ),
  },
  "typ-jwt-only": {
    title: "`typ` must be JWT, in upper case",
    uses: ["typ"],
    checkType: refusing("checkType", ({ header }) => header["typ"] !== "JWT"),
  },
  "typ-ignored": {
    title: "`typ` is ignored",
    uses: ["typ"],
    checkType: skipped,
  },
  "typ-absent-only": {
    title: "`typ` must be absent",
    uses: ["typ"],
    checkType: refusing("checkType", ({ header }) => header["typ"] !== undefined),
  },
};

/** Whether a token names the deployment's own issuer. The test issuer's keys are not for its tokens. */
function isOfOwnIssuer({ payload }: Received, { receiver: { own } }: Call): boolean {
  return own !== undefined && isObject(payload) && payload["iss"] === own.issuer;
}

/** A check 1 that also refuses every algorithm except these. */
function signedWith(algorithms: readonly unknown[]): (original: Check) => Check {
  return (original) => (call) => {
    if (algorithms.includes(splitToken(call.token ?? "")?.header["alg"])) return original(call);
    throw reject(call, "verifySignature", "The access token's algorithm is not supported.");
  };
}
