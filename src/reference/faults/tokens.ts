import { decodeJwt, decodeProtectedHeader } from "jose";

import { OPERATION_IDS } from "../../contract/operations.ts";
import { reject } from "../checks.ts";
import type { Call, Check, CheckName } from "../model.ts";
import { onlyOn, takingToken } from "../patches.ts";
import { onEach } from "./copies.ts";
import { type Faults, ofEach, ownedBy, trusted } from "./fault.ts";

/** Faults of the credentials and of check 1: whose token it is. */
export const TOKEN_FAULTS: Faults = ownedBy("receiver.token-required", {
  "token-not-required": {
    title: "Serves a request without a token",
    how: "The middleware is configured so that credentials are optional, and no later code requires them.",
    checks: trustsTheTokenless,
  },
  ...ofEach(OPERATION_IDS, (operation) => ({
    [`token-not-required-on-${operation}`]: {
      title: `Serves ${operation} without a token`,
      how: "The route was added outside the guarded group, or its path is on the list of public paths.",
      checks: onlyOn(operation, trustsTheTokenless),
    },
  })),
  "scheme-ignored": {
    title: "Accepts a good token under any scheme, or none",
    how: "The code uses the last word of the header as the token.",
    readCredentials: takingToken(
      ({ authorization }) => authorization[0]?.split(/\s+/).at(-1) || undefined,
    ),
  },
  "signature-unchecked": {
    title: "Trusts claims without verifying the signature",
    rule: "receiver.signature",
    how: "The library's `decode` is called instead of `verify`.",
    verifySignature: () => decode,
  },
  ...onEach(OPERATION_IDS, "signature-unchecked", {
    title: "Trusts claims without verifying the signature",
    rule: "receiver.signature",
    how: "One handler reads the organization from the token itself and only decodes it.",
    verifySignature: () => decode,
  }),
  "alg-none-accepted": {
    title: "Requires no signature of a token with `alg: none`",
    rule: "receiver.signature",
    how: "The code takes the algorithm from the token's own header, and `none` is one of them.",
    source: "CVE-2015-9235",
    verifySignature: (original) => (call) =>
      algorithm(call) === "none" ? decode(call) : original(call),
  },
});

function trustsTheTokenless(
  original: (call: Call) => readonly CheckName[],
): (call: Call) => readonly CheckName[] {
  return (call) => (call.authorization.length === 0 ? trusted(call) : original(call));
}

const decode: Check = (call) => {
  try {
    call.header = { ...decodeProtectedHeader(call.token ?? "") };
    call.claims = decodeJwt(call.token ?? "");
  } catch {
    throw reject(call, "verifySignature", "The access token cannot be read.");
  }
};

function algorithm(call: Call): string | undefined {
  try {
    return decodeProtectedHeader(call.token ?? "").alg?.toLowerCase();
  } catch {
    return undefined;
  }
}
