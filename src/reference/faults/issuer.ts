import { comparisonFaults } from "./comparisons.ts";
import { passing, skipped, type Fault } from "./fault.ts";

const RULE = "receiver.issuer";

/** Faults of check 2: other issuers than the trusted one are taken for it. */
export const ISSUER_FAULTS: readonly Fault[] = [
  {
    name: "issuer-unchecked",
    title: "Does not look at `iss`",
    rule: RULE,
    how: "The keys are pinned, and the signature is thought to say who issued the token.",
    step: "checkIssuer",
    patch: skipped,
  },
  ...comparisonFaults("issuer", {
    claim: "iss",
    rule: RULE,
    step: "checkIssuer",
    right: "issuer",
  }),
  {
    name: "issuer-in-array",
    title: "Takes an array in `iss` that holds the trusted issuer among others",
    rule: RULE,
    how: "One helper serves `iss` and `aud`, and `aud` may be an array.",
    source: "CVE-2025-30144",
    step: "checkIssuer",
    patch: passing(
      ({ claims: { iss }, receiver }) => Array.isArray(iss) && iss.includes(receiver.issuer),
    ),
  },
  {
    name: "issuer-loosely-equal",
    title: "Takes an array of the trusted issuer in `iss`",
    rule: RULE,
    how: "`==` turns an array of one string into that string.",
    step: "checkIssuer",
    patch: passing(
      ({ claims: { iss }, receiver }) => Array.isArray(iss) && String(iss) === receiver.issuer,
    ),
  },
  {
    name: "issuer-any-array",
    title: "Does not compare `iss` where it is an array",
    rule: RULE,
    how: "Only strings were thought of.",
    step: "checkIssuer",
    patch: passing(({ claims }) => Array.isArray(claims["iss"])),
  },
  {
    name: "issuer-subdomain",
    title: "Trusts issuers on hosts below the trusted issuer's",
    rule: RULE,
    how: "Each region has an issuer of its own, and host names are compared from the end.",
    step: "checkIssuer",
    patch: passing(({ claims, receiver }) =>
      hostOf(claims["iss"]).endsWith(`.${hostOf(receiver.issuer)}`),
    ),
  },
  {
    name: "issuer-host-ending",
    title: "Compares the host of `iss` by its ending",
    rule: RULE,
    how: "Host names are compared from the end, without the dot before the name.",
    step: "checkIssuer",
    patch: passing(({ claims, receiver }) =>
      hostOf(claims["iss"]).endsWith(hostOf(receiver.issuer)),
    ),
  },
  {
    name: "issuer-object-member",
    title: "Takes the name of any member that objects have in `iss`",
    rule: RULE,
    how: "Trusted issuers are the keys of a plain object, and `in` finds what it inherits.",
    step: "checkIssuer",
    patch: passing(({ claims: { iss } }) => typeof iss === "string" && iss in {}),
  },
];

function hostOf(url: unknown): string {
  return typeof url === "string" && URL.canParse(url) ? new URL(url).hostname : "";
}
