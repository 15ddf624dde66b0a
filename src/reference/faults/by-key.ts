import { passing } from "../check-patches.ts";
import type { Call, CheckName } from "../model.ts";
import type { Fault } from "./fault.ts";

const how =
  "Each algorithm has a verifier of its own, and the options that make it compare the claims were added to the first one only.";

/** Faults of a check that is in force for tokens of the issuer's first key alone. */
export const BY_KEY_FAULTS: readonly Fault[] = [
  forgottenFor("ES256", "issuer-unchecked", "checkIssuer", {
    rule: "receiver.issuer",
    title: "Does not check `iss`",
  }),
  forgottenFor("PS256", "audience-unchecked", "checkAudience", {
    rule: "receiver.audience",
    title: "Does not check `aud`",
  }),
  {
    name: "audience-unchecked-under-second-key",
    title: "Does not check `aud` in a token under the issuer's second key for an algorithm",
    rule: "receiver.audience",
    how: "The next key is verified by a copy of the code, until the first one is withdrawn.",
    checkAudience: passing(({ header }) => String(header["kid"]).endsWith("-2")),
  },
  forgottenFor("EdDSA", "expiry-unchecked", "checkExpiry", {
    rule: "receiver.expiry",
    title: "Accepts expired tokens",
  }),
  forgottenFor("ES256", "scope-unchecked", "checkScope", {
    rule: "receiver.scope",
    title: "Does not check the scope",
  }),
  forgottenFor("EdDSA", "binding-unchecked", "checkBinding", {
    rule: "receiver.binding",
    title: "Does not check the binding",
  }),
  forgottenFor("PS256", "policy-unchecked", "applyPolicy", {
    rule: "receiver.local-policy",
    title: "Does not apply local policy",
  }),
];

function forgottenFor(
  alg: string,
  name: string,
  step: CheckName,
  { title, rule }: Pick<Fault, "title" | "rule">,
): Fault {
  return {
    name: `${name}-for-${alg.toLowerCase()}`,
    title: `${title} if the token is signed with ${alg}`,
    rule,
    how,
    [step]: passing(({ header }: Call) => header["alg"] === alg),
  };
}
