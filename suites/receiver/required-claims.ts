import { type Claim, CLAIMS } from "../../src/contract/claims.ts";
import { OPERATION_IDS } from "../../src/contract/operations.ts";
import type {
  Mutation,
  Patch,
  TokenChange,
  UnspecifiedMutation,
} from "../../src/mutations/mutation.ts";
import { oneRead, rejects } from "../../src/probe/cases.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";

export const rule: Rule = defineRule({
  id: "receiver.required-claims",
  title: "A token without `sub` or `iat` is rejected",
  level: "SHOULD",
  verifies: ["claims.sub", "claims.iat"],
  dependsOn: ["receiver.token-required/missing", "receiver.isolation/side-by-side"],
  cases: (facts) => [
    ...rejects(OPERATION_IDS, missingClaims),
    ...rejects(oneRead(facts), [...voidClaims, ...mistypedClaims]),
  ],
});

/** Tokens without claims that every token must have but no receiver check names. */

const UNCHECKED = CLAIMS.filter(({ required, checkedBy }) => required && !checkedBy);

/** The simplest form: the claim is missing. */
const missingClaims: readonly Mutation[] = UNCHECKED.map(({ name }) =>
  lack(`${name}-missing`, `\`${name}\` is missing`, { [name]: undefined }),
);

/** Claims that are present but have no meaning. */
const voidClaims: readonly Mutation[] = UNCHECKED.flatMap(({ name, type }) => [
  lack(`${name}-null`, `\`${name}\` is null`, { [name]: null }),
  type === "text"
    ? lack(`${name}-empty`, `\`${name}\` is an empty string`, { [name]: "" })
    : lack(`${name}-text`, `\`${name}\` is the word \`never\``, { [name]: "never" }),
]);

/** Claims of a type that RFC 7519 does not give them, but that may still have a meaning. */
const mistypedClaims: readonly UnspecifiedMutation[] = UNCHECKED.flatMap(mistyped);

function mistyped({ name, type }: Claim): UnspecifiedMutation[] {
  if (type === "time") {
    const digits = `\`${name}\` is a string of digits`;
    return [open(`${name}-string`, digits, ({ claims }) => ({ [name]: String(claims[name]) }))];
  }
  const list = `\`${name}\` is an array of the right value`;
  return [
    open(`${name}-number`, `\`${name}\` is a number`, { [name]: 7 }),
    open(`${name}-object`, `\`${name}\` is an object`, { [name]: {} }),
    open(`${name}-array`, list, ({ claims }) => ({ [name]: [claims[name]] })),
  ];
}

function lack(name: string, what: string, claims: Patch): Mutation {
  return { name, what, token: { claims } };
}

function open(
  name: string,
  what: string,
  claims: NonNullable<TokenChange["claims"]>,
): UnspecifiedMutation {
  return { name, what, token: { claims }, level: "OBSERVE" };
}
