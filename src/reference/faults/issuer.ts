import { isWithinSkew } from "../checks.ts";
import { skipped } from "../patches.ts";
import { comparisonFaults, takingFor } from "./comparisons.ts";
import { type Faults, ownedBy } from "./fault.ts";

const ISS = { prefix: "issuer", claim: "iss", step: "checkIssuer", right: "issuer" } as const;
const taking = takingFor(ISS);

/** Faults of check 2: other issuers are accepted as the trusted one. */
export const ISSUER_FAULTS: Faults = ownedBy("receiver.issuer", {
  "issuer-unchecked": {
    title: "Does not check `iss`",
    how: "The keys are pinned, so the signature seems to identify the issuer.",
    checkIssuer: skipped,
  },
  ...comparisonFaults(ISS),
  "issuer-unchecked-within-skew": taking({
    title: "Does not check `iss` in a token that expired within the skew",
    how: "The library reports all errors of a token together, and the caller, who tolerates a small skew, looks for the passed `exp` alone.",
    source: "CVE-2024-51744",
    when: (_iss, { claims: { exp }, receiver }) => isWithinSkew(exp, receiver.steps.now()),
  }),
  "issuer-in-array": taking({
    title: "Accepts an array in `iss` that contains the trusted issuer among others",
    how: "One helper checks `iss` and `aud`, and `aud` may be an array.",
    source: "CVE-2025-30144",
    when: (iss, { receiver }) => Array.isArray(iss) && iss.includes(receiver.issuer),
  }),
  "issuer-loosely-equal": taking({
    title: "Accepts an array with only the trusted issuer in `iss`",
    how: "`==` converts an array of one string into that string.",
    when: (iss, { receiver }) => Array.isArray(iss) && String(iss) === receiver.issuer,
  }),
  "issuer-nested-array": taking({
    title: "Accepts an array of arrays in `iss` that contains the trusted issuer",
    how: "One helper flattens every claim that may be a list before it searches it.",
    when: (iss, { receiver }) =>
      Array.isArray(iss) && iss.some(Array.isArray) && iss.flat().includes(receiver.issuer),
  }),
  "issuer-any-array": taking({
    title: "Does not compare `iss` if it is an array",
    how: "The code handles only strings.",
    when: (iss) => Array.isArray(iss),
  }),
  "issuer-subdomain": taking({
    title: "Trusts issuers on subdomains of the trusted issuer's host",
    how: "Each region has its own issuer, and host names are compared from the end.",
    when: (iss, { receiver }) => hostOf(iss).endsWith(`.${hostOf(receiver.issuer)}`),
  }),
  "issuer-host-ending": taking({
    title: "Compares the host of `iss` by its ending",
    how: "Host names are compared from the end, without the dot before the name.",
    when: (iss, { receiver }) => hostOf(iss).endsWith(hostOf(receiver.issuer)),
  }),
  "issuer-object-member": taking({
    title: "Accepts the name of any member that objects have in `iss`",
    how: "Trusted issuers are the keys of a plain object, and `in` also finds inherited members.",
    when: (iss) => typeof iss === "string" && iss in {},
  }),
});

function hostOf(url: unknown): string {
  return typeof url === "string" && URL.canParse(url) ? new URL(url).hostname : "";
}
