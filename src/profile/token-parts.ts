import { z } from "zod";

import { CLAIMS } from "../contract/claims.ts";

/** Header members that rules test, with the profile key that sets each, where there is one. */
const JUDGED_HEADER: Readonly<Record<string, string | undefined>> = {
  alg: "testIssuer.algorithm",
  kid: "testIssuer.keys",
  ...Object.fromEntries(
    "crit b64 jwk jku x5u x5c x5t x5t#S256 cty enc zip".split(" ").map((name) => [name, undefined]),
  ),
};

/** Why a claim must not be in `testIssuer.claims`; `undefined` when it may be. */
export function judgedClaim(name: string, bindingClaim: string | undefined): string | undefined {
  if (name === bindingClaim) return judged("claimsNamespace");
  const claim = CLAIMS.find((one) => one.name === name);
  return claim && judged(claim.givenBy);
}

function judged(key: string | undefined): string {
  const instead = key === undefined ? "leave it out" : `leave it out; ${key} sets it`;
  return `is not allowed here, because rules test it and the suite changes it itself: ${instead}`;
}

/** The schema of further claims. Which names are allowed depends on the rest of the profile. */
export const extraClaims: z.ZodDefault<z.ZodRecord<z.ZodString, z.ZodUnknown>> = z
  .record(z.string(), z.unknown())
  .default({});

/** The schema of further header members. */
export const extraHeader: z.ZodDefault<z.ZodRecord<z.ZodString, z.ZodUnknown>> = z
  .record(z.string(), z.unknown())
  .check(({ value, issues }) => {
    for (const [name, content] of Object.entries(value)) {
      const complain = (message: string, at: "key" | "value"): void => {
        issues.push({ code: "custom", input: value, path: [name], message, params: { at } });
      };
      if (Object.hasOwn(JUDGED_HEADER, name)) complain(judged(JUDGED_HEADER[name]), "key");
      if (name === "typ" && (typeof content !== "string" || content === "")) {
        complain("must be text, such as at+jwt", "value");
      }
    }
  })
  .default({});
