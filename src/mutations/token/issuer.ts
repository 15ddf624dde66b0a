import type { Target } from "../../profile/target.ts";
import type { InvalidMutation, UnspecifiedMutation } from "../mutation.ts";
import { likeliestMiss, type NearMiss, nearMisses, respellings } from "../near-misses.ts";

/** Tokens of another issuer than the trusted one, signed by the trusted one's key. */

const UNTRUSTED = "https://untrusted-issuer.example";

function wrong(name: string, what: string, iss: (trusted: string) => unknown): InvalidMutation {
  return {
    name,
    check: "issuer",
    what: `\`iss\` ${what}`,
    why: "iss must be a known, trusted authorization server; it is one case-sensitive string",
    source: "contract, Receiver checks 2; RFC 7519 §2, §4.1.1",
    claims: (_draft, { target }) => ({ iss: iss(target.testIssuer.url) }),
  };
}

export const untrustedIssuer: InvalidMutation = wrong(
  "untrusted",
  "names an authorization server that nobody trusts",
  () => UNTRUSTED,
);

/** The commonest ways in which `iss` names no trusted server: it is not there, or there are two. */
export const issuerGaps: readonly InvalidMutation[] = [
  wrong("missing", "is not there", () => undefined),
  wrong("null", "is null", () => null),
  wrong("empty", "is an empty string", () => ""),
  {
    ...wrong("array-among", "is an array of an untrusted and the right value", (trusted) => [
      UNTRUSTED,
      trusted,
    ]),
    source: "contract, Receiver checks 2; RFC 7519 §4.1.1; CVE-2025-30144",
  },
];

/** `iss` of a kind that names no server. */
export const malformedIssuers: readonly InvalidMutation[] = [
  wrong("number", "is a number", () => 1),
  wrong("true", "is `true`", () => true),
  wrong("object", "is an object", () => ({ name: UNTRUSTED })),
  wrong("array-without", "is an array without the right value", () => [UNTRUSTED]),
  // A table of issuers that is a plain object seems to have an entry for it.
  wrong("object-member", "is `constructor`, which every object has", () => "constructor"),
];

/** No string, but it names nobody else. */
export const issuerInArray: InvalidMutation = {
  ...wrong("array-only", "is an array of the right value alone", (trusted) => [trusted]),
  level: "SHOULD",
};

/** The one that most careless comparisons take for the trusted one. */
export function issuerLikeliestMiss({ testIssuer }: Target): InvalidMutation[] {
  return likeliestMiss(testIssuer.url).map(missed);
}

/** The others that a careless comparison takes for the trusted one. */
export function issuerNearMisses({ testIssuer }: Target): InvalidMutation[] {
  const [likeliest] = likeliestMiss(testIssuer.url);
  return nearMisses(testIssuer.url)
    .filter(({ name }) => name !== likeliest?.name)
    .map(missed);
}

function missed({ name, what, value }: NearMiss): InvalidMutation {
  return wrong(name, what, () => value);
}

/** Other spellings of the trusted issuer, which the conventions of URLs take for the same. */
export function issuerRespellings({ testIssuer }: Target): UnspecifiedMutation[] {
  return respellings(testIssuer.url).map(({ name, what, value }) => ({
    name,
    what: `\`iss\` ${what}`,
    level: "OBSERVE",
    claims: { iss: value },
  }));
}
