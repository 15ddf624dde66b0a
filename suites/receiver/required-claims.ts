import { CLAIMS } from "../../src/contract/claims.ts";
import { OPERATION_IDS } from "../../src/contract/operations.ts";
import { type Mutation, open, type Patch } from "../../src/mutations/mutation.ts";
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
const mistypedClaims: readonly Mutation[] = UNCHECKED.flatMap(({ name, type }) => {
  const mistyped = (suffix: string, is: string, value: (right: unknown) => unknown): Mutation =>
    open(`${name}-${suffix}`, `\`${name}\` is ${is}`, {
      token: { claims: ({ claims }) => ({ [name]: value(claims[name]) }) },
    });
  return type === "time"
    ? [mistyped("string", "a string of digits", String)]
    : [
        mistyped("number", "a number", () => 7),
        mistyped("object", "an object", () => ({})),
        mistyped("array", "an array of the right value", (right) => [right]),
      ];
});

function lack(name: string, what: string, claims: Patch): Mutation {
  return { name, what, token: { claims } };
}
