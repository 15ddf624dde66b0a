import { decodeJwt, decodeProtectedHeader } from "jose";

import { OPERATION_IDS } from "../../contract/operations.ts";
import type { Call, Check, CheckName } from "../model.ts";
import { reject } from "../reject.ts";
import { onlyOn, trusted, type Fault } from "./fault.ts";

/** Faults of the credentials and of check 1: whose token it is. */
export const TOKEN_FAULTS: readonly Fault[] = [
  {
    name: "token-not-required",
    title: "Serves a request without a token",
    rule: "receiver.token-required",
    how: "The middleware is set up to make credentials optional, and nothing behind it asks whether there were any.",
    step: "checks",
    patch: trustsTheTokenless,
  },
  ...OPERATION_IDS.map((operation): Fault => ({
    name: `token-not-required-on-${operation}`,
    title: `Serves ${operation} without a token`,
    rule: "receiver.token-required",
    how: "The route was added beside the guarded group, or its path is on the list of public paths.",
    step: "checks",
    patch: onlyOn(operation, trustsTheTokenless),
  })),
  {
    name: "scheme-ignored",
    title: "Takes a good token under any scheme, or none",
    rule: "receiver.token-required",
    how: "The token is the last word of the header, whatever stands before it.",
    step: "readCredentials",
    patch: (original) => (call) => {
      call.token = call.authorization[0]?.split(/\s+/).at(-1);
      return call.token ? undefined : original(call);
    },
  },
  {
    name: "signature-unchecked",
    title: "Believes claims without a look at the signature",
    rule: "receiver.signature",
    how: "The library's `decode` is called where `verify` was meant.",
    step: "verifySignature",
    patch: () => decode,
  },
  ...OPERATION_IDS.map((operation): Fault => ({
    name: `signature-unchecked-on-${operation}`,
    title: `Believes claims without a look at the signature on ${operation}`,
    rule: "receiver.signature",
    how: "One handler reads the organization out of the token itself and only decodes it.",
    step: "verifySignature",
    patch: onlyOn(operation, () => decode),
  })),
  {
    name: "alg-none-accepted",
    title: "Wants no signature of a token that says `alg: none`",
    rule: "receiver.signature",
    how: "The algorithm is taken from the token's own header, and `none` is one of them.",
    source: "CVE-2015-9235",
    step: "verifySignature",
    patch: (original) => (call) => (algorithm(call) === "none" ? decode(call) : original(call)),
  },
];

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
