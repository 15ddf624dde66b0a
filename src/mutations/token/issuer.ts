import type { Facts } from "../../profile/facts.ts";
import { because, type InvalidMutation, type Mutation, open } from "../mutation.ts";
import {
  asMember,
  likeliestMiss,
  type NearMiss,
  nearMisses,
  paddings,
  respellings,
} from "../near-misses.ts";

/** Tokens of an issuer that is not trusted, signed with the trusted issuer's key. */

const UNTRUSTED = "https://untrusted-issuer.example";

function wrong(name: string, what: string, iss: (trusted: string) => unknown): InvalidMutation {
  return {
    name,
    what: `\`iss\` ${what}`,
    refused: {
      check: "issuer",
      why: "`iss` must be a known, trusted authorization server; it is one case-sensitive string",
      source: "contract, Receiver checks 2; RFC 7519 §2, §4.1.1",
    },
    token: { claims: (_draft, { target }) => ({ iss: iss(target.testIssuer.url) }) },
  };
}

export const untrustedIssuer: InvalidMutation = wrong(
  "untrusted",
  "names an authorization server that is not trusted",
  () => UNTRUSTED,
);

/** The most common ways in which `iss` names no trusted server: it is missing, or there are two. */
export const issuerGaps: readonly InvalidMutation[] = [
  wrong("missing", "is missing", () => undefined),
  wrong("null", "is null", () => null),
  wrong("empty", "is an empty string", () => ""),
  because(
    wrong("array-among", "is an array of an untrusted and the right value", (trusted) => [
      UNTRUSTED,
      trusted,
    ]),
    { source: "contract, Receiver checks 2; RFC 7519 §4.1.1; CVE-2025-30144" },
  ),
];

/** `iss` of a type that names no server. */
export const malformedIssuers: readonly InvalidMutation[] = [
  wrong("number", "is a number", () => 1),
  wrong("true", "is `true`", () => true),
  wrong("object", "is an object", () => ({ name: UNTRUSTED })),
  wrong("object-value", "is an object whose members have the right value", asMember),
  wrong("array-without", "is an array without the right value", () => [UNTRUSTED]),
  wrong("array-nested", "is an array of an array of the right value", (trusted) => [[trusted]]),
  // A lookup in a plain object finds an entry of this name.
  wrong("object-member", "is `constructor`, which every object has", () => "constructor"),
];

/** Not a string, but it names no other issuer. */
export const issuerInArray: InvalidMutation = {
  ...wrong("array-only", "is an array of the right value alone", (trusted) => [trusted]),
  level: "SHOULD",
};

/** The value that most careless comparisons confuse with the trusted issuer. */
export function issuerLikeliestMiss({ testIssuer }: Facts): InvalidMutation[] {
  return likeliestMiss(testIssuer.url).map(missed);
}

/** Other values that careless comparisons confuse with the trusted issuer. */
export function issuerNearMisses({ testIssuer }: Facts): InvalidMutation[] {
  const [likeliest] = likeliestMiss(testIssuer.url);
  return [...nearMisses(testIssuer.url), ...paddings(testIssuer.url)]
    .filter(({ name }) => name !== likeliest?.name)
    .map(missed);
}

function missed({ name, what, value }: NearMiss): InvalidMutation {
  return wrong(name, what, () => value);
}

/** Other spellings of the trusted issuer, which URL normalisation considers equal. */
export function issuerRespellings({ testIssuer }: Facts): Mutation[] {
  return respellings(testIssuer.url).map(({ name, what, value }) =>
    open(name, `\`iss\` ${what}`, { token: { claims: { iss: value } } }),
  );
}
