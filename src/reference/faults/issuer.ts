import { isWithinSkew } from "../checks.ts";
import { passing, skipped } from "../patches.ts";
import { comparisonFaults } from "./comparisons.ts";
import { type Fault, ownedBy } from "./fault.ts";

/** Faults of check 2: other issuers are accepted as the trusted one. */
export const ISSUER_FAULTS: readonly Fault[] = ownedBy("receiver.issuer", [
  {
    name: "issuer-unchecked",
    title: "Does not check `iss`",
    how: "The keys are pinned, so the signature seems to identify the issuer.",
    checkIssuer: skipped,
  },
  ...comparisonFaults("issuer", {
    claim: "iss",
    step: "checkIssuer",
    right: "issuer",
  }),
  {
    name: "issuer-unchecked-within-skew",
    title: "Does not check `iss` in a token that expired within the skew",
    how: "The library reports all errors of a token together, and the caller, who tolerates a small skew, looks for the passed `exp` alone.",
    source: "CVE-2024-51744",
    checkIssuer: passing(({ claims, receiver }) =>
      isWithinSkew(claims["exp"], receiver.steps.now()),
    ),
  },
  {
    name: "issuer-in-array",
    title: "Accepts an array in `iss` that contains the trusted issuer among others",
    how: "One helper checks `iss` and `aud`, and `aud` may be an array.",
    source: "CVE-2025-30144",
    checkIssuer: passing(
      ({ claims: { iss }, receiver }) => Array.isArray(iss) && iss.includes(receiver.issuer),
    ),
  },
  {
    name: "issuer-loosely-equal",
    title: "Accepts an array with only the trusted issuer in `iss`",
    how: "`==` converts an array of one string into that string.",
    checkIssuer: passing(
      ({ claims: { iss }, receiver }) => Array.isArray(iss) && String(iss) === receiver.issuer,
    ),
  },
  {
    name: "issuer-any-array",
    title: "Does not compare `iss` if it is an array",
    how: "The code handles only strings.",
    checkIssuer: passing(({ claims }) => Array.isArray(claims["iss"])),
  },
  {
    name: "issuer-subdomain",
    title: "Trusts issuers on subdomains of the trusted issuer's host",
    how: "Each region has its own issuer, and host names are compared from the end.",
    checkIssuer: passing(({ claims, receiver }) =>
      hostOf(claims["iss"]).endsWith(`.${hostOf(receiver.issuer)}`),
    ),
  },
  {
    name: "issuer-host-ending",
    title: "Compares the host of `iss` by its ending",
    how: "Host names are compared from the end, without the dot before the name.",
    checkIssuer: passing(({ claims, receiver }) =>
      hostOf(claims["iss"]).endsWith(hostOf(receiver.issuer)),
    ),
  },
  {
    name: "issuer-object-member",
    title: "Accepts the name of any member that objects have in `iss`",
    how: "Trusted issuers are the keys of a plain object, and `in` also finds inherited members.",
    checkIssuer: passing(({ claims: { iss } }) => typeof iss === "string" && iss in {}),
  },
]);

function hostOf(url: unknown): string {
  return typeof url === "string" && URL.canParse(url) ? new URL(url).hostname : "";
}
